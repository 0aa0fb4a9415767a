import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import { clip } from "../shared/text.ts";
import type { ToolResult, ToolStep } from "../trace/trace.ts";
import { commandOf } from "./claude-result.ts";
import { argumentsOf, contentOf, usageOf } from "./content.ts";
import { exitResult } from "./exit-code.ts";
import { askedIn } from "./harness.ts";
import type { About, ImportedTrace, Importer } from "./importer.ts";
import { epochMs } from "./instant.ts";
import { LineFile, type LineFormat } from "./line-file.ts";
import { maybe, objectIn, objectsIn, own, textIn } from "./member.ts";
import { Session } from "./session.ts";
import { attached, sessionTrace } from "./session-trace.ts";
import { toolResultOf } from "./tool-result.ts";

const FORMAT = "copilot-cli-events";
const TYPE =
  /^(?:session|user|assistant|tool|subagent|hook|system|abort|permission|skill)(?:\.[\w.]+)?$/;
const STARTS = /^(?:session\.\w+|user\.message|assistant\.\w+|tool\.execution_\w+)$/;
/** Events by which the program keeps its own books. */
const BOOKKEEPING = new Set<Json | undefined>(
  `session.info session.idle session.resume session.model_change session.shutdown session.context_changed session.usage_info
  session.title_changed session.mode_changed assistant.turn_start assistant.turn_end assistant.intent tool.user_requested
  tool.execution_partial_result tool.execution_progress assistant.message_delta assistant.reasoning_delta hook.start hook.end
  subagent.selected system.message permission.requested permission.completed session.snapshot_rewind`.split(
    /\s+/,
  ),
);
const EXIT = /<exited with exit code (-?\d{1,5})>\s*$/;

/** Events of Copilot's command line: lines of `{type, data, id, parentId, timestamp}`. */
export const copilotCli: Importer = {
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
  follows: (line) => TYPE.test(textIn(line, "type") ?? "") && isObject(own(line, "data")),
  opens: (line) => own(line, "type") === "session.start",
  read: traceOf,
};

function isLine(line: JsonObject): boolean {
  return STARTS.test(textIn(line, "type") ?? "") && isObject(own(line, "data"));
}

function traceOf(lines: readonly JsonObject[], about: Pick<About, "agent">): ImportedTrace {
  const main = new Events();
  const agents = new Map<string, Events>();
  for (const line of lines) {
    const call = textIn(objectIn(line, "data"), "parentToolCallId");
    if (call === undefined) main.add(line);
    else {
      const events = agents.get(call) ?? new Events();
      agents.set(call, events);
      events.add(line);
    }
  }
  const attachments = [...agents].map(([call, { session }]) =>
    attached(session, { id: call, call }),
  );
  return sessionTrace(main.session, {
    format: FORMAT,
    about,
    agent: "copilot",
    version: main.version,
    id: main.id,
    meta: {
      ...maybe("model", main.model),
      ...maybe("subagents", attachments.length > 0 ? attachments : undefined),
    },
  });
}

/** The events of one agent, one after the other. */
class Events {
  readonly session = new Session();
  id: string | undefined;
  version: string | undefined;
  model: string | undefined;

  add(line: JsonObject): void {
    const type = own(line, "type");
    const data = objectIn(line, "data");
    const at = epochMs(own(line, "timestamp"));
    this.session.seen(at);
    if (type === "session.start") {
      this.id = textIn(data, "sessionId");
      this.version = textIn(data, "copilotVersion");
      this.model = textIn(data, "selectedModel");
    } else if (type === "user.message") {
      const asked = askedIn(own(data, "content"));
      if (asked !== undefined) this.session.asked(asked, at);
    } else if (type === "assistant.message") this.#message(data, at);
    else if (type === "assistant.reasoning") this.session.thought(textIn(data, "content"), at);
    else if (type === "assistant.usage") this.#usage(line, data);
    else if (type === "tool.execution_start") this.#call(data, { at });
    else if (type === "tool.execution_complete") this.#answer(data, at);
    else if (type === "session.error") this.#error(data);
    else if (type === "abort") {
      this.session.noted("interrupted", own(data, "reason") ?? "");
      this.session.stopped();
    } else if (!BOOKKEEPING.has(type)) this.session.noted(textIn(line, "type") ?? "event", data);
  }

  #message(data: JsonObject, at: number | undefined): void {
    this.session.thought(textIn(data, "reasoningText"), at);
    const content = contentOf(own(data, "content"));
    if (content !== "")
      this.session.said(content, { ...maybe("name", this.model), ...maybe("at", at) });
    const group = textIn(data, "messageId");
    for (const call of objectsIn(data, "toolRequests")) this.#call(call, { at, group });
  }

  #call(data: JsonObject, more: { at: number | undefined; group?: string | undefined }): void {
    const name = textIn(data, "toolName") ?? textIn(data, "name") ?? "unknown";
    this.session.called({
      id: textIn(data, "toolCallId"),
      name,
      args: argumentsOf(own(data, "arguments")),
      ...more,
    });
  }

  #answer(data: JsonObject, at: number | undefined): void {
    const result = own(data, "result");
    const error = own(data, "error");
    const body = isObject(result) ? (own(result, "content") ?? result) : result;
    const content = contentOf(own(data, "success") === false ? (error ?? body) : (body ?? error));
    const read = (step: ToolStep): ToolResult =>
      resultOf(step, content, own(data, "success") === false);
    this.session.answered(
      { ...maybe("id", textIn(data, "toolCallId")), content, result: read },
      at,
    );
  }

  #usage(line: JsonObject, data: JsonObject): void {
    this.model ??= textIn(data, "model");
    this.session.used(textIn(line, "id") ?? "usage", usageOf(data));
  }

  #error(data: JsonObject): void {
    const message = clip(textIn(data, "message") ?? JSON.stringify(data), 1000);
    const code = textIn(data, "errorType");
    this.session.broke({ name: "SessionError", ...maybe("code", code), message, source: "flag" });
  }
}

function resultOf(step: ToolStep, content: Json, flagged: boolean): ToolResult {
  const exit = typeof content === "string" ? EXIT.exec(content) : null;
  if (exit === null || typeof content !== "string") return toolResultOf(content, flagged);
  return exitResult({
    command: commandOf(step.args),
    code: Number(exit[1]),
    output: content.slice(0, exit.index).trimEnd(),
  });
}
