import type { Json } from "../shared/json.ts";
import type { Step, ToolResult, ToolStep, TraceError, Usage } from "../trace/trace.ts";
import { checkSteps } from "./finish.ts";
import { maybe } from "./member.ts";

/** A call as a format tells it. */
export interface CallStep {
  readonly name: string;
  readonly args: Json;
  readonly id?: string | undefined;
  readonly at?: number | undefined;
  readonly durationMs?: number | undefined;
  readonly batch?: number | undefined;
  readonly result?: ToolResult | undefined;
}

/** Steps of a trace while an importer collects them: counted, with ids that are unique. Throws when there are too many. */
export class StepList {
  readonly steps: Step[] = [];
  readonly #ids = new Set<string>();
  #settled = 0;

  input(content: Json, at?: number): void {
    this.#push({ index: this.steps.length, kind: "input", content, ...maybe("at", at) });
  }

  /** An empty thought is none. */
  reasoning(content: Json | undefined, at?: number): void {
    if (content === undefined || (typeof content === "string" && content.trim() === "")) return;
    this.#push({ index: this.steps.length, kind: "reasoning", content, ...maybe("at", at) });
  }

  model(content: Json, more: { name?: string; usage?: Usage; at?: number } = {}): void {
    this.#push({ index: this.steps.length, kind: "model", content, ...more });
  }

  tool(call: CallStep): ToolStep {
    const fresh = call.id !== undefined && call.id !== "" && !this.#ids.has(call.id);
    if (call.id !== undefined) this.#ids.add(call.id);
    const step: ToolStep = {
      index: this.steps.length,
      kind: "tool",
      ...(fresh ? maybe("id", call.id) : {}),
      name: call.name,
      args: call.args,
      ...maybe("at", call.at),
      ...maybe("durationMs", call.durationMs),
      ...maybe("batch", call.batch),
    };
    this.#push(step);
    if (call.result !== undefined) this.answer(step, call.result);
    return step;
  }

  #push(step: Step): void {
    this.steps.push(step);
    checkSteps(this.steps.length);
  }

  /** Gives a call its result. */
  answer(step: ToolStep, result: ToolResult): void {
    step.result = result;
    step.settled = this.#settled++;
  }

  output(content: Json): void {
    this.#push({ index: this.steps.length, kind: "output", content });
  }

  error(error: TraceError): void {
    this.#push({ index: this.steps.length, kind: "error", error });
  }

  other(name: string, content: Json): void {
    this.#push({ index: this.steps.length, kind: "other", name, content });
  }

  /** Takes the last step away when it is a call of this kind: some calls are the way to give the answer. */
  takeLast(is: (step: ToolStep) => boolean): ToolStep | undefined {
    const last = this.steps.at(-1);
    if (last?.kind !== "tool" || !is(last)) return undefined;
    this.steps.pop();
    return last;
  }

  /** A warning for each call that has no result. */
  unanswered(): string[] {
    return this.steps.flatMap((step) =>
      step.kind === "tool" && step.result === undefined
        ? [`the call of ${step.name} at step ${step.index} was never answered`]
        : [],
    );
  }
}
