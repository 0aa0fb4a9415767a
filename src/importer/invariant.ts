import { failure } from "../shared/error.ts";
import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import { isRole } from "./any-message.ts";
import { anyTurns } from "./any-turns.ts";
import { scoreOf } from "./chat.ts";
import type { About, Gatherer, ImportedTrace, Importer } from "./importer.ts";
import { maybe, objectIn, objectsIn, own, textIn } from "./member.ts";
import { toldTrace } from "./told-trace.ts";

/** Members beside the messages by which a line of Invariant differs from a mere conversation. */
const BESIDE = new Set([
  "id",
  "index",
  "messages",
  "metadata",
  "extra_metadata",
  "annotations",
  "name",
  "hierarchy_path",
  "num_messages",
  "time_created",
  "user_id",
]);

/** Invariant's JSONL: an optional first line `{metadata}`, which names the tools, then `{messages, metadata, annotations, index}`. */
export const invariant: Importer = {
  name: "invariant",

  recognises(record: Json): boolean {
    return isObject(record) && (isHead(record) || isTrace(record));
  },

  read(record: Json, about: About): readonly ImportedTrace[] {
    if (!isObject(record)) return [];
    if (isHead(record)) throw head();
    return [traceOf(record, about.agent, undefined)];
  },

  gather: (): Gatherer => {
    let tools: string[] | undefined;
    return {
      takes: (record) => isObject(record),
      add: (record, about) => {
        if (!isObject(record)) return [];
        if (!isHead(record)) return [traceOf(record, about.agent, tools)];
        const named = Object.keys(objectIn(objectIn(record, "metadata"), "tool_calls")).sort();
        tools = named.length > 0 ? named : undefined;
        throw head();
      },
      end: () => [],
    };
  },
};

function isHead(record: JsonObject): boolean {
  return Object.keys(record).length === 1 && isObject(own(record, "metadata"));
}

function isTrace(record: JsonObject): boolean {
  const messages = own(record, "messages");
  if (!Array.isArray(messages) || messages.length === 0) return false;
  const said = messages.every(
    (message) => isObject(message) && typeof own(message, "role") === "string",
  );
  const marked =
    ["annotations", "extra_metadata", "index"].some((key) => Object.hasOwn(record, key)) ||
    isObject(own(record, "metadata"));
  return said && marked && Object.keys(record).every((key) => BESIDE.has(key));
}

function traceOf(record: JsonObject, agent: string, tools: string[] | undefined): ImportedTrace {
  const messages = objectsIn(record, "messages");
  const unknown = [...new Set(messages.map((message) => textIn(message, "role") ?? ""))].filter(
    (role) => !isRole(role),
  );
  const metadata = { ...objectIn(record, "metadata"), ...objectIn(record, "extra_metadata") };
  return toldTrace({
    format: "invariant",
    turns: messages.flatMap((message) => anyTurns(message, "user")),
    agent: textIn(metadata, "agent") ?? agent,
    meta: {
      ...maybe("id", own(record, "id")),
      ...maybe("index", own(record, "index")),
      ...(Object.keys(metadata).length > 0 ? { metadata } : {}),
      ...maybe("annotations", own(record, "annotations")),
    },
    more: { ...maybe("score", scoreOf(metadata)), ...maybe("tools", tools) },
    warnings: unknown.map(
      (role) => `the role ${role} is not known: its messages are read as the user's`,
    ),
  });
}

function head(): Error {
  return failure("E_RECORD_ASIDE", {
    to: "read the line as a trace",
    because: "it only describes the traces that follow",
    fix: "Nothing is to be done; the tools that it names were taken over",
  });
}
