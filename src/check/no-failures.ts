import { describeFailures, realOnes } from "./evidence.ts";
import type { CheckKind } from "./check.ts";

export const noFailures: CheckKind = {
  type: "no_failures",
  summary: "The run has no failure but low ones.",
  on: "both",
  fields: {},
  evaluate(_check, { failures }) {
    const found = realOnes(failures);
    return { passed: found.length === 0, message: describeFailures(found) };
  },
};
