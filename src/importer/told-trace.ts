import type { Json, JsonObject } from "../shared/json.ts";
import type { Step } from "../trace/trace.ts";
import type { AnyTurn } from "./any-message.ts";
import { readConversation, type Turn } from "./conversation.ts";
import type { Draft, ImportedTrace } from "./importer.ts";
import { maybe } from "./member.ts";

/** A conversation with what its format knows beside it. */
export interface Told {
  readonly format: string;
  readonly turns: readonly AnyTurn[];
  readonly agent: string;
  /** What was asked; by default what the user said first. */
  readonly task?: Json | undefined;
  /** The answer; by default what the agent said last, when no call came after it. */
  readonly output?: Json | undefined;
  /** Why the record is not whole, though nothing went wrong: it goes on elsewhere, or waits for a person. */
  readonly truncated?: string | undefined;
  readonly meta?: JsonObject;
  /** More members of the trace; a status wins over the one that the turns give. */
  readonly more?: Partial<Draft>;
  readonly warnings?: readonly string[];
}

/** A conversation as a trace. A run with a call that was never answered, or without an answer, is incomplete. */
export function toldTrace(told: Told): ImportedTrace {
  const turns = told.turns.filter((turn): turn is Turn => turn.kind !== "system");
  const system = told.turns.flatMap((turn) => (turn.kind === "system" ? [turn.text] : []));
  const read = readConversation(turns);
  const output = told.output ?? read.output;
  const said: Step[] =
    read.output === undefined && output !== undefined
      ? [{ index: read.steps.length, kind: "output", content: output }]
      : [];
  const asked = told.task !== undefined && read.task === undefined;
  const steps: Step[] = [...read.steps, ...said];
  const meta = {
    ...maybe("system", system.length > 0 ? system.join("\n\n") : undefined),
    ...told.meta,
  };
  return {
    draft: {
      task: told.task ?? read.task ?? null,
      agent: told.agent,
      agentVersion: "0",
      source: told.format,
      status:
        read.whole && output !== undefined && told.truncated === undefined ? "ok" : "incomplete",
      steps: asked ? withInput(steps, told.task ?? null) : steps,
      ...maybe("output", output),
      ...maybe("truncated", told.truncated),
      ...maybe("meta", Object.keys(meta).length > 0 ? meta : undefined),
      ...told.more,
    },
    warnings: [
      ...(told.task === undefined && read.task === undefined
        ? ["no message is from the user"]
        : []),
      ...(told.warnings ?? []),
      ...read.warnings,
    ],
  };
}

/** The steps after one that says what was asked. */
function withInput(steps: readonly Step[], content: Json): Step[] {
  const moved = steps.map((step) => ({
    ...step,
    index: step.index + 1,
    ...(step.kind === "tool" && step.batch !== undefined ? { batch: step.batch + 1 } : {}),
  }));
  return [{ index: 0, kind: "input", content }, ...moved];
}
