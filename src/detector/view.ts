import { isObject, type Json } from "../shared/json.ts";
import type { Step, Trace } from "../trace/trace.ts";
import { callsOf, type Call } from "./calls.ts";
import { leavesOf } from "./leaves.ts";
import { recoveredOf } from "./recovery.ts";
import { softError } from "./soft-error.ts";
import { wordingOf, type Wording } from "./wording.ts";

export type { Call };

/** A trace with what more than one detector asks about it, worked out once. */
export interface TraceView {
  readonly trace: Trace;
  readonly calls: readonly Call[];
  /** The last output, or the trace's; a completion is answered by its `output`, else its `message`. */
  readonly answer: Json | undefined;
  /** Whether the agent said by its completion that it was blocked. */
  readonly blocked: boolean;
  /** Whether there is an answer with something in it. */
  readonly answered: boolean;
  /** Place of the last output step; missing when there is none. */
  readonly outputAt: number | undefined;
  /** Every text of the answer. */
  readonly text: string;
  readonly wording: Wording;
  /** Whether the answer reports a failure, refuses, or is a blocked completion: nothing is claimed that is not so. */
  readonly honest: boolean;
  /** Failed calls that did no harm. */
  readonly recovered: ReadonlySet<Call>;
  /** Failed calls that were not made good. */
  readonly lost: readonly Call[];
}

/** The view of a trace. Pure; takes time in proportion to the trace. What reads texts is worked out when it is asked for. */
export function view(trace: Trace): TraceView {
  return new View(trace);
}

class View implements TraceView {
  readonly trace: Trace;
  readonly calls: readonly Call[];
  readonly answer: Json | undefined;
  readonly blocked: boolean;
  readonly answered: boolean;
  readonly outputAt: number | undefined;
  readonly #message: string | undefined;
  #text: string | undefined;
  #wording: Wording | undefined;
  #honest: boolean | undefined;
  #recovered: ReadonlySet<Call> | undefined;
  #lost: readonly Call[] | undefined;

  constructor(trace: Trace) {
    this.trace = trace;
    this.calls = callsOf(trace);
    this.outputAt = lastPlaceOf(trace.steps, "output");
    const output =
      trace.output === undefined ? contentAt(trace.steps, this.outputAt) : trace.output;
    const completion = completionOf(output);
    this.answer = completion === undefined ? output : completion.answer;
    this.answered = this.answer !== undefined && !isBlank(this.answer);
    this.blocked = completion?.blocked ?? false;
    this.#message = completion?.message;
  }

  get text(): string {
    return (this.#text ??= textOf(this.answer, this.#message));
  }

  get wording(): Wording {
    return (this.#wording ??= wordingOf(this.text));
  }

  get honest(): boolean {
    return (this.#honest ??=
      this.blocked || this.wording.honest || this.wording.refuses || deniesInData(this.answer));
  }

  get recovered(): ReadonlySet<Call> {
    return (this.#recovered ??= recoveredOf(this.calls, {
      task: this.trace.task,
      answer: this.text,
      finished: this.answered && this.trace.status === "ok",
    }));
  }

  get lost(): readonly Call[] {
    return (this.#lost ??= this.calls.filter(
      (call) => call.error !== undefined && !this.recovered.has(call),
    ));
  }
}

/** Whether an output has nothing in it. */
export function isBlank(output: Json): boolean {
  if (typeof output === "string") return output.trim() === "";
  return output === null || (isObject(output) && output["$t"] === "undefined");
}

interface Completed {
  readonly blocked: boolean;
  readonly message: string;
  readonly answer: Json;
}

function completionOf(output: Json | undefined): Completed | undefined {
  if (!isObject(output)) return undefined;
  const { status, message } = output;
  if ((status !== "completed" && status !== "blocked") || typeof message !== "string")
    return undefined;
  return { blocked: status === "blocked", message, answer: output["output"] ?? message };
}

/** An answer as data that says no: `{ sent: false }`, `{ error: "..." }`. */
function deniesInData(answer: Json | undefined): boolean {
  if (!isObject(answer)) return false;
  const values = Object.values(answer);
  return (
    softError(answer, true) !== undefined || (values.includes(false) && !values.includes(true))
  );
}

function textOf(answer: Json | undefined, message: string | undefined): string {
  const texts = leavesOf(answer).map((leaf) => leaf.text);
  return (message === undefined || texts.includes(message) ? texts : [message, ...texts]).join(
    "\n",
  );
}

function lastPlaceOf(steps: readonly Step[], kind: Step["kind"]): number | undefined {
  const place = steps.findLastIndex((step) => step.kind === kind);
  return place < 0 ? undefined : place;
}

function contentAt(steps: readonly Step[], place: number | undefined): Json | undefined {
  const step = place === undefined ? undefined : steps[place];
  return step?.kind === "output" ? step.content : undefined;
}
