import { monotonic, now } from "../shared/clock.ts";
import { isObject, type Json } from "../shared/json.ts";
import type { Redactor } from "../shared/redact.ts";
import { redactChunks } from "./chunks.ts";
import { growingOf, type Growing } from "./growing.ts";
import { isPromiseLike } from "./promise-like.ts";
import { describeError } from "./trace-error.ts";
import type { StepMore, Writer } from "./sink.ts";
import type { Step, ToolResult, ToolStep, TraceError } from "./trace.ts";

/** What a recorder reads of a tool call. */
interface RecordedCall {
  readonly id: string;
  readonly tool: string;
  readonly args: Json;
  readonly params?: readonly string[];
  readonly write?: boolean;
}

type Answered = ToolResult | Promise<ToolResult>;
/** A layer of the boundary, as far as a recorder knows it. */
export type RecordLayer = <C extends RecordedCall>(
  call: C,
  next: (call: C) => Answered,
) => Answered;

/**
 * Says that all answers come from a file in which the redactor's rules find nothing, and which calls have arguments that
 * stand there, too: these are kept as they are until the redactor has learnt a secret.
 */
export interface CheckedCalls {
  isChecked(call: RecordedCall): boolean;
}

/** Calls that were invoked before any of them was answered. */
interface Group {
  readonly first: ToolStep;
  size: number;
}

/** One call under way. */
interface Pending {
  readonly step: ToolStep;
  readonly group: Group;
  readonly started: number;
  growing?: Growing;
}

interface CallLogParts {
  readonly steps: Step[];
  readonly redactor: Redactor;
  readonly writer: Writer;
  /** Whether the trace is finished: nothing changes it any more. */
  readonly ended: () => boolean;
}

/** The tool steps of one trace: places by invocation, groups and the order of the answers. */
export class CallLog {
  readonly #parts: CallLogParts;
  readonly #growing = new Set<Pending>();
  #checked: CheckedCalls | undefined;
  #group: Group | undefined;
  #settled = 0;

  constructor(parts: CallLogParts) {
    this.#parts = parts;
  }

  layer(checked?: CheckedCalls): RecordLayer {
    this.#checked = checked;
    return (call, next) => {
      const pending = this.#begin(call);
      let answered: Answered;
      try {
        answered = next(call);
      } catch (thrown) {
        this.#settle(pending, { ok: false, error: describeError(thrown) }, true);
        throw thrown;
      }
      if (!isPromiseLike(answered)) {
        this.#settle(pending, answered, true);
        return answered;
      }
      return answered.then(
        (result) => {
          this.#settle(pending, result, false);
          return result;
        },
        (thrown: unknown) => {
          this.#settle(pending, { ok: false, error: describeError(thrown) }, false);
          throw thrown;
        },
      );
    };
  }

  /** Keeps what was read of streams that did not end. */
  flush(): void {
    for (const pending of this.#growing) this.#whole(pending, pending.growing?.soFar());
  }

  #begin(call: RecordedCall): Pending | undefined {
    const { steps, redactor, writer, ended } = this.#parts;
    if (ended()) return undefined;
    const step: ToolStep = {
      kind: "tool",
      index: steps.length,
      at: now(),
      id: call.id,
      name: redactor.text(call.tool),
      args: this.#isClean(call) ? call.args : redactor.value(call.args),
    };
    if (call.params !== undefined) step.params = [...call.params];
    if (call.write !== undefined) step.write = call.write;
    steps.push(step);
    const group = this.#join(step);
    writer.step(step);
    return { step, group, started: monotonic() };
  }

  #isClean(call: RecordedCall): boolean {
    return this.#checked?.isChecked(call) === true && !this.#parts.redactor.hasLearnt();
  }

  /** A call that begins before any call of the group was answered belongs to it. */
  #join(step: ToolStep): Group {
    const open = this.#group;
    if (open === undefined) return (this.#group = { first: step, size: 1 });
    open.size += 1;
    step.batch = open.first.index;
    if (open.size === 2) {
      const { index } = open.first;
      this.#more(open.first, { index, batch: index });
    }
    return open;
  }

  #settle(pending: Pending | undefined, result: ToolResult, sync: boolean): void {
    if (pending === undefined || this.#parts.ended()) return;
    const { step, group } = pending;
    if (this.#group === group) this.#group = undefined;
    const answer: StepMore = { index: step.index, settled: this.#settled++ };
    if (sync) answer.sync = true;
    const growing = growingOf(result);
    if (growing === undefined) {
      this.#more(step, this.#answered(answer, pending, result));
      return;
    }
    pending.growing = growing;
    this.#growing.add(pending);
    this.#more(step, answer);
    growing.onEnd((whole) => this.#whole(pending, whole));
  }

  #whole(pending: Pending, result: ToolResult | undefined): void {
    if (!this.#growing.delete(pending) || result === undefined || this.#parts.ended()) return;
    const { step } = pending;
    this.#more(step, this.#answered({ index: step.index }, pending, result));
  }

  #more(step: ToolStep, more: StepMore): void {
    Object.assign(step, more);
    this.#parts.writer.more(more);
  }

  #answered(more: StepMore, pending: Pending, result: ToolResult): StepMore {
    more.result = this.#redacted(result);
    more.durationMs = Math.max(0, monotonic() - pending.started);
    return more;
  }

  #redacted(result: ToolResult): ToolResult {
    if (this.#checked !== undefined && !this.#parts.redactor.hasLearnt()) return { ...result };
    if (result.ok) return { ok: true, data: this.#data(result.data) };
    const error = redactedError(result.error, this.#parts.redactor);
    return {
      ok: false,
      error,
      ...(result.data === undefined ? {} : { data: this.#data(result.data) }),
    };
  }

  #data(data: Json): Json {
    const { redactor } = this.#parts;
    if (isObject(data) && data["$t"] === "stream" && Array.isArray(data["v"])) {
      return { ...data, v: redactChunks(data["v"], redactor) };
    }
    return redactor.value(data);
  }
}

/** An error with every text of it redacted. */
export function redactedError(error: TraceError, redactor: Redactor): TraceError {
  const { name, code, message, data } = error;
  const redacted: TraceError = { ...error, message: redactor.text(message) };
  if (name !== undefined) redacted.name = redactor.text(name);
  if (typeof code === "string") redacted.code = redactor.text(code);
  if (data !== undefined) redacted.data = redactor.value(data);
  return redacted;
}
