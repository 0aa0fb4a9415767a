/* oxlint-disable oxc/no-this-in-exported-function -- both runners give a matcher its state as `this` */
import { real } from "../src/runtime.ts";
import { examine, type MatcherOutcome, type MatcherThis } from "./matcher.ts";
import { failureLine, message, some } from "./message.ts";

/**
 * Passes when a failure of this kind is there: `tool_error`, or with its subject, `tool_error:refund`.
 * Low ones, as an error from which the agent recovered, do not count.
 */
export function toHaveFailure(this: MatcherThis, received: unknown, kind: string): MatcherOutcome {
  const { failures } = examine(received, "toHaveFailure");
  const found = real(failures);
  const { isNot } = this;
  return {
    pass: found.some((one) => one.kind === kind || one.signature === kind),
    message: () =>
      message({
        call: `${isNot ? "not." : ""}toHaveFailure(${JSON.stringify(kind)})`,
        expected: `${isNot ? "no" : "a"} failure ${kind}`,
        received:
          found.length === 0
            ? "no failure"
            : [...new Set(found.map((one) => one.signature))].join(", "),
        evidence: some(
          failures.map((one) => `${failureLine(one)}${one.severity === "low" ? " (low)" : ""}`),
        ),
      }),
  };
}
