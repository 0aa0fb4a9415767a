import { brief, kept } from "./brief.ts";
import type { CheckKind } from "./check.ts";
import { PLACE, placeOf } from "./place.ts";

export const absent: CheckKind = {
  type: "absent",
  summary: "There is no value at the path; null is one.",
  on: "trial",
  fields: PLACE,
  optional: ["source"],
  problems: ({ path, source }) =>
    path === "" && source !== "completion"
      ? [{ field: "path", message: "the whole state is always there; name a member" }]
      : [],
  evaluate(check, subject) {
    const { value, where, evidence } = placeOf(check, subject);
    const actual = kept(value);
    return {
      passed: value === undefined,
      message:
        value === undefined
          ? `there is no ${where}`
          : `${where} is ${brief(value)}, and no value is expected there`,
      evidence,
      ...(actual === undefined ? {} : { actual }),
    };
  },
};
