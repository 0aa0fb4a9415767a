import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import { clip } from "../shared/text.ts";
import type { ToolResult, Usage } from "../trace/trace.ts";
import { argumentsOf, contentOf } from "./content.ts";
import { exitResult } from "./exit-code.ts";
import { askedIn } from "./harness.ts";
import type { About, ImportedTrace, Importer } from "./importer.ts";
import { epochMs } from "./instant.ts";
import { LineFile, type LineFormat } from "./line-file.ts";
import { maybe, objectIn, objectsIn, own, textIn } from "./member.ts";
import { Session } from "./session.ts";
import { sessionTrace } from "./session-trace.ts";
import { toolResultOf } from "./tool-result.ts";

const FORMAT = "pi";
const BOOKKEEPING = new Set<Json | undefined>([
  "session",
  "model_change",
  "thinking_level_change",
  "label",
  "session_info",
]);

/** Sessions of pi: a line `{type: "session", version}`, then entries with `id` and `parentId`. */
export const pi: Importer = {
  name: FORMAT,

  recognises(record: Json): boolean {
    return isObject(record) && (isHeader(record) || isMessage(record));
  },

  read(record: Json, about: About): readonly ImportedTrace[] {
    return isObject(record) ? [traceOf([record], about)] : [];
  },

  gather: (about) => new LineFile(LINES, about),
};

const LINES: LineFormat = {
  starts: (line) => isHeader(line) || isMessage(line),
  follows: (line) => typeof own(line, "type") === "string" && Object.hasOwn(line, "parentId"),
  opens: isHeader,
  read: traceOf,
};

function isHeader(line: JsonObject): boolean {
  return (
    own(line, "type") === "session" &&
    typeof own(line, "version") === "number" &&
    typeof own(line, "id") === "string"
  );
}

function isMessage(line: JsonObject): boolean {
  const message = own(line, "message");
  return (
    own(line, "type") === "message" && isObject(message) && typeof own(message, "role") === "string"
  );
}

function traceOf(lines: readonly JsonObject[], about: Pick<About, "agent">): ImportedTrace {
  const session = new Session();
  const header = lines.find((line) => isHeader(line)) ?? {};
  const entries = branchOf(lines);
  for (const entry of entries) {
    const type = own(entry, "type");
    if (isMessage(entry)) addMessage(session, objectIn(entry, "message"), entry);
    else if (type === "compaction" || type === "branch_summary")
      session.noted("compaction", own(entry, "summary") ?? null);
    else if (!BOOKKEEPING.has(type)) session.noted(textIn(entry, "type") ?? "entry", entry);
  }
  const model = entries
    .map((entry) => textIn(objectIn(entry, "message"), "model"))
    .find((name) => name !== undefined);
  return sessionTrace(session, {
    format: FORMAT,
    about,
    id: textIn(header, "id"),
    meta: {
      ...maybe("model", model),
      ...maybe("cwd", textIn(header, "cwd")),
      ...maybe("branchedFrom", textIn(header, "branchedFrom")),
    },
  });
}

/** The entries that lead to the last one; others were given up. Entries without an id all stay. */
function branchOf(lines: readonly JsonObject[]): readonly JsonObject[] {
  const parents = new Map<string, string | undefined>();
  for (const line of lines) {
    const id = textIn(line, "id");
    if (id !== undefined && !isHeader(line)) parents.set(id, textIn(line, "parentId"));
  }
  const live = new Set<string>();
  for (let id = [...parents.keys()].at(-1); id !== undefined && !live.has(id); id = parents.get(id))
    live.add(id);
  return lines.filter((line) => {
    const id = textIn(line, "id");
    return id === undefined || !Object.hasOwn(line, "parentId") || live.has(id);
  });
}

function addMessage(session: Session, message: JsonObject, entry: JsonObject): void {
  const role = own(message, "role");
  const at = epochMs(own(message, "timestamp")) ?? epochMs(own(entry, "timestamp"));
  if (role === "assistant") reply(session, message, at);
  else if (role === "toolResult") answer(session, message, at);
  else if (role === "user") {
    const asked = askedIn(own(message, "content"));
    if (asked !== undefined) session.asked(asked, at);
  } else
    session.noted(typeof role === "string" ? role : "message", own(message, "content") ?? message);
}

function reply(session: Session, message: JsonObject, at: number | undefined): void {
  const usage = usageIn(objectIn(message, "usage"));
  const group = `reply ${session.list.steps.length}`;
  session.used(group, usage);
  for (const part of objectsIn(message, "content")) {
    const type = own(part, "type");
    if (type === "thinking") session.thought(textIn(part, "thinking"), at);
    else if (type === "toolCall") {
      const name = textIn(part, "name") ?? "unknown";
      session.called({
        id: textIn(part, "id"),
        name,
        args: argumentsOf(own(part, "arguments")),
        at,
        group,
      });
    } else {
      const said = contentOf([part]);
      if (said !== "")
        session.said(said, {
          ...maybe("name", textIn(message, "model")),
          ...maybe("usage", usage),
          ...maybe("at", at),
        });
    }
  }
  const text = textIn(message, "content");
  if (text !== undefined) session.said(text, maybe("at", at));
  const stop = own(message, "stopReason");
  if (stop === "error") {
    session.broke({
      name: "ModelError",
      message: clip(textIn(message, "errorMessage") ?? "the model failed", 1000),
      source: "flag",
    });
  } else if (stop === "aborted") {
    session.noted("interrupted", own(message, "errorMessage") ?? "");
    session.stopped();
  }
}

function answer(session: Session, message: JsonObject, at: number | undefined): void {
  const content = contentOf(own(message, "content"));
  const flagged = own(message, "isError") === true;
  const code = own(objectIn(message, "details"), "exitCode");
  const result = (): ToolResult =>
    typeof code === "number" && Number.isInteger(code) && typeof content === "string"
      ? exitResult({ command: "", code, output: content })
      : toolResultOf(content, flagged);
  session.answered(
    {
      ...maybe("id", textIn(message, "toolCallId")),
      name: textIn(message, "toolName"),
      content,
      result,
    },
    at,
  );
}

function usageIn(usage: JsonObject): Usage | undefined {
  const count = (key: string): number | undefined => {
    const value = own(usage, key);
    return typeof value === "number" && Number.isSafeInteger(value) && value >= 0
      ? value
      : undefined;
  };
  const found = {
    ...maybe("inputTokens", count("input")),
    ...maybe("outputTokens", count("output")),
    ...maybe("totalTokens", count("totalTokens")),
  };
  return Object.keys(found).length === 0 ? undefined : found;
}
