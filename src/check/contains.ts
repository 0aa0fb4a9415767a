import type { Json } from "../shared/json.ts";
import { brief } from "./brief.ts";
import type { CheckKind } from "./check.ts";
import { judged, PLACE, placeOf, wantedOf } from "./place.ts";
import { equal } from "./pointer-path.ts";

export const contains: CheckKind = {
  type: "contains",
  summary: "The text at the path contains this one (case counts), or the array an equal element.",
  on: "trial",
  fields: { ...PLACE, expected: "json" },
  optional: ["source"],
  problems: (check) =>
    check["expected"] === ""
      ? [{ field: "expected", message: "asserts nothing: every text contains the empty one" }]
      : [],
  evaluate(check, subject) {
    const place = placeOf(check, subject);
    const expected = wantedOf(check);
    return judged(place, {
      passed: holdsPart(place.value, expected),
      wanted: () => `one that contains ${brief(expected)}`,
      expected,
    });
  },
};

function holdsPart(value: Json | undefined, part: Json): boolean {
  if (typeof value === "string") return typeof part === "string" && value.includes(part);
  return Array.isArray(value) && value.some((item) => equal(item, part));
}
