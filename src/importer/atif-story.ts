import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import type { Step, ToolStep } from "../trace/trace.ts";
import { argumentsOf, contentOf, isWrapper, usageOf } from "./content.ts";
import { between, epochMs } from "./instant.ts";
import { maybe, objectIn, objectsIn, own, textIn } from "./member.ts";
import { StepList } from "./step-list.ts";
import { parsedText, toolResultOf } from "./tool-result.ts";

/** Calls by which an agent says that it is done. */
const FINISHING = new Set([
  "finish",
  "submit",
  "mark_task_complete",
  "task_complete",
  "final_answer",
]);
/** Members of such a call in which the answer stands. */
const ANSWERS = ["message", "answer", "summary", "result"];
/** The terminal of agents that write their commands into the message. */
const TERMINAL = "terminal";

/** The steps of a trajectory while they are read. */
export class AtifStory {
  readonly list = new StepList();
  readonly system: string[] = [];
  /** References to sub-agents. */
  readonly refs: JsonObject[] = [];
  #task: { content: Json; copied: boolean } | undefined;
  #last: { text: Json | undefined; done: boolean; answer: Json | undefined } | undefined;
  #from: number | undefined;
  #to: number | undefined;

  /** What the user asked first, in words that were not copied from another trajectory, if there are such. */
  get task(): Json | undefined {
    return this.#task?.content;
  }

  add(step: JsonObject): void {
    const at = epochMs(own(step, "timestamp"));
    this.#from ??= at;
    this.#to = at ?? this.#to;
    const source = textIn(step, "source");
    const content = contentOf(own(step, "message"));
    if (source === "user") this.#user(content, own(step, "is_copied_context") === true, at);
    else if (source === "system") {
      if (typeof content === "string" && content !== "") this.system.push(content);
      this.#refsIn(step);
    } else if (own(step, "is_copied_context") === true) this.#copied(step, content);
    else this.#agent(step, content, at);
  }

  times(): { startedAt?: number; endedAt?: number; durationMs?: number } {
    return {
      ...maybe("startedAt", this.#from),
      ...maybe("endedAt", this.#to),
      ...maybe("durationMs", between(this.#from, this.#to)),
    };
  }

  /** What the agent said last with no call, or when it said that it was done. */
  output(): Json | undefined {
    if (this.#last === undefined) return undefined;
    const { text, done, answer } = this.#last;
    return done ? (answer ?? text) : undefined;
  }

  #user(content: Json, copied: boolean, at: number | undefined): void {
    if (isWrapper(content)) return;
    this.list.input(content, at);
    if (this.#task === undefined || (this.#task.copied && !copied && !this.#acted())) {
      this.#task = { content, copied };
    }
  }

  #acted(): boolean {
    return this.list.steps.some(({ kind }: Step) => kind === "model" || kind === "tool");
  }

  /** What another agent did before, told to this one. */
  #copied(step: JsonObject, content: Json): void {
    const calls = objectsIn(step, "tool_calls");
    const told = {
      message: content,
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
      ...maybe("observation", own(step, "observation")),
    };
    this.list.other("copied_context", told);
  }

  #agent(step: JsonObject, content: Json, at: number | undefined): void {
    this.list.reasoning(own(step, "reasoning_content") ?? undefined, at);
    const calls = objectsIn(step, "tool_calls");
    const plan = calls.length === 0 ? planIn(content) : undefined;
    if (plan !== undefined) {
      this.#plan(plan, step, at);
      return;
    }
    if (content !== "") {
      const usage = usageOf(own(step, "metrics"));
      const name = textIn(step, "model_name");
      this.list.model(content, {
        ...maybe("name", name),
        ...maybe("usage", usage),
        ...maybe("at", at),
      });
    }
    const results = this.#refsIn(step);
    const finishing = calls.find((call) => FINISHING.has(textIn(call, "function_name") ?? ""));
    const kept = calls.filter((call) => call !== finishing);
    const batch = kept.length > 1 ? this.list.steps.length : undefined;
    const steps = kept.map((call) => this.list.tool({ ...callOf(call), at, batch }));
    const mine =
      finishing === undefined
        ? results
        : results.filter(
            (result) => textIn(result, "source_call_id") !== textIn(finishing, "tool_call_id"),
          );
    if (kept.length > 0) this.#join(steps, kept, mine);
    else if (calls.length === 0) this.#observed(mine);
    const args = finishing === undefined ? {} : argumentsOf(own(finishing, "arguments"));
    const answer = isObject(args)
      ? ANSWERS.map((key) => own(args, key)).find((value) => value !== undefined)
      : undefined;
    const quiet = calls.length === 0 && results.length === 0;
    this.#last = {
      text: content === "" ? undefined : content,
      done: finishing !== undefined || quiet,
      answer,
    };
  }

