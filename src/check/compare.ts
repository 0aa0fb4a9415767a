import { brief } from "./brief.ts";
import type { CheckKind } from "./check.ts";
import { boundProblem, holds, wordsOf } from "./comparison.ts";
import { textOf } from "./evidence.ts";
import { judged, PLACE, placeOf, wantedOf } from "./place.ts";

export const compare: CheckKind = {
  type: "compare",
  summary:
    "The value at the path is less or more than this one: a number, or a date as ISO text (UTC without a zone).",
  on: "trial",
  fields: { ...PLACE, comparison: "comparison", expected: "json" },
  optional: ["source"],
  problems(check) {
    const problem = boundProblem(check["expected"]);
    return problem === undefined ? [] : [{ field: "expected", message: problem }];
  },
  evaluate(check, subject) {
    const place = placeOf(check, subject);
    const comparison = textOf(check["comparison"]);
    const expected = wantedOf(check);
    return judged(place, {
      passed: holds(place.value, comparison, expected) === true,
      wanted: () => `${wordsOf(comparison)} ${brief(expected)}`,
      expected,
    });
  },
};
