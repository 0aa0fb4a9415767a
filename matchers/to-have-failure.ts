/* oxlint-disable oxc/no-this-in-exported-function -- both runners give a matcher its state as `this` */
import { failureKinds, real } from "../src/detector/detector.ts";
import { failure } from "../src/shared/error.ts";
import { nearest } from "../src/shared/nearest.ts";
import { oneLine } from "../src/shared/text.ts";
import { examine, type MatcherOutcome, type MatcherThis } from "./matcher.ts";
import { failureLine, message, some } from "./message.ts";

/**
 * Passes when a failure of this kind is there: `tool_error`, or with its subject, `tool_error:refund`.
 * Low ones, as an error from which the agent recovered, do not count.
 * @throws E_FAILURE_KIND for a kind that no detector finds: a typing error would make `.not` pass for ever
 */
export function toHaveFailure(this: MatcherThis, received: unknown, kind: string): MatcherOutcome {
  const { failures, trial } = examine(received, "toHaveFailure");
  refuseUnknown(kind);
  const found = real(failures);
  const { isNot } = this;
  return {
    pass: found.some((one) => one.kind === kind || one.signature === kind),
    message: () =>
      message({
        trial,
        call: `${isNot ? "not." : ""}toHaveFailure(${JSON.stringify(kind)})`,
        expected: `${isNot ? "no" : "a"} failure ${kind}`,
        received:
          found.length === 0
            ? "no failure that counts"
            : [...new Set(found.map((one) => one.signature))].join(", "),
        evidence: some(
          failures.map((one) => `${failureLine(one)}${one.severity === "low" ? " (low)" : ""}`),
        ),
      }),
  };
}

function refuseUnknown(asked: unknown): void {
  const kinds = failureKinds();
  const [kind = ""] = String(asked).split(":");
  if (kinds.includes(kind)) return;
  const meant = nearest(kind, kinds);
  throw failure("E_FAILURE_KIND", {
    to: `look for a failure ${JSON.stringify(oneLine(String(asked), 60))}`,
    because: "there is no such kind",
    fix: meant === undefined ? `Ask for one of ${kinds.join(", ")}` : `Did you mean "${meant}"`,
  });
}
