import { isObject } from "../shared/json.ts";
import { includes } from "./arguments.ts";
import { brief } from "./brief.ts";
import type { CheckKind } from "./check.ts";
import { judged, PLACE, placeOf, wantedOf } from "./place.ts";

export const partial: CheckKind = {
  type: "partial",
  summary:
    "The value at the path has at least these members, at every depth; arrays have as many elements as here.",
  on: "trial",
  fields: { ...PLACE, expected: "json" },
  optional: ["source"],
  problems: ({ expected }) =>
    isObject(expected) && Object.keys(expected).length === 0
      ? [{ field: "expected", message: "asserts nothing: name a member" }]
      : [],
  evaluate(check, subject) {
    const place = placeOf(check, subject);
    const expected = wantedOf(check);
    return judged(place, {
      passed: includes(place.value, expected),
      wanted: () => `one with ${brief(expected)}`,
      expected,
    });
  },
};
