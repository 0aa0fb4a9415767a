import type { Json, JsonObject } from "../shared/json.ts";
import type { ToolStep, Usage } from "../trace/trace.ts";
import { callFrom, contentOf, usageOf } from "./content.ts";
import { epochMs } from "./instant.ts";
import { maybe, objectIn, objectsIn, own, textIn } from "./member.ts";
import { StepList } from "./step-list.ts";
import { parsedText, toolResultOf } from "./tool-result.ts";

/** Signs by which a simulated user, or an agent without one, ends a conversation. */
const SIGNS = /###(?:STOP|TRANSFER|OUT-OF-SCOPE)###/g;

/** A conversation of tau2-bench, in which the simulated user has tools too. */
export class Talk {
  readonly list = new StepList();
  task: Json | undefined;
  #said: Json | undefined;
  readonly #calls = new Map<string, ToolStep>();
  /** Names of the calls that the user made, by id. */
  readonly #users = new Map<string, string>();
  #input = 0;
  #output = 0;

  add(message: JsonObject): void {
    const role = own(message, "role");
    if (role === "user") this.#user(message);
    else if (role === "assistant") this.#assistant(message);
    else if (role === "tool") {
      const several = objectsIn(message, "tool_messages");
      for (const result of several.length > 0 ? several : [message]) this.#result(result);
    }
  }

  /** What the agent said last, unless a call came after it. */
  output(): Json | undefined {
    return this.#said;
  }

  usage(): Usage | undefined {
    if (this.#input === 0 && this.#output === 0) return undefined;
    return { inputTokens: this.#input, outputTokens: this.#output };
  }

  #user(message: JsonObject): void {
    const said = spoken(message);
    if (said !== undefined) {
      this.task ??= said;
      this.list.input(said, epochMs(own(message, "timestamp")));
    }
    for (const call of objectsIn(message, "tool_calls")) {
      const { id, name, args } = callOf(call);
      if (id !== undefined) this.#users.set(id, name);
      this.list.other("user_call", { name, args });
    }
  }

  #assistant(message: JsonObject): void {
    const at = epochMs(own(message, "timestamp"));
    const usage = usageOf(own(message, "usage"));
    this.#input += usage?.inputTokens ?? 0;
    this.#output += usage?.outputTokens ?? 0;
    this.list.reasoning(textIn(message, "reasoning"), at);
    const said = spoken(message);
    if (said !== undefined) this.list.model(said, { ...maybe("usage", usage), ...maybe("at", at) });
    const calls = objectsIn(message, "tool_calls");
    const batch = calls.length > 1 ? this.list.steps.length : undefined;
    for (const call of calls) {
      const parts = callOf(call);
      const step = this.list.tool({ ...parts, at, batch });
      if (parts.id !== undefined) this.#calls.set(parts.id, step);
    }
    if (calls.length > 0) this.#said = undefined;
    else if (said !== undefined) this.#said = said;
  }

  #result(message: JsonObject): void {
    const id = textIn(message, "id") ?? textIn(message, "tool_call_id") ?? "";
    const content = contentOf(own(message, "content"));
    const flagged = own(message, "error") === true;
    const step = this.#calls.get(id);
    if (step === undefined || step.result !== undefined) {
      const name = this.#users.get(id);
      const theirs = name !== undefined || own(message, "requestor") === "user";
      const result = { ...maybe("name", name), content, error: flagged };
      this.list.other(theirs ? "user_result" : "tool_result", result);
      return;
    }
    const unflagged = own(message, "error") === false && typeof content === "string";
    // The environment says of each call whether it worked.
    const result = unflagged
      ? ({ ok: true, data: parsedText(content) } as const)
      : toolResultOf(content, flagged);
    this.list.answer(step, result);
  }
}

/** What was said, without the signs for the harness; undefined when nothing is left. */
function spoken(message: JsonObject): Json | undefined {
  const content = contentOf(own(message, "content"));
  if (typeof content !== "string") return content;
  const text = content.replaceAll(SIGNS, "").trim();
  return text === "" ? undefined : text;
}

function callOf(call: JsonObject): ReturnType<typeof callFrom> {
  return callFrom(call, { id: own(call, "id"), args: own(call, "arguments") });
}

/** The messages behind the ticks of a spoken conversation: what one side said until the other spoke or a tool was called. */
export function messagesOfTicks(ticks: readonly JsonObject[]): JsonObject[] {
  const messages: JsonObject[] = [];
  for (const tick of ticks) {
    for (const side of ["user", "agent"]) {
      const role = side === "agent" ? "assistant" : "user";
      const chunk = objectIn(tick, `${side}_chunk`);
      say(messages, role, textIn(chunk, "content"));
      const calls = [...objectsIn(chunk, "tool_calls"), ...objectsIn(tick, `${side}_tool_calls`)];
      if (calls.length > 0) messages.push({ role, tool_calls: calls });
      for (const result of objectsIn(tick, `${side}_tool_results`))
        messages.push({ ...result, role: "tool" });
    }
  }
  return messages;
}

function say(messages: JsonObject[], role: string, text: string | undefined): void {
  if (text === undefined) return;
  const last = messages.at(-1);
  const before =
    last === undefined || own(last, "role") !== role ? undefined : textIn(last, "content");
  if (last !== undefined && before !== undefined) last["content"] = before + text;
  else messages.push({ role, content: text });
}
