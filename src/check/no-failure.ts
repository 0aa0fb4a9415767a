import { describeFailures, realOnes, textsOf } from "./evidence.ts";
import type { CheckKind } from "./check.ts";

export const noFailure: CheckKind = {
  type: "no_failure",
  summary: "The run has no failure of these kinds or signatures, but low ones.",
  on: "both",
  fields: { kinds: "strings", signatures: "strings" },
  optional: ["kinds", "signatures"],
  evaluate(check, { failures }) {
    const kinds = textsOf(check["kinds"]);
    const signatures = textsOf(check["signatures"]);
    const found = realOnes(failures).filter(
      ({ kind, signature }) => kinds.includes(kind) || signatures.includes(signature),
    );
    return { passed: found.length === 0, message: describeFailures(found) };
  },
};
