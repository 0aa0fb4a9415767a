import { canonical, type Json } from "../shared/json.ts";
import type { ToolStep } from "../trace/trace.ts";
import { together, type AnyTurn } from "./any-message.ts";
import type { AssistantTurn, Call, ResultTurn } from "./conversation.ts";
import { maybe } from "./member.ts";
import { between } from "./instant.ts";
import type { Span } from "./span.ts";
import { StepList } from "./step-list.ts";
import { answerIn } from "./span-answer.ts";
import { toolResultOf } from "./tool-result.ts";

interface Waiting {
  readonly step: ToolStep;
  readonly id?: string | undefined;
}

/**
 * One story out of model calls, each of which tells the whole conversation again, and tool spans, which tell the calls that the
 * models asked for once more: what is known already is not told twice.
 */
export class SpanStory {
  readonly list = new StepList();
  readonly system: string[] = [];
  readonly #waiting: Waiting[] = [];
  readonly #calls = new Map<string, number>();
  readonly #said = new Map<string, number>();

  /** What the user asked, before any span. */
  asks(content: Json, at: number | undefined): void {
    this.#said.set(saidKey("user", content), 1);
    this.list.input(content, at);
  }

  /** The messages that a model call was given; `alone`: it stands in no agent's run, so that its question is the user's. */
  given(turns: readonly AnyTurn[], alone: boolean): void {
    const counts = new Map<string, number>();
    let known = this.list.steps.length === 0 || alone;
    for (const turn of turns) {
      if (turn.kind === "system") this.#systems(turn.text);
      else if (turn.kind === "result") this.#result(turn);
      else if (turn.kind === "user") {
        // Some exporters tell tool results again under another role.
        if (this.#said.has(saidKey("result", turn.content))) continue;
        const fresh = this.#isNew(saidKey("user", turn.content), counts);
        if (fresh && known) this.list.input(turn.content, turn.at);
        if (!fresh) known = true;
      } else {
        if (this.#assistant(turn, counts)) known = true;
      }
    }
  }

  /** What a model call answered. */
  answered(turns: readonly AnyTurn[], span: Span): void {
    const counts = new Map(this.#said);
    for (const turn of turns) if (turn.kind === "result") this.#result(turn);
    for (const turn of together(turns)) {
      if (turn.kind !== "assistant") continue;
      const model = turn.model ?? span.model;
      const usage = turn.usage ?? span.usage;
      const at = turn.at ?? span.start;
      this.#assistant(
        { ...turn, ...maybe("model", model), ...maybe("usage", usage), ...maybe("at", at) },
        counts,
      );
    }
  }

  /** A tool span: the result of a call that a model asked for, or a call of its own. */
  tool(span: Span, args: Json): void {
    const { name, callId } = span;
    const place = this.#placeOf({ id: callId, name, args });
    const known = this.#waiting[place];
    const step = known?.step ?? this.list.tool({ name, args, id: callId });
    if (known === undefined) this.#know({ name, args, ...maybe("id", callId) });
    else if (canonical(step.args) === "{}") step.args = args;
    if (step.at === undefined && span.start !== undefined) step.at = span.start;
    const ms = between(span.start, span.end);
    if (ms !== undefined) step.durationMs = ms;
    if (span.error !== undefined) {
      const data = span.output === undefined ? {} : { data: span.output };
      this.list.answer(step, { ok: false, error: { ...span.error, source: "flag" }, ...data });
    } else if (span.output === undefined) {
      if (known === undefined) this.#waiting.push({ step, id: callId });
      return;
    } else {
      const { content, flagged } = answerIn(span.output);
      this.#said.set(saidKey("result", content), 1);
      this.list.answer(step, toolResultOf(content, flagged));
    }
    if (known !== undefined) this.#waiting.splice(place, 1);
  }

  #systems(text: string): void {
    if (!this.system.includes(text)) this.system.push(text);
  }

  /** Whether something of it was known before. */
  #assistant(turn: AssistantTurn, counts: Map<string, number>): boolean {
    let known = false;
    const { text, reasoning, at } = turn;
    const fresh = text !== undefined && this.#isNew(saidKey("assistant", text), counts);
    if (text !== undefined && !fresh) known = true;
    const calls = turn.calls.filter((call) => !this.#isKnown(call, counts));
    if (calls.length < turn.calls.length) known = true;
    if (!known || fresh || calls.length > 0) this.list.reasoning(reasoning, at);
    if (fresh) {
      this.list.model(text, {
        ...maybe("name", turn.model),
        ...maybe("usage", turn.usage),
        ...maybe("at", at),
      });
    }
    const batch = calls.length > 1 ? this.list.steps.length : undefined;
    for (const call of calls) {
      this.#know(call);
      const step = this.list.tool({ ...call, at, batch });
      this.#waiting.push({ step, id: call.id });
    }
    return known;
  }

  /** How often a text was said is what tells a new one from one that is told again. */
  #isNew(key: string, counts: Map<string, number>): boolean {
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    if (count <= (this.#said.get(key) ?? 0)) return false;
    this.#said.set(key, count);
    return true;
  }

  #isKnown(call: Call, counts: Map<string, number>): boolean {
    const key = callKey(call);
    if (call.id !== undefined) return this.#calls.has(key);
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return count <= (this.#calls.get(key) ?? 0);
  }

  #know(call: Call): void {
    for (const key of [callKey(call), callKey({ ...call, id: undefined })]) {
      this.#calls.set(key, (this.#calls.get(key) ?? 0) + 1);
    }
  }

  #result(turn: ResultTurn): void {
    const place = this.#placeOf({ id: turn.id, name: turn.name });
    const waiting = this.#waiting[place];
    if (waiting === undefined) {
      if (turn.id !== undefined && this.#calls.has(callKey({ id: turn.id, name: "", args: null })))
        return;
      const key = saidKey("result", turn.content);
      if (this.#said.has(key) || turn.id === undefined) return;
      this.#said.set(key, 1);
      this.list.other("tool_result", turn.content);
      return;
    }
    this.#said.set(saidKey("result", turn.content), 1);
    this.list.answer(waiting.step, toolResultOf(turn.content, turn.flagged));
    this.#waiting.splice(place, 1);
  }

  /** The waiting call: by id, else by name and arguments, else by name, else, when nothing is named, the first. */
  #placeOf(call: { id?: string | undefined; name?: string | undefined; args?: Json }): number {
    const byId = call.id === undefined ? -1 : this.#waiting.findIndex(({ id }) => id === call.id);
    if (byId >= 0) return byId;
    const free = ({ id }: Waiting): boolean =>
      call.id === undefined || id === undefined || call.args !== undefined;
    const named = (waiting: Waiting): boolean =>
      free(waiting) && (call.name === undefined || waiting.step.name === call.name);
    const args = call.args === undefined ? undefined : canonical(call.args);
    const exact =
      args === undefined
        ? -1
        : this.#waiting.findIndex(
            (waiting) => named(waiting) && canonical(waiting.step.args) === args,
          );
    return exact >= 0 ? exact : this.#waiting.findIndex((waiting) => named(waiting));
  }
}

function callKey(call: { id?: string | undefined; name: string; args: Json }): string {
  return call.id === undefined ? `call ${call.name} ${canonical(call.args)}` : `id ${call.id}`;
}

function saidKey(who: string, content: Json): string {
  return `${who} ${typeof content === "string" ? content.replace(/\s+/g, " ").trim() : canonical(content)}`;
}
