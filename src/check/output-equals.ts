import { meets } from "../trace/expected.ts";
import type { CheckKind } from "./check.ts";

export const outputEquals: CheckKind = {
  type: "output_equals",
  summary: "The output equals this value; texts are compared without regard to case and spaces.",
  on: "both",
  fields: { value: "json" },
  evaluate(check, { trace }) {
    return meets({ equals: check["value"] ?? null }, trace.output);
  },
};
