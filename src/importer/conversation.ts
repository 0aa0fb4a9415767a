import type { Json } from "../shared/json.ts";
import type { Step, ToolResult, ToolStep, Usage } from "../trace/trace.ts";
import { toolResultOf } from "./tool-result.ts";

/** One tool call of an assistant turn. */
export interface Call {
  readonly id?: string;
  readonly name: string;
  readonly args: Json;
}

export interface UserTurn {
  readonly kind: "user";
  readonly content: Json;
  readonly at?: number;
}

export interface AssistantTurn {
  readonly kind: "assistant";
  /** Missing when it said nothing. */
  readonly text?: Json;
  readonly reasoning?: string;
  readonly calls: readonly Call[];
  readonly model?: string;
  readonly usage?: Usage;
  readonly at?: number;
}

export interface ResultTurn {
  readonly kind: "result";
  /** Of the call. */
  readonly id?: string;
  readonly name?: string;
  readonly content: Json;
  /** The format itself marks it as an error. */
  readonly flagged?: boolean;
  /** How the format reads it, when it knows more than its content and flag. */
  readonly read?: (step: ToolStep) => ToolResult;
}

/** One part of a conversation, whatever the format calls it. */
export type Turn = UserTurn | AssistantTurn | ResultTurn;

export interface ConversationRead {
  readonly steps: Step[];
  /** The first thing that the user said. */
  readonly task?: Json;
  /** What the agent said last, when no tool call or result came after it. */
  readonly output?: Json;
  /** Whether every call was answered and every result had a call. */
  readonly whole: boolean;
  readonly warnings: readonly string[];
}

/** A call that waits for its result. */
interface Waiting {
  readonly step: ToolStep;
  readonly id?: string;
  readonly turn: number;
}

/** Turns as steps: one tool step per call with its result, and an output step at the end when there is an output. */
export function readConversation(turns: readonly Turn[]): ConversationRead {
  const builder = new StepBuilder();
  for (const turn of turns) {
    if (turn.kind === "user") builder.user(turn);
    else if (turn.kind === "assistant") builder.assistant(turn);
    else builder.result(turn);
  }
  const first = turns.find((turn) => turn.kind === "user");
  const output = outputOf(turns);
  if (output !== undefined) {
    builder.steps.push({ index: builder.steps.length, kind: "output", content: output });
  }
  const warnings = builder.warnings();
  return {
    steps: builder.steps,
    ...(first === undefined ? {} : { task: first.content }),
    ...(output === undefined ? {} : { output }),
    whole: warnings.length === 0,
    warnings,
  };
}

class StepBuilder {
  readonly steps: Step[] = [];
  readonly #waiting: Waiting[] = [];
  readonly #ids = new Set<string>();
  readonly #orphans: string[] = [];
  #turn = 0;
  #settled = 0;

  user(turn: UserTurn): void {
    this.steps.push({
      index: this.steps.length,
      kind: "input",
      content: turn.content,
      ...atOf(turn),
    });
  }

  assistant(turn: AssistantTurn): void {
    this.#turn += 1;
    if (turn.reasoning !== undefined && turn.reasoning !== "") {
      this.steps.push({
        index: this.steps.length,
        kind: "reasoning",
        content: turn.reasoning,
        ...atOf(turn),
      });
    }
    if (turn.text !== undefined) {
      this.steps.push({
        index: this.steps.length,
        kind: "model",
        ...(turn.model === undefined ? {} : { name: turn.model }),
        content: turn.text,
        ...(turn.usage === undefined ? {} : { usage: turn.usage }),
        ...atOf(turn),
      });
    }
    const batch = turn.calls.length > 1 ? { batch: this.steps.length } : {};
    for (const call of turn.calls) this.#call(call, batch, atOf(turn));
  }

  #call(call: Call, batch: { batch?: number }, at: { at?: number }): void {
    const fresh = call.id !== undefined && !this.#ids.has(call.id);
    const step: ToolStep = {
      index: this.steps.length,
      kind: "tool",
      ...(fresh ? { id: call.id } : {}),
      name: call.name,
      args: call.args,
      ...batch,
      ...at,
    };
    if (call.id !== undefined) this.#ids.add(call.id);
    this.steps.push(step);
    this.#waiting.push({
      step,
      ...(call.id === undefined ? {} : { id: call.id }),
      turn: this.#turn,
    });
  }

  result(turn: ResultTurn): void {
    const place = this.#placeFor(turn);
    const waiting = this.#waiting[place];
    if (waiting === undefined) {
      const name = turn.name ?? turn.id ?? "";
      this.#orphans.push(name);
      this.steps.push({
        index: this.steps.length,
        kind: "other",
        name: "tool_result",
        content: turn.content,
      });
      return;
    }
    waiting.step.result = turn.read?.(waiting.step) ?? toolResultOf(turn.content, turn.flagged);
    waiting.step.settled = this.#settled++;
    this.#waiting.splice(place, 1);
  }

  /** The call that a result belongs to: by id, else in order within the latest turn, else by name in an earlier one. */
  #placeFor(turn: ResultTurn): number {
    const byId = turn.id === undefined ? -1 : this.#waiting.findIndex(({ id }) => id === turn.id);
    if (byId >= 0) return byId;
    // A result whose id no call has can only belong to a call without one.
    const free = ({ id }: Waiting): boolean => turn.id === undefined || id === undefined;
    const latest = (waiting: Waiting): boolean => waiting.turn === this.#turn && free(waiting);
    const named = ({ step }: Waiting): boolean =>
      turn.name === undefined || step.name === turn.name;
    const inTurn = this.#waiting.findIndex((waiting) => latest(waiting) && named(waiting));
    if (inTurn >= 0) return inTurn;
    const anyInTurn = this.#waiting.findIndex(latest);
    if (anyInTurn >= 0) return anyInTurn;
    return turn.name === undefined
      ? -1
      : this.#waiting.findIndex((waiting) => free(waiting) && named(waiting));
  }

  warnings(): string[] {
    return [
      ...this.#orphans.map(
        (name) => `a tool result belongs to no call${name === "" ? "" : `: ${name}`}`,
      ),
      ...this.#waiting.map(
        ({ step }) => `the call of ${step.name} at step ${step.index} was never answered`,
      ),
    ];
  }
}

/** The last thing that the assistant said, unless it ended with a tool call or a tool result. */
function outputOf(turns: readonly Turn[]): Json | undefined {
  for (let i = turns.length - 1; i >= 0; i--) {
    const turn = turns[i];
    if (turn === undefined || turn.kind === "user") continue;
    if (turn.kind === "result" || turn.calls.length > 0) return undefined;
    if (turn.text !== undefined) return turn.text;
  }
  return undefined;
}

function atOf(turn: { readonly at?: number }): { at?: number } {
  return turn.at === undefined ? {} : { at: turn.at };
}
