import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import type { AnyTurn } from "./any-message.ts";
import { anyTurns, unwrapped } from "./any-turns.ts";
import { usageOf } from "./content.ts";
import type { About, ImportedTrace, Importer } from "./importer.ts";
import { maybe, objectIn, objectsIn, own, textIn } from "./member.ts";
import { toldTrace } from "./told-trace.ts";

const FORMAT = "vercel-ai-sdk";
const DONE = new Set(["output-available", "result", "output-denied"]);

/** What `generateText` and `streamText` of the Vercel AI SDK give, written as JSON, and the messages of its chat interface. */
export const vercel: Importer = {
  name: FORMAT,

  recognises(record: Json): boolean {
    if (Array.isArray(record)) return isChat(record);
    if (!isObject(record)) return false;
    return isResult(record) || isChat(own(record, "messages"));
  },

  read(record: Json, about: About): readonly ImportedTrace[] {
    const chat = Array.isArray(record)
      ? record
      : isObject(record)
        ? own(record, "messages")
        : undefined;
    const beside = isObject(record) ? record : {};
    if (isChat(chat)) return [chatTrace(chat, beside, about)];
    return [resultTrace(beside, about)];
  },
};

/** A step of a result tells how it ended, and its calls. */
function isResult(record: JsonObject): boolean {
  const steps = own(record, "steps");
  if (!Array.isArray(steps) || steps.length === 0) return false;
  return steps.every(
    (step) =>
      isObject(step) &&
      Object.hasOwn(step, "finishReason") &&
      (Array.isArray(own(step, "toolCalls")) || Array.isArray(own(step, "content"))),
  );
}

/** Messages whose parts are of kinds that only this interface has. */
function isChat(value: Json | undefined): value is JsonObject[] {
  if (!Array.isArray(value) || value.length === 0) return false;
  const said = value.every(
    (message) =>
      isObject(message) &&
      typeof own(message, "role") === "string" &&
      Array.isArray(own(message, "parts")),
  );
  return (
    said &&
    value.some(
      (message) =>
        isObject(message) &&
        objectsIn(message, "parts").some((part) => isOwnPart(textIn(part, "type") ?? "")),
    )
  );
}

function isOwnPart(type: string): boolean {
  return (
    type === "step-start" || type === "dynamic-tool" || /^tool-(?!call$|result$|error$)/.test(type)
  );
}

function chatTrace(
  messages: readonly JsonObject[],
  record: JsonObject,
  about: About,
): ImportedTrace {
  return toldTrace({
    format: FORMAT,
    turns: messages.flatMap((message) => messageTurns(message)),
    agent: about.agent,
    meta: maybe("id", textIn(record, "id") ?? textIn(record, "chatId")),
  });
}

/** One message holds several steps, each with its texts, its calls and their results. */
function messageTurns(message: JsonObject): AnyTurn[] {
  const role = textIn(message, "role");
  const parts = objectsIn(message, "parts");
  if (role !== "assistant") return anyTurns({ role: role ?? "user", content: parts }, "user");
  const turns: AnyTurn[] = [];
  let asked: Json[] = [];
  let answered: Json[] = [];
  const close = (): void => {
    if (asked.length > 0)
      turns.push(...anyTurns([{ role: "assistant", content: asked }], "assistant"));
    if (answered.length > 0) turns.push(...anyTurns(answered, "tool"));
    asked = [];
    answered = [];
  };
  for (const part of parts) {
    const type = textIn(part, "type") ?? "";
    const isCall = type !== "step-start" && (isOwnPart(type) || type === "tool-invocation");
    if (type === "step-start" || (!isCall && answered.length > 0)) close();
    if (isCall) {
      const { call, answer } = callPart(part, type);
      asked.push(call);
      if (answer !== undefined) answered.push(answer);
    } else if (type !== "step-start") asked.push(part);
  }
  close();
  return turns;
}