  /** Commands that stand as JSON in the message. */
  #plan(plan: JsonObject, step: JsonObject, at: number | undefined): void {
    const thoughts = ["analysis", "plan", "explanation"].flatMap((key) => textIn(plan, key) ?? []);
    const commands = objectsIn(plan, "commands");
    const results = this.#refsIn(step);
    const done = own(plan, "task_complete") === true || own(plan, "is_task_complete") === true;
    const text = thoughts.join("\n");
    if (done && text !== "") this.list.model(text, maybe("at", at));
    else this.list.reasoning(text, at);
    if (commands.length > 0) {
      const call = this.list.tool({ name: TERMINAL, args: { commands }, at });
      const contents = results.map((result) => contentOf(own(result, "content")));
      if (results.length > 0)
        this.list.answer(
          call,
          toolResultOf(contents.length === 1 ? (contents[0] ?? "") : contents),
        );
    } else if (!done) this.#observed(results);
    this.#last = { text: text === "" ? undefined : text, done, answer: undefined };
  }

  /** Results by the id of their call, the others in order; one without content is none. */
  #join(
    steps: readonly ToolStep[],
    calls: readonly JsonObject[],
    results: readonly JsonObject[],
  ): void {
    const ids = calls.map((call) => textIn(call, "tool_call_id"));
    const free = new Set(steps.keys());
    const later: JsonObject[] = [];
    for (const result of results) {
      const id = textIn(result, "source_call_id");
      const place = id === undefined ? -1 : ids.findIndex((one, at) => one === id && free.has(at));
      if (place < 0) later.push(result);
      else this.#answer(steps, free, place, result);
    }
    for (const result of later) {
      const [place] = free;
      if (place === undefined) this.#observed([result]);
      else this.#answer(steps, free, place, result);
    }
  }

  // oxlint-disable-next-line max-params -- a place among steps of which some are free
  #answer(steps: readonly ToolStep[], free: Set<number>, place: number, result: JsonObject): void {
    free.delete(place);
    const step = steps[place];
    const content = own(result, "content");
    if (step === undefined || content === undefined || content === null) return;
    this.list.answer(step, toolResultOf(contentOf(content)));
  }

  #observed(results: readonly JsonObject[]): void {
    for (const result of results) {
      const content = own(result, "content");
      if (content !== undefined && content !== null)
        this.list.other("observation", contentOf(content));
    }
  }

  /** The results of a step; references to sub-agents are put aside. */
  #refsIn(step: JsonObject): JsonObject[] {
    const results = objectsIn(objectIn(step, "observation"), "results");
    for (const result of results) this.refs.push(...objectsIn(result, "subagent_trajectory_ref"));
    return results;
  }
}

function callOf(call: JsonObject): { name: string; args: Json; id: string | undefined } {
  return {
    name: textIn(call, "function_name") ?? "unknown",
    args: argumentsOf(own(call, "arguments")),
    id: textIn(call, "tool_call_id"),
  };
}

/** A message that is nothing but JSON with commands. */
function planIn(content: Json): JsonObject | undefined {
  const value = typeof content === "string" ? parsedText(content) : content;
  return isObject(value) && Array.isArray(own(value, "commands")) ? value : undefined;
}
