import type { AgentContext } from "../agent/agent.ts";
import { describeError, errorOf } from "../boundary/tool-error.ts";
import { decode } from "../shared/encode.ts";
import { canonical, type Json } from "../shared/json.ts";
import { clip, oneLine } from "../shared/text.ts";
import type { ToolResult, ToolStep, Trace } from "../trace/trace.ts";
import { asArguments } from "./arguments-object.ts";

/** Makes the calls of a recorded run, one after the other, and ends as it did. */
export type ScriptedAgent = (
  task: unknown,
  context: Pick<AgentContext, "call">,
) => Promise<unknown>;

/**
 * The recorded agent, scripted. It knows the recorded answers alone: at the first other one it stops, and says that it is
 * blocked. Calls that were never answered are left out.
 */
export function scriptedAgent(trace: Trace): ScriptedAgent {
  const calls = trace.steps.filter((step) => step.kind === "tool");
  return async (_task, { call }) => {
    for (const step of calls) {
      const { name, args, result } = step;
      if (result === undefined) continue;
      const told = await ask(call, { name, args });
      if (toldText(told) !== recordedText(result)) return stopped(step, told);
    }
    return endingOf(trace);
  };
}

/** What a recorded run ended with, as an agent returns it. */
export function endingOf({ status, output, steps }: Trace): unknown {
  const value = output === undefined ? undefined : decode(output);
  if (status === "ok")
    return value ?? { status: "completed", message: "The recorded run gave no output." };
  const thrown = steps.findLast((step) => step.kind === "error");
  const message =
    thrown?.error.message ?? `The recorded run ended with the status ${status}, without an error.`;
  return { status: "blocked", message, ...(output === undefined ? {} : { output }) };
}

async function ask(
  call: AgentContext["call"],
  { name, args }: Pick<ToolStep, "name" | "args">,
): Promise<ToolResult> {
  try {
    // What a world answers is JSON, in the form in which it was recorded.
    return { ok: true, data: (await call(name, decode(asArguments(args)) as object)) as Json };
  } catch (thrown) {
    return { ok: false, error: describeError(thrown) };
  }
}

function toldText(told: ToolResult): string {
  return told.ok
    ? textOf(true, told.data)
    : textOf(false, [told.error.code ?? null, told.error.message]);
}

/** The recorded answer, after the same way to the agent. */
function recordedText(result: ToolResult): string {
  return result.ok
    ? textOf(true, result.data)
    : toldText({ ok: false, error: describeError(errorOf(result.error)) });
}

function textOf(ok: boolean, value: Json): string {
  return `${String(ok)} ${canonical(value)}`;
}

function stopped({ name }: ToolStep, told: ToolResult): unknown {
  const tool = clip(oneLine(name), 60);
  const what = told.ok
    ? "another answer than the recorded one"
    : `the error ${clip(oneLine(`${told.error.code ?? told.error.name ?? ""} ${told.error.message}`.trim()), 200)}`;
  return {
    status: "blocked",
    message: `Stopped: ${tool} gave ${what}. It is unknown whether it took effect.`,
  };
}
