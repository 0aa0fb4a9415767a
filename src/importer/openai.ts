import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import { chatTrace } from "./chat.ts";
import type { About, ImportedTrace, Importer } from "./importer.ts";
import { isMessages } from "./messages.ts";
import { own } from "./member.ts";

/** Members that tell other formats, which hold messages too but mean something else by them. */
const FOREIGN = [
  "trajectory_format",
  "termination_reason",
  "reward_info",
  "suite_name",
  "projectHash",
  "answer_generation",
  "history",
  "mistake_step",
  "spans",
];

/** OpenAI-style messages: `{messages}`, `{conversation}`, a `{trajectory}` of messages or the bare list. */
export const openai: Importer = {
  name: "openai",
  general: true,

  recognises(record: Json): boolean {
    return messagesOf(record) !== undefined;
  },

  read(record: Json, about: About): readonly ImportedTrace[] {
    const messages = messagesOf(record) ?? [];
    return [
      chatTrace({ format: "openai", messages, record: isObject(record) ? record : {}, about }),
    ];
  },
};

function messagesOf(record: Json): JsonObject[] | undefined {
  if (isMessages(record)) return record;
  if (!isObject(record) || FOREIGN.some((key) => Object.hasOwn(record, key))) return undefined;
  // A recorded model call is no run.
  if (Object.hasOwn(record, "mode") && Object.hasOwn(record, "response")) return undefined;
  const messages =
    own(record, "messages") ?? own(record, "conversation") ?? own(record, "trajectory");
  if (isMessages(messages)) return messages;
  const empty = Array.isArray(messages) && messages.length === 0;
  return empty && !Object.hasOwn(record, "trajectory") ? [] : undefined;
}
