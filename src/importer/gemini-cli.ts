import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import { clip } from "../shared/text.ts";
import type { ToolResult } from "../trace/trace.ts";
import { denied } from "./claude-result.ts";
import { argumentsOf, contentOf, plainText } from "./content.ts";
import { functionAnswer } from "./function-response.ts";
import { askedIn } from "./harness.ts";
import type { About, ImportedTrace, Importer } from "./importer.ts";
import { epochMs } from "./instant.ts";
import { LineFile, type LineFormat } from "./line-file.ts";
import { maybe, objectIn, objectsIn, own, textIn } from "./member.ts";
import { Session } from "./session.ts";
import { sessionTrace } from "./session-trace.ts";
import { toolResultOf } from "./tool-result.ts";

const FORMAT = "gemini-cli";
const TYPES = new Set(["user", "gemini", "info", "error", "warning"]);

/** Sessions of Gemini's command line: `{sessionId, projectHash, messages}`, in newer releases a line each. */
export const geminiCli: Importer = {
  name: FORMAT,

  recognises(record: Json): boolean {
    return isObject(record) && (isDocument(record) || isHeader(record));
  },

  read(record: Json, about: About): readonly ImportedTrace[] {
    return isObject(record) ? [traceOf(record, objectsIn(record, "messages"), about)] : [];
  },

  gather: (about) => new LineFile(LINES, about),
};

const LINES: LineFormat = {
  starts: isHeader,
  follows: (line) =>
    isMessage(line) || Object.hasOwn(line, "$set") || Object.hasOwn(line, "$rewindTo"),
  opens: isHeader,
  read: ([header, ...lines], about) =>
    traceOf(
      header ?? {},
      lines.filter((line) => isMessage(line)),
      about,
    ),
};

function isDocument(record: JsonObject): boolean {
  const messages = own(record, "messages");
  return (
    isSession(record) &&
    Array.isArray(messages) &&
    messages.every((one) => isObject(one) && isMessage(one))
  );
}

function isHeader(record: JsonObject): boolean {
  return isSession(record) && !Object.hasOwn(record, "messages") && !Object.hasOwn(record, "type");
}

function isSession(record: JsonObject): boolean {
  const named = typeof own(record, "sessionId") === "string";
  return (
    named &&
    (Object.hasOwn(record, "projectHash") ||
      (Object.hasOwn(record, "startTime") && Object.hasOwn(record, "lastUpdated")))
  );
}

function isMessage(message: JsonObject): boolean {
  return TYPES.has(textIn(message, "type") ?? "");
}

function traceOf(
  record: JsonObject,
  messages: readonly JsonObject[],
  about: Pick<About, "agent">,
): ImportedTrace {
  const session = new Session();
  let model: string | undefined;
  for (const message of messages) {
    model ??= textIn(message, "model");
    addMessage(session, message);
  }
  return sessionTrace(session, {
    format: FORMAT,
    about,
    id: textIn(record, "sessionId"),
    meta: maybe("model", model),
  });
}

function addMessage(session: Session, message: JsonObject): void {
  const type = own(message, "type");
  const at = epochMs(own(message, "timestamp"));
  const content = contentOf(own(message, "content"));
  if (type === "user") {
    const asked = askedIn(own(message, "content"));
    if (asked !== undefined) session.asked(asked, at);
  } else if (type === "gemini") reply(session, message, at);
  // What went wrong before anybody asked is none of the run.
  else if (type === "error" && session.begun) {
    const text = typeof content === "string" ? content : JSON.stringify(content);
    session.broke({ name: "SessionError", message: clip(text, 1000), source: "flag" });
  } else session.noted(textIn(message, "type") ?? "message", content);
}

function reply(session: Session, message: JsonObject, at: number | undefined): void {
  for (const thought of objectsIn(message, "thoughts")) {
    const parts = [textIn(thought, "subject"), textIn(thought, "description")].filter(
      (part) => part !== undefined,
    );
    session.thought(
      parts.length === 0 ? undefined : parts.join(": "),
      epochMs(own(thought, "timestamp")),
    );
  }
  const tokens = objectIn(message, "tokens");
  const usage = {
    ...maybe("inputTokens", countOf(own(tokens, "input"))),
    ...maybe("outputTokens", countOf(own(tokens, "output"))),
    ...maybe("totalTokens", countOf(own(tokens, "total"))),
  };
  const used = Object.keys(usage).length > 0 ? usage : undefined;
  session.used(textIn(message, "id") ?? `reply ${session.list.steps.length}`, used);
  const content = contentOf(own(message, "content"));
  if (content !== "")
    session.said(content, {
      ...maybe("name", textIn(message, "model")),
      ...maybe("usage", used),
      ...maybe("at", at),
    });
  const group = textIn(message, "id");
  const calls = objectsIn(message, "toolCalls");
  for (const call of calls) {
    const name = textIn(call, "name") ?? "unknown";
    session.called({
      id: textIn(call, "id"),
      name,
      args: argumentsOf(own(call, "args")),
      at: epochMs(own(call, "timestamp")) ?? at,
      group,
    });
  }
  for (const call of calls) answer(session, call);
}

function answer(session: Session, call: JsonObject): void {
  const result = own(call, "result");
  const status = textIn(call, "status");
  if (
    result === undefined &&
    (status === undefined || status === "executing" || status === "awaiting_approval")
  )
    return;
  const content = contentOf(
    functionAnswer(result) ?? result ?? own(call, "resultDisplay") ?? status,
  );
  const read = (): ToolResult => {
    if (status === "cancelled")
      return denied(
        (isObject(content) ? textIn(content, "error") : undefined) ?? plainText(content),
      );
    return toolResultOf(content, status === "error");
  };
  session.answered({
    ...maybe("id", textIn(call, "id")),
    name: textIn(call, "name"),
    content,
    result: read,
  });
}

function countOf(value: Json | undefined): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
