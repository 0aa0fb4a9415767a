import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import { clip } from "../shared/text.ts";
import type { ToolResult, Usage } from "../trace/trace.ts";
import { totalUsage } from "../trace/usage.ts";
import { argumentsOf, contentOf, usageOf } from "./content.ts";
import { exitResult } from "./exit-code.ts";
import type { About, ImportedTrace, Importer } from "./importer.ts";
import { LineFile, type LineFormat } from "./line-file.ts";
import { maybe, objectIn, own, textIn } from "./member.ts";
import { Session } from "./session.ts";
import { sessionTrace } from "./session-trace.ts";
import { toolResultOf } from "./tool-result.ts";

const FORMAT = "codex-exec-json";
const TYPE =
  /^(?:thread\.started|turn\.(?:started|completed|failed)|item\.(?:started|updated|completed))$/;
/** Members of an item that are not what the tool was asked for. */
const ABOUT_ITEM = new Set([
  "id",
  "type",
  "status",
  "aggregated_output",
  "exit_code",
  "result",
  "error",
  "server",
  "tool",
]);

/** What `codex exec --json` prints: threads, turns and items, a line each. The prompt is not in it. */
export const codexExec: Importer = {
  name: FORMAT,

  recognises(record: Json): boolean {
    return isObject(record) && isLine(record);
  },

  read(record: Json, about: About): readonly ImportedTrace[] {
    return isObject(record) ? [traceOf([record], about)] : [];
  },

  gather: (about) => new LineFile(LINES, about),
};

const LINES: LineFormat = {
  starts: isLine,
  follows: (line) => own(line, "type") === "error",
  opens: (line) => own(line, "type") === "thread.started",
  read: traceOf,
};

function isLine(line: JsonObject): boolean {
  const type = textIn(line, "type") ?? "";
  if (!TYPE.test(type)) return false;
  return !type.startsWith("item.") || isObject(own(line, "item"));
}

function traceOf(lines: readonly JsonObject[], about: Pick<About, "agent">): ImportedTrace {
  const session = new Session();
  let thread: string | undefined;
  let usage: Usage | undefined;
  for (const line of lines) {
    const type = own(line, "type");
    if (type === "thread.started") thread ??= textIn(line, "thread_id");
    else if (type === "turn.completed") usage = totalUsage(usage, usageOf(own(line, "usage")));
    else if (type === "turn.failed" || type === "error") broke(session, line);
    else if (isObject(own(line, "item")))
      addItem(session, objectIn(line, "item"), type === "item.completed");
    else if (type !== "turn.started") session.noted(typeof type === "string" ? type : "line", line);
  }
  return sessionTrace(session, { format: FORMAT, about, agent: "codex", id: thread, usage });
}

function broke(session: Session, line: JsonObject): void {
  const error = objectIn(line, "error");
  const message = textIn(error, "message") ?? textIn(line, "message") ?? "the turn failed";
  session.broke({ name: "CodexError", message: clip(message, 1000), source: "flag" });
}

function addItem(session: Session, item: JsonObject, completed: boolean): void {
  const type = textIn(item, "type") ?? textIn(item, "item_type") ?? "item";
  const text = textIn(item, "text") ?? "";
  if (type === "agent_message" || type === "assistant_message") {
    if (completed && text !== "") session.said(text);
  } else if (type === "reasoning") {
    if (completed) session.thought(text);
  } else if (type === "todo_list" || type === "error") {
    if (completed)
      session.noted(
        type,
        type === "error" ? (own(item, "message") ?? null) : (own(item, "items") ?? null),
      );
  } else {
    const id = textIn(item, "id");
    session.called({ id, name: nameOf(item, type), args: argsOf(item) });
    if (!completed) return;
    const content = answerOf(item);
    session.answered({ ...maybe("id", id), content, result: () => resultOf(item, content) });
  }
}

function nameOf(item: JsonObject, type: string): string {
  const tool = textIn(item, "tool");
  const server = textIn(item, "server");
  if (tool === undefined) return type;
  return server === undefined ? tool : `${server}.${tool}`;
}

function argsOf(item: JsonObject): Json {
  const given = own(item, "arguments");
  if (given !== undefined) return argumentsOf(given);
  return Object.fromEntries(Object.entries(item).filter(([key]) => !ABOUT_ITEM.has(key)));
}

function answerOf(item: JsonObject): Json {
  const error = own(item, "error");
  const result = own(item, "result");
  const content = isObject(result) ? own(result, "content") : result;
  return contentOf(
    own(item, "aggregated_output") ?? error ?? content ?? own(item, "status") ?? "completed",
  );
}

function resultOf(item: JsonObject, content: Json): ToolResult {
  const code = own(item, "exit_code");
  const output = typeof content === "string" ? content : JSON.stringify(content);
  if (typeof code === "number" && Number.isInteger(code)) {
    return exitResult({ command: innerCommand(textIn(item, "command") ?? ""), code, output });
  }
  const status = own(item, "status");
  return toolResultOf(
    content,
    status === "failed" || status === "declined" || isObject(own(item, "error")),
  );
}

/** The command without the shell around it. */
function innerCommand(command: string): string {
  const found = /^\S*sh\s+-l?c\s+/.exec(command);
  if (found === null) return command;
  const inner = command.slice(found[0].length);
  const quote = inner.charAt(0);
  return (quote === "'" || quote === '"') && inner.endsWith(quote) ? inner.slice(1, -1) : inner;
}
