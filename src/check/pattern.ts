import { testPattern } from "../shared/pattern.ts";
import { brief } from "./brief.ts";
import type { CheckKind } from "./check.ts";
import { textOf } from "./evidence.ts";
import { judged, PLACE, placeOf } from "./place.ts";

export const pattern: CheckKind = {
  type: "pattern",
  summary: "The text at the path matches this regular expression somewhere; case counts.",
  on: "trial",
  fields: { ...PLACE, pattern: "pattern" },
  optional: ["source"],
  evaluate(check, subject) {
    const place = placeOf(check, subject);
    const wanted = textOf(check["pattern"]);
    const tested = typeof place.value === "string" ? testPattern(wanted, place.value) : undefined;
    if (tested !== undefined && "error" in tested) {
      return { passed: false, message: `pattern: ${tested.error}`, evidence: place.evidence };
    }
    return judged(place, {
      passed: tested?.matched === true,
      wanted: () => `a text that matches ${brief(wanted)}`,
      expected: wanted,
    });
  },
};
