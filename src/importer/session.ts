import { same, type Json } from "../shared/json.ts";
import type { Step, ToolResult, ToolStep, TraceError, TraceStatus, Usage } from "../trace/trace.ts";
import { totalUsage } from "../trace/usage.ts";
import { maybe } from "./member.ts";
import { StepList } from "./step-list.ts";

/** Calls that are looked through for one; a file may hold any number of them. */
const MOST = 100;

/** A call as the lines of a session tell it. */
interface SessionCall {
  readonly id?: string | undefined;
  readonly name: string;
  readonly args: Json;
  readonly at?: number | undefined;
  /** Calls of one reply were under way together; by default those with nothing between them. */
  readonly group?: string | undefined;
}

/** An answer as the lines of a session tell it. */
interface SessionAnswer {
  /** Of the call; by default the first that waits, of this name when it is given. */
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly content: Json;
  readonly result: (step: ToolStep) => ToolResult;
}

/** How a session ended. */
interface SessionEnd {
  readonly steps: Step[];
  readonly task?: Json;
  readonly output?: Json;
  readonly status: TraceStatus;
  readonly startedAt?: number;
  readonly endedAt?: number;
  readonly usage?: Usage;
  readonly warnings: string[];
}

/** The steps of a session, out of lines that come one by one. */
export class Session {
  readonly list = new StepList();
  task: Json | undefined;
  #said: Json | undefined;
  #broken: { error: TraceError; timeout: boolean } | undefined;
  #stopped = false;
  #burst = 0;
  #start: number | undefined;
  #end: number | undefined;
  readonly #groups = new Map<string, ToolStep>();
  readonly #waiting = new Set<ToolStep>();
  readonly #byId = new Map<string, ToolStep[]>();
  readonly #answers = new Map<string, Json>();
  readonly #usages = new Map<string, Usage>();
  readonly #orphans: string[] = [];

  /** What the user asked. */
  asked(content: Json, at?: number): void {
    this.#goesOn();
    this.task ??= content;
    this.#stopped = false;
    this.list.input(content, at);
    this.seen(at);
  }

  thought(content: Json | undefined, at?: number): void {
    if (content !== undefined) this.#goesOn();
    this.list.reasoning(content, at);
    this.seen(at);
  }

  /** What the agent said; the last words after the last tool call are its output. */
  said(content: Json, more: { name?: string; usage?: Usage; at?: number } = {}): void {
    this.#goesOn();
    this.#stopped = false;
    this.#said = content;
    this.list.model(content, more);
    this.seen(more.at);
  }

  /** A call; one that is told again, as streams do, is the same. */
  called(call: SessionCall): void {
    const again = call.id === undefined ? undefined : this.#sameCall(call);
    if (again !== undefined) {
      if (isEmpty(again.args)) again.args = call.args;
      return;
    }
    const group = call.group ?? `burst ${this.#burst}`;
    this.#goesOn(false);
    this.#said = undefined;
    this.#stopped = false;
    const first = this.#groups.get(group);
    if (first !== undefined) first.batch = first.index;
    const { id, name, args, at } = call;
    const step = this.list.tool({ id, name, args, at, batch: first?.index });
    if (first === undefined) this.#groups.set(group, step);
    this.#waiting.add(step);
    if (id !== undefined) this.#byId.set(id, [...(this.#byId.get(id) ?? []), step].slice(-MOST));
    this.seen(at);
  }

  /** The answer of a call; one that is told again is left out, and one that belongs to no call is kept apart. */
  answered(answer: SessionAnswer, at?: number): void {
    this.#goesOn();
    this.seen(at);
    const step = this.#waitingFor(answer);
    if (step !== undefined) {
      this.list.answer(step, answer.result(step));
      this.#waiting.delete(step);
      this.#said = undefined;
    } else if (answer.id === undefined || !same(this.#answers.get(answer.id), answer.content)) {
      this.#orphans.push(answer.name ?? answer.id ?? "");
      this.list.other("tool_result", answer.content);
    }
    if (answer.id !== undefined) this.#answers.set(answer.id, answer.content);
  }

  /** Something beside the conversation. */
  noted(name: string, content: Json): void {
    this.list.other(name, content);
  }

  /** The run broke here, unless something comes after it. */
  broke(error: TraceError, timeout = false): void {
    this.#goesOn();
    this.#broken = { error, timeout };
  }

  /** Somebody stopped the run here, or it waits for somebody, unless something comes after it. */
  stopped(): void {
    this.#stopped = true;
  }

  /** Tokens of one reply; those of a reply that is told again replace the ones before. */
  used(reply: string, usage: Usage | undefined): void {
    if (usage !== undefined) this.#usages.set(reply, usage);
  }

  /** A moment of the session. */
  seen(at: number | undefined): void {
    if (at === undefined) return;
    if (this.#start === undefined || at < this.#start) this.#start = at;
    if (this.#end === undefined || at > this.#end) this.#end = at;
  }

  /** Whether the agent did or said anything, or broke. */
  get begun(): boolean {
    return (
      this.#broken !== undefined ||
      this.list.steps.some(({ kind }) => kind === "input" || kind === "model" || kind === "tool")
    );
  }

  /** Closes the session; `words` stand for the last words when there were none. */
  end(words?: Json): SessionEnd {
    const said = this.#broken === undefined ? (this.#said ?? words) : undefined;
    if (said !== undefined) this.list.output(said);
    if (this.#broken !== undefined) this.list.error(this.#broken.error);
    const unanswered = this.list.unanswered();
    const whole = said !== undefined && unanswered.length === 0 && !this.#stopped;
    const broken = this.#broken?.timeout === true ? "timeout" : "error";
    return {
      steps: this.list.steps,
      ...maybe("task", this.task),
      ...maybe("output", said),
      status: this.#broken === undefined ? (whole ? "ok" : "incomplete") : broken,
      ...maybe("startedAt", this.#start),
      ...maybe("endedAt", this.#end),
      ...maybe(
        "usage",
        [...this.#usages.values()].reduce<Usage | undefined>(totalUsage, undefined),
      ),
      warnings: [
        ...this.#orphans.map(
          (name) => `a tool result belongs to no call${name === "" ? "" : `: ${name}`}`,
        ),
        ...unanswered,
      ],
    };
  }

  #goesOn(burst = true): void {
    if (burst) this.#burst += 1;
    if (this.#broken === undefined) return;
    this.list.other("error", { ...this.#broken.error } as Json);
    this.#broken = undefined;
  }

  #sameCall({ id, name, args }: SessionCall): ToolStep | undefined {
    const calls = id === undefined ? [] : (this.#byId.get(id) ?? []);
    return calls.find(
      (step) =>
        this.#waiting.has(step) &&
        step.name === name &&
        (isEmpty(step.args) || isEmpty(args) || same(step.args, args)),
    );
  }

  #waitingFor({ id, name }: SessionAnswer): ToolStep | undefined {
    if (id !== undefined) return this.#byId.get(id)?.find((step) => this.#waiting.has(step));
    let looked = 0;
    for (const step of this.#waiting) {
      if (name === undefined || step.name === name) return step;
      looked += 1;
      if (looked === MOST) break;
    }
    return undefined;
  }
}

function isEmpty(args: Json): boolean {
  return typeof args === "object" && args !== null && Object.keys(args).length === 0;
}
