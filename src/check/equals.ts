import { brief } from "./brief.ts";
import type { CheckKind } from "./check.ts";
import { judged, PLACE, placeOf, wantedOf } from "./place.ts";
import { equal } from "./pointer-path.ts";

export const equals: CheckKind = {
  type: "equals",
  summary:
    "The value at a path of the committed state, or of the completion, equals this one; the order of keys does not matter.",
  on: "trial",
  fields: { ...PLACE, expected: "json" },
  optional: ["source"],
  evaluate(check, subject) {
    const place = placeOf(check, subject);
    const expected = wantedOf(check);
    return judged(place, {
      passed: equal(place.value, expected),
      wanted: () => brief(expected),
      expected,
    });
  },
};
