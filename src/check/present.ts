import type { CheckKind } from "./check.ts";
import { judged, PLACE, placeOf } from "./place.ts";

export const present: CheckKind = {
  type: "present",
  summary: "There is a value at the path, whatever it is; null is one.",
  on: "trial",
  fields: PLACE,
  optional: ["source"],
  problems: ({ path, source }) =>
    path === "" && source !== "completion"
      ? [
          {
            field: "path",
            message: "asserts nothing: the whole state is always there; name a member",
          },
        ]
      : [],
  evaluate(check, subject) {
    return judged(placeOf(check, subject), { passed: true, wanted: () => "one" });
  },
};
