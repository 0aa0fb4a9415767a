/* oxlint-disable oxc/no-this-in-exported-function -- both runners give a matcher its state as `this` */
import { inOrder } from "../src/check/tool-order.ts";
import { failure } from "../src/shared/error.ts";
import { examine, type MatcherOutcome, type MatcherThis } from "./matcher.ts";
import { message, some } from "./message.ts";

const MATCHER = "toHaveCalledToolsInOrder";

/**
 * Passes when these tools were called in this order, with any other calls between them. Attempts count: also a call that failed or was
 * never answered. Takes a trial, a replay result or a trace.
 * @throws E_MATCHER_TOOLS for what is no list of names
 */
export function toHaveCalledToolsInOrder(
  this: MatcherThis,
  received: unknown,
  tools: readonly string[],
): MatcherOutcome {
  const { trace, trial } = examine(received, MATCHER);
  refuseNoList(tools);
  const calls = trace.steps.flatMap((step) =>
    step.kind === "tool" ? [{ tool: step.name, index: step.index }] : [],
  );
  const found = inOrder(calls, tools);
  const missing = tools[found.length];
  const last = found.at(-1);
  const { isNot } = this;
  return {
    pass: missing === undefined,
    message: () =>
      message({
        trial,
        call: `${isNot ? "not." : ""}${MATCHER}(${JSON.stringify(tools)})`,
        expected: `${isNot ? "another order than" : "calls in the order"} ${tools.join(", ")}`,
        received:
          missing === undefined
            ? `called in this order: ${names(calls)}`
            : `no call of ${missing}${last === undefined ? "" : ` after ${last.tool}`}: ${names(calls)}`,
        evidence: some(calls.map(({ tool, index }) => `step ${index}: ${tool}`)),
      }),
  };
}

function names(calls: readonly { readonly tool: string }[]): string {
  return calls.length === 0 ? "no tool call at all" : calls.map(({ tool }) => tool).join(", ");
}

function refuseNoList(tools: unknown): void {
  const isList =
    Array.isArray(tools) && tools.length > 0 && tools.every((name) => typeof name === "string");
  if (isList) return;
  throw failure("E_MATCHER_TOOLS", {
    to: `use ${MATCHER}()`,
    because: "it was given no names of tools, so nothing would be asserted",
    fix: `Give a list, as in ${MATCHER}(["check_slot", "reserve_slot"])`,
  });
}
