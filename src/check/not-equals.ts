import { brief } from "./brief.ts";
import type { CheckKind } from "./check.ts";
import { judged, PLACE, placeOf, wantedOf } from "./place.ts";
import { equal } from "./pointer-path.ts";

export const notEquals: CheckKind = {
  type: "not_equals",
  summary: "There is a value at the path, and it is another one than this.",
  on: "trial",
  fields: { ...PLACE, expected: "json" },
  optional: ["source"],
  evaluate(check, subject) {
    const place = placeOf(check, subject);
    const expected = wantedOf(check);
    return judged(place, {
      passed: !equal(place.value, expected),
      wanted: () => `another value than ${brief(expected)}`,
      expected,
    });
  },
};
