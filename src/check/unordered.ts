import { byCodeUnit, canonical, type Json } from "../shared/json.ts";
import { brief } from "./brief.ts";
import type { CheckKind } from "./check.ts";
import { judged, PLACE, placeOf, wantedOf } from "./place.ts";

export const unordered: CheckKind = {
  type: "unordered",
  summary: "The array at the path has the same elements as this one, as often, in any order.",
  on: "trial",
  fields: { ...PLACE, expected: "json" },
  optional: ["source"],
  problems: ({ expected }) =>
    Array.isArray(expected)
      ? []
      : [{ field: "expected", message: "is no array; list the elements, or use equals" }],
  evaluate(check, subject) {
    const place = placeOf(check, subject);
    const expected = wantedOf(check);
    return judged(place, {
      passed: sameElements(place.value, expected),
      wanted: () => `${brief(expected)} in any order`,
      expected,
    });
  },
};

function sameElements(value: Json | undefined, wanted: Json): boolean {
  if (!Array.isArray(value) || !Array.isArray(wanted) || value.length !== wanted.length) {
    return false;
  }
  const [found, expected] = [value, wanted].map((list) => list.map(canonical).sort(byCodeUnit));
  return found?.every((text, at) => text === expected?.[at]) ?? false;
}
