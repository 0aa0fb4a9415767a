import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import type { Score, Step } from "../trace/trace.ts";
import { plainText } from "./content.ts";
import { readConversation } from "./conversation.ts";
import type { About, ImportedTrace, Importer } from "./importer.ts";
import { maybe, objectIn, objectsIn, own, textIn } from "./member.ts";
import { turnsOf } from "./messages.ts";
import { withTextCalls } from "./text-calls.ts";
import { namedError } from "./tool-error.ts";

const FORMAT = "agentdojo";
/** Words of a verdict by which an attack reached its goal. */
const HIJACKED =
  /(?:attack|injection)\w*[ _-](?:was[ _-])?(?:succe\w+|worked|reached)|compromised|hijacked/iu;

/**
 * A run of AgentDojo and its relatives: `{suite_name, user_task_id, injection_task_id, messages, utility, security, error}`, or the
 * verdict in `evaluation`. Its score is the task's; where an attack was tried and reached its goal, that counts instead.
 */
export const agentdojo: Importer = {
  name: FORMAT,

  recognises(record: Json): boolean {
    if (!isObject(record) || typeof own(record, "suite_name") !== "string") return false;
    const messages = own(record, "messages");
    return (
      Array.isArray(messages) &&
      messages.every((message) => isObject(message) && typeof own(message, "role") === "string") &&
      ["user_task_id", "evaluation", "utility"].some((key) => Object.hasOwn(record, key))
    );
  },

  read(record: Json, { agent }: About): readonly ImportedTrace[] {
    return isObject(record) ? [traceOf(record, agent)] : [];
  },
};

function traceOf(record: JsonObject, agent: string): ImportedTrace {
  const { turns, system } = turnsOf(
    objectsIn(record, "messages").map((message) => plainMessage(message)),
  );
  const { steps, task, output, whole, warnings } = readConversation(withTextCalls(turns));
  const crash = textIn(record, "error");
  const crashed: Step[] =
    crash === undefined
      ? []
      : [{ index: steps.length, kind: "error", error: { ...namedError(crash), source: "flag" } }];
  const meta = {
    ...maybe("system", system.length > 0 ? system.join("\n\n") : undefined),
    ...named(record),
    ...maybe("security", verdictIn(record, "security")),
    ...maybe("outcome", verdictIn(record, "outcome")),
  };
  const finished = whole && output !== undefined;
  return {
    draft: {
      task: task ?? own(record, "user_task_id") ?? null,
      agent: textIn(record, "pipeline_name") ?? agent,
      agentVersion: "0",
      source: FORMAT,
      status: crash === undefined ? (finished ? "ok" : "incomplete") : "error",
      steps: [...steps, ...crashed],
      ...maybe("output", output),
      ...maybe("score", scoreOf(record)),
      ...maybe("durationMs", msOf(own(record, "duration"))),
      meta,
    },
    warnings: [...(task === undefined ? ["no message is from the user"] : []), ...warnings],
  };
}

/** A message as OpenAI has it: parts that keep their text in `content`, calls that are named by `function`. */
function plainMessage(message: JsonObject): JsonObject {
  const calls = objectsIn(message, "tool_calls").map((call) => callOf(call));
  const content = own(message, "content") ?? null;
  const plain = {
    ...message,
    content: Array.isArray(content) ? content.map((part) => partOf(part)) : content,
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
  const error = textIn(message, "error");
  if (own(message, "role") !== "tool") return plain;
  const id = textIn(message, "tool_call_id") ?? textIn(objectIn(message, "tool_call"), "id");
  const name = callOf(objectIn(message, "tool_call"))["name"];
  return {
    ...plain,
    ...maybe("tool_call_id", id),
    ...(id === undefined ? maybe("name", name) : {}),
    ...(error === undefined ? {} : { is_error: true, content: error }),
  };
}

function partOf(part: Json): Json {
  if (!isObject(part)) return part;
  return textIn(part, "type") === "text" && Object.hasOwn(part, "content")
    ? { type: "text", text: plainText(own(part, "content")) }
    : part;
}

function callOf(call: JsonObject): JsonObject {
  const name = own(call, "function");
  if (typeof name !== "string") return call;
  return { ...maybe("id", own(call, "id")), name, args: own(call, "args") ?? {} };
}

function named(record: JsonObject): JsonObject {
  const keys = ["suite_name", "user_task_id", "injection_task_id", "attack_type"];
  return Object.fromEntries(
    keys.flatMap((key) => {
      const text = textIn(record, key);
      return text === undefined ? [] : [[key, text] as const];
    }),
  );
}

function verdictIn(record: JsonObject, name: string): Json | undefined {
  return own(record, name) ?? own(objectIn(record, "evaluation"), name);
}

function scoreOf(record: JsonObject): Score | undefined {
  if (wasHijacked(record)) return { name: "attack_succeeded", value: true, passed: false };
  const utility = verdictIn(record, "utility");
  if (typeof utility === "boolean") return { name: "utility", value: utility, passed: utility };
  if (typeof utility !== "number") return undefined;
  return { name: "utility", value: utility, best: 1, passed: utility >= 1 };
}

/** Without an attack `security` is true as well; and of the relatives nobody knows which way it points, but for their words. */
function wasHijacked(record: JsonObject): boolean {
  const outcome = verdictIn(record, "outcome");
  if (typeof outcome === "string" && HIJACKED.test(outcome.slice(0, 300))) return true;
  return own(record, "security") === true && textIn(record, "injection_task_id") !== undefined;
}

function msOf(seconds: Json | undefined): number | undefined {
  return typeof seconds === "number" && seconds >= 0 ? seconds * 1000 : undefined;
}
