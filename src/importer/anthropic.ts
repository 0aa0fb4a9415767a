import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import { chatTrace } from "./chat.ts";
import type { About, ImportedTrace, Importer } from "./importer.ts";
import { blocks } from "./content.ts";
import { isMessages } from "./messages.ts";
import { own } from "./member.ts";

/** Blocks that only these messages have. */
const BLOCKS = [
  "tool_use",
  "tool_result",
  "server_tool_use",
  "mcp_tool_use",
  "thinking",
  "redacted_thinking",
];

/** Anthropic-style messages: calls and results are `tool_use` and `tool_result` blocks within the contents. */
export const anthropic: Importer = {
  name: "anthropic",
  general: true,

  recognises(record: Json): boolean {
    return messagesOf(record).some((message) => {
      const content = own(message, "content");
      return BLOCKS.some((type) => blocks(content, type).length > 0);
    });
  },

  read(record: Json, about: About): readonly ImportedTrace[] {
    const messages = messagesOf(record);
    return [
      chatTrace({ format: "anthropic", messages, record: isObject(record) ? record : {}, about }),
    ];
  },
};

function messagesOf(record: Json): JsonObject[] {
  const messages = isObject(record)
    ? (own(record, "messages") ?? own(record, "conversation"))
    : record;
  return isMessages(messages) ? messages : [];
}
