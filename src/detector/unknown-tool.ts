import { clip } from "../shared/text.ts";
import type { Call } from "./calls.ts";
import type { Detector, Finding } from "./detector.ts";
import { runsPrograms } from "./names.ts";
import type { TraceView } from "./view.ts";

/** How harnesses say that there is no tool of that name, in lower case. */
const NO_SUCH =
  /\b(?:no such|unknown|unrecogni[sz]ed|undefined|non-?existent|invalid) (?:tool|function)\b|\b(?:tool|function)\b[^.\n]{0,80}?\b(?:(?:was|is) ?n[o'’]t (?:found|available|registered|defined|supported|known|a valid)|not found|does ?n[o'’]t exist|does not exist)\b/u;

function saysSo(plain: string): boolean {
  return (plain.includes("tool") || plain.includes("function")) && NO_SUCH.test(plain);
}

/** The agent called a tool that nobody offered. */
export const unknownTool: Detector = {
  kind: "unknown_tool",
  detector: "rule",
  summary:
    "A tool was called that was not offered, and it never worked. Low where the call's error or the missing answer counts already.",
  excusedWhenBlocked: true,
  excusedWhenPassed: true,
  detect(view) {
    if (view.calls.every(({ error, step }) => error === undefined && step.result !== undefined))
      return [];
    const candidates = view.calls.filter((call) => isUnknown(call, view));
    if (candidates.length === 0) return [];
    const worked = new Set(view.calls.filter((call) => call.worked).map((call) => call.tool));
    const unknown = candidates.filter((call) => !worked.has(call.tool));
    const last = new Map(unknown.map((call) => [call.tool, call]));
    return Array.from(last.values(), (call): Finding => ({
      severity: call.error === undefined && view.answered && !view.honest ? "medium" : "low",
      tool: call.tool,
      step: call.at,
      message: `${clip(call.tool, 100)} was called, and there is no such tool.`,
    }));
  },
};

/** The answer says so; or no answer came, and it is not among the tools that were offered. A call that was made good is none. */
function isUnknown(call: Call, { trace, recovered }: TraceView): boolean {
  if (call.error !== undefined)
    return (
      saysSo(call.error.message.toLowerCase()) && !runsPrograms(call.tool) && !recovered.has(call)
    );
  const offered = trace.tools ?? [];
  return (
    call.step.result === undefined &&
    trace.truncated === undefined &&
    offered.length > 0 &&
    !offered.includes(call.tool)
  );
}