/** A call with its result, as one part of a message holds them. */
function callPart(part: JsonObject, type: string): { call: Json; answer?: Json } {
  const held = type === "tool-invocation" ? objectIn(part, "toolInvocation") : part;
  const toolName = textIn(held, "toolName") ?? type.replace(/^tool-/, "");
  const named = { toolCallId: textIn(held, "toolCallId") ?? "", toolName };
  const input = own(held, "input") ?? own(held, "args") ?? {};
  const call = { type: "tool-call", ...named, input };
  const error = textIn(held, "errorText");
  if (error === undefined && !DONE.has(textIn(held, "state") ?? "")) return { call };
  const output = error ?? own(held, "output") ?? own(held, "result") ?? null;
  return {
    call,
    answer: { type: error === undefined ? "tool-result" : "tool-error", ...named, output },
  };
}

function resultTrace(result: JsonObject, about: About): ImportedTrace {
  const steps = objectsIn(result, "steps");
  const first = steps[0] ?? {};
  const asked = askedIn(result) ?? askedIn(first);
  const model =
    textIn(objectIn(result, "response"), "modelId") ??
    textIn(objectIn(first, "response"), "modelId");
  const last = steps.at(-1) ?? {};
  return toldTrace({
    format: FORMAT,
    turns: [...anyTurns(asked, "user"), ...steps.flatMap((step) => stepTurns(step))],
    agent: about.agent,
    output: objectOutput(result),
    meta: {
      ...maybe("model", model),
      ...maybe("finish_reason", textIn(result, "finishReason") ?? textIn(last, "finishReason")),
    },
    more: {
      ...maybe("usage", usageOf(own(result, "totalUsage") ?? own(result, "usage"))),
      ...(textIn(last, "finishReason") === "error" ? { status: "error" as const } : {}),
    },
    warnings:
      asked === undefined
        ? ["the result does not hold what was asked: it was written without its request"]
        : [],
  });
}

/** The request that a result keeps, when it was written with one. */
function askedIn(holder: JsonObject): Json | undefined {
  const body = unwrapped(own(objectIn(holder, "request"), "body") ?? null);
  const held =
    own(holder, "messages") ??
    own(holder, "prompt") ??
    (isObject(body)
      ? (own(body, "messages") ?? own(body, "contents") ?? own(body, "input"))
      : undefined);
  return held === null ? undefined : held;
}

function stepTurns(step: JsonObject): AnyTurn[] {
  const content = own(step, "content");
  if (Array.isArray(content) && content.length > 0) {
    const asked = content.filter((part) => !isAnswer(part));
    const answered = content.filter((part) => isAnswer(part));
    return [
      ...anyTurns([{ role: "assistant", content: asked }], "assistant"),
      ...anyTurns(answered, "tool"),
    ];
  }
  const reasoning = textIn(step, "reasoningText") ?? textIn(step, "reasoning");
  const calls = objectsIn(step, "toolCalls");
  const said = {
    role: "assistant",
    content: own(step, "text") ?? null,
    tool_calls: calls,
    ...maybe("reasoning", reasoning),
  };
  const answers = objectsIn(step, "toolResults").map((one) => ({
    type: "tool-result",
    toolCallId: own(one, "toolCallId") ?? null,
    toolName: own(one, "toolName") ?? null,
    output: own(one, "output") ?? own(one, "result") ?? null,
  }));
  return [...anyTurns([said], "assistant"), ...anyTurns(answers, "tool")];
}

function isAnswer(part: Json): boolean {
  return (
    isObject(part) &&
    (textIn(part, "type") === "tool-result" || textIn(part, "type") === "tool-error")
  );
}

/** `generateObject` and structured outputs give a value instead of a text. */
function objectOutput(result: JsonObject): Json | undefined {
  const object =
    own(result, "object") ?? own(result, "experimental_output") ?? own(result, "resolvedOutput");
  return isObject(object) ? object : undefined;
}
