import { failureKinds, isFailureKind } from "../detector/detector.ts";
import { nearest } from "../shared/nearest.ts";
import { oneLine } from "../shared/text.ts";
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
    return {
      passed: found.length === 0,
      message: describeFailures(found),
      ...warningOfKinds(kinds),
    };
  },
};

/** A check of a misspelt kind says nothing. */
function warningOfKinds(kinds: readonly string[]): { readonly warning?: string } {
  const unknown = new Set(kinds.filter((kind) => !isFailureKind(kind)));
  if (unknown.size === 0) return {};
  const known = failureKinds();
  return { warning: Array.from(unknown, (kind) => noSuchKind(kind, known)).join("; ") };
}

function noSuchKind(kind: string, known: readonly string[]): string {
  const shown = JSON.stringify(oneLine(kind, 60));
  const meant = nearest(kind.slice(0, 100), known);
  return `there is no failure kind ${shown}; ${meant === undefined ? `there are ${known.join(", ")}` : `did you mean "${meant}"?`}`;
}
