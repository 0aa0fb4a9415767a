import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import {
  blocks,
  callFrom,
  contentOf,
  isWrapper,
  plainText,
  timeOf,
  usageOf,
  withoutBlocks,
} from "./content.ts";
import type { AssistantTurn, Call, ResultTurn, Turn } from "./conversation.ts";
import { maybe, objectsIn, own, textIn } from "./member.ts";

type Role = "system" | "user" | "assistant" | "result";
const ROLES: ReadonlyMap<Json | undefined, Role> = new Map([
  ["system", "system"],
  ["developer", "system"],
  ["user", "user"],
  ["human", "user"],
  ["assistant", "assistant"],
  ["ai", "assistant"],
  ["tool", "result"],
  ["function", "result"],
]);

/** Blocks that are calls: of the caller's tools, and of those that the provider runs. */
const CALL_BLOCKS = ["tool_use", "server_tool_use", "mcp_tool_use"];

/** Whether a value is a list of messages: objects with a role that we know, and at least one. */
export function isMessages(value: Json | undefined): value is JsonObject[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((message) => isObject(message) && ROLES.has(own(message, "role")))
  );
}

/** A message list as turns, without demonstrations and what the harness put in; system texts stand apart. */
export function turnsOf(messages: readonly JsonObject[]): { turns: Turn[]; system: string[] } {
  const turns: Turn[] = [];
  const system: string[] = [];
  for (const message of messages) {
    if (own(message, "is_demo") === true || own(message, "isMeta") === true) continue;
    const role = ROLES.get(own(message, "role"));
    if (role === "system") system.push(plainText(own(message, "content")));
    else if (role === "user") turns.push(...userTurns(message));
    else if (role === "assistant") turns.push(...assistantTurns(message));
    else turns.push(resultTurn(message));
  }
  return { turns, system: system.filter((text) => text !== "") };
}

/** What the user said, after the tool results that some formats send in the user's name. */
function userTurns(message: JsonObject): Turn[] {
  const content = own(message, "content");
  const results = blocks(content, "tool_result").map((block) => blockResult(block));
  const rest = withoutBlocks(content, ["tool_result"]);
  const said = Array.isArray(rest) ? rest.filter((part) => !isWrapper(part)) : rest;
  const nothing =
    Array.isArray(content) &&
    content.length > 0 &&
    (said === undefined || (Array.isArray(said) && said.length === 0));
  if (nothing) return results;
  const text = contentOf(said);
  if (isWrapper(text)) return results;
  return [...results, { kind: "user", content: text, ...maybe("at", timeOf(message)) }];
}

/** A provider runs some tools itself, and their results stand among the blocks of one message: each ends a turn. */
function assistantTurns(message: JsonObject): Turn[] {
  const content = own(message, "content");
  if (!Array.isArray(content) || !content.some((block) => isHostedResult(block)))
    return [assistantTurn(message)];
  const turns: Turn[] = [];
  let from = 0;
  for (const [place, block] of content.entries()) {
    if (!isHostedResult(block)) continue;
    if (place > from)
      turns.push(assistantTurn({ ...message, content: content.slice(from, place) }));
    turns.push(blockResult(block));
    from = place + 1;
  }
  if (from < content.length)
    turns.push(assistantTurn({ ...message, content: content.slice(from) }));
  return turns;
}

function isHostedResult(block: Json): block is JsonObject {
  const type = isObject(block) ? own(block, "type") : undefined;
  return typeof type === "string" && type.endsWith("_tool_result");
}

function assistantTurn(message: JsonObject): AssistantTurn {
  const content = own(message, "content") ?? own(message, "refusal");
  const calls = [
    ...callsOf(message),
    ...CALL_BLOCKS.flatMap((type) => blocks(content, type)).map((block) => blockCall(block)),
  ];
  const spoken = withoutBlocks(content, [...CALL_BLOCKS, "thinking", "redacted_thinking"]);
  const text = spoken === undefined || spoken === null ? undefined : contentOf(spoken);
  return {
    kind: "assistant",
    ...maybe("text", text === "" && calls.length > 0 ? undefined : text),
    ...maybe("reasoning", thoughtOf(message, content)),
    calls,
    ...maybe("model", textIn(message, "model")),
    ...maybe("usage", usageOf(own(message, "usage"))),
    ...maybe("at", timeOf(message)),
  };
}

function thoughtOf(message: JsonObject, content: Json | undefined): string | undefined {
  const thoughts = [
    textIn(message, "reasoning_content"),
    textIn(message, "reasoning"),
    ...blocks(content, "thinking").map((block) => textIn(block, "thinking")),
  ].filter((thought) => thought !== undefined);
  return thoughts.length === 0 ? undefined : thoughts.join("\n");
}

function resultTurn(message: JsonObject): ResultTurn {
  const flags = [own(message, "is_error"), own(message, "isError"), own(message, "error")];
  const flagged = flags.includes(true) || own(message, "status") === "error";
  return {
    kind: "result",
    ...maybe("id", textIn(message, "tool_call_id")),
    ...maybe("name", textIn(message, "name")),
    content: contentOf(own(message, "content")),
    ...(flagged ? { flagged } : {}),
  };
}

function blockCall(block: JsonObject): Call {
  return callFrom(block, { id: own(block, "id"), args: own(block, "input") });
}

function blockResult(block: JsonObject): ResultTurn {
  const content = own(block, "content");
  const error = isObject(content) && Object.hasOwn(content, "error_code");
  const flagged = own(block, "is_error") === true || error;
  return {
    kind: "result",
    ...maybe("id", textIn(block, "tool_use_id")),
    content: contentOf(content),
    ...(flagged ? { flagged } : {}),
  };
}

/** Calls of `tool_calls`, or the one of the older `function_call`. */
function callsOf(message: JsonObject): Call[] {
  const list = objectsIn(message, "tool_calls");
  const legacy = own(message, "function_call");
  const found = list.length > 0 || !isObject(legacy) ? list : [legacy];
  return found.map((entry) => {
    const inner = own(entry, "function") ?? own(entry, "custom");
    const body = isObject(inner) ? inner : entry;
    const args = own(body, "arguments") ?? own(body, "args") ?? own(body, "input");
    return callFrom(body, { id: own(entry, "id"), args });
  });
}
