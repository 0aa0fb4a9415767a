import { oneLine } from "../shared/text.ts";
import type { CheckKind } from "./check.ts";
import { describeCalls, textsOf } from "./evidence.ts";
import { trialOf } from "./place.ts";
import { shownBy, warningOf } from "./tools.ts";

export const toolOrder: CheckKind = {
  type: "tool_order",
  summary: "These tools are called in this order; other calls between them do not matter.",
  on: "trial",
  fields: { tools: "strings" },
  evaluate(check, subject) {
    const trial = trialOf(subject);
    const tools = textsOf(check["tools"]);
    const found = inOrder(trial.calls, tools);
    const missing = tools[found.length];
    const order = oneLine(tools.join(", "), 200);
    const last = found.at(-1);
    const place = last === undefined ? "" : ` after ${oneLine(last.tool, 60)}`;
    return {
      passed: missing === undefined && tools.length > 0,
      message:
        missing === undefined
          ? `called in this order: ${order}`
          : `no call of ${oneLine(missing, 60)}${place}, and ${order} are expected in this order: ${describeCalls(trial.calls)}`,
      ...shownBy(found, subject),
      ...warningOf(tools, trial),
    };
  },
};

/** The calls that follow the order, as far as it is followed: the first of each tool after the one before. */
export function inOrder<C extends { readonly tool: string }>(
  calls: readonly C[],
  tools: readonly string[],
): readonly C[] {
  const found: C[] = [];
  for (const call of calls) if (call.tool === tools[found.length]) found.push(call);
  return found;
}
