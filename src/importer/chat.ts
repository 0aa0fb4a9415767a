import { failure } from "../shared/error.ts";
import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import type { Score } from "../trace/trace.ts";
import { usageOf } from "./content.ts";
import { readConversation } from "./conversation.ts";
import { finished } from "./finishing-call.ts";
import type { About, ImportedTrace } from "./importer.ts";
import { maybe, objectsIn, own, textIn } from "./member.ts";
import { turnsOf } from "./messages.ts";
import { withTextCalls } from "./text-calls.ts";

/** What a format knows about a conversation beside its messages. */
export interface ChatRecord {
  readonly format: string;
  readonly messages: readonly JsonObject[];
  /** Members beside the messages. */
  readonly record: JsonObject;
  readonly about: About;
}

/** A conversation as a trace: the task is what the user said first, the output what the agent said last. */
export function chatTrace({ format, messages, record, about }: ChatRecord): ImportedTrace {
  if (messages.length === 0) {
    throw failure("E_RECORD_EMPTY", {
      to: `read a record of ${format} messages`,
      because: "its message list is empty",
      fix: "Leave the record out",
    });
  }
  const { turns, system } = turnsOf(messages);
  const { steps, task, output, whole, warnings } = readConversation(withTextCalls(turns));
  const systems = [topSystem(record), ...system].filter((text) => text !== "");
  const meta = {
    ...maybe("system", systems.length > 0 ? systems.join("\n\n") : undefined),
    ...names(record),
  };
  const draft = finished({
    task: task ?? own(record, "task") ?? own(record, "input") ?? null,
    agent: about.agent,
    agentVersion: "0",
    source: format,
    status: whole && output !== undefined ? "ok" : "incomplete",
    steps,
    ...maybe("output", output),
    ...maybe("tools", toolsOf(record)),
    ...maybe("score", scoreOf(record)),
    ...maybe("usage", usageOf(own(record, "usage"))),
    ...maybe("meta", Object.keys(meta).length > 0 ? meta : undefined),
  });
  // Nobody answers the call that ends a run.
  const told = warnings.filter(
    (text) => draft.status !== "ok" || !text.endsWith("was never answered"),
  );
  return {
    draft,
    warnings: [...(task === undefined ? ["no message is from the user"] : []), ...told],
  };
}

/** The system text that stands beside the messages in some formats. */
function topSystem(record: JsonObject): string {
  const parts = objectsIn(record, "system").map((part) => textIn(part, "text") ?? "");
  return textIn(record, "system") ?? parts.join("\n");
}

/** By what a reader would look for the record again. */
function names(record: JsonObject): JsonObject {
  const found = ["id", "instance_id", "conversation_id", "trial"].flatMap((key) => {
    const value = own(record, key);
    return typeof value === "string" || typeof value === "number" ? [[key, value] as const] : [];
  });
  return Object.fromEntries(found);
}

/** Sorted distinct names of the tools that the agent was offered. */
function toolsOf(record: JsonObject): string[] | undefined {
  const offered = [...objectsIn(record, "tools"), ...objectsIn(record, "functions")];
  const named = offered.map((tool) => {
    const inner = own(tool, "function");
    return textIn(isObject(inner) ? inner : tool, "name");
  });
  const tools = [...new Set(named.filter((name) => name !== undefined))].sort();
  return tools.length > 0 ? tools : undefined;
}

/** Ground truth beside the messages: a flag, or a number of which 1 is the best unless the record says otherwise. */
export function scoreOf(record: JsonObject): Score | undefined {
  const top = own(record, "max_score");
  const best = typeof top === "number" ? top : 1;
  for (const name of ["reward", "score", "success", "benchmark_success"]) {
    const value: Json | undefined = own(record, name);
    if (typeof value === "boolean") return { name, value, passed: value };
    if (typeof value === "number") return { name, value, best, passed: value >= best };
  }
  return undefined;
}
