import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import { clip } from "../shared/text.ts";
import type { ToolResult } from "../trace/trace.ts";
import { denied } from "./claude-result.ts";
import { argumentsOf, contentOf, plainText, usageOf } from "./content.ts";
import type { About, Gatherer, ImportedTrace, Importer, Late } from "./importer.ts";
import { epochMs } from "./instant.ts";
import { maybe, objectIn, objectsIn, own, textIn } from "./member.ts";
import { Session } from "./session.ts";
import { sessionTrace } from "./session-trace.ts";
import { toolResultOf } from "./tool-result.ts";

const FORMAT = "anthropic-managed-agents";
const CALLS = new Set<Json | undefined>([
  "agent.tool_use",
  "agent.custom_tool_use",
  "agent.mcp_tool_use",
]);
const RESULTS = new Set<Json | undefined>([
  "agent.tool_result",
  "agent.mcp_tool_result",
  "user.custom_tool_result",
]);
/** What is sent is told again by the stream. */
const CREATE = ".sessions.create";
const SEND = ".events.send";

/** Logs of Anthropic's managed agents: lines of `["client.beta.sessions.…", value]`. */
export const anthropicManaged: Importer = {
  name: FORMAT,

  recognises(record: Json): boolean {
    return isLine(record);
  },

  read(record: Json, about: About): readonly ImportedTrace[] {
    return isLine(record) ? [traceOf([record], about)] : [];
  },

  gather: (about) => new LogFile(about),
};

type Line = [string, Json];

function isLine(record: Json): record is Line {
  if (!Array.isArray(record) || record.length !== 2) return false;
  const [name] = record;
  return typeof name === "string" && name.startsWith("client.");
}

function traceOf(lines: readonly Line[], about: Pick<About, "agent">): ImportedTrace {
  const created =
    lines
      .map(([name, value]) => (name.endsWith(CREATE) && isObject(value) ? value : undefined))
      .find((value) => value !== undefined) ?? {};
  const agent = objectIn(created, "agent");
  const events = new Events(lines);
  const system = textIn(agent, "system");
  return sessionTrace(events.session, {
    format: FORMAT,
    about,
    agent: textIn(agent, "name"),
    version: versionOf(agent),
    id: textIn(created, "id"),
    tools: objectsIn(agent, "tools").flatMap((tool) => textIn(tool, "name") ?? []),
    meta: {
      ...maybe("model", textIn(objectIn(agent, "model"), "id") ?? textIn(agent, "model")),
      ...maybe("system", system),
    },
  });
}

function versionOf(agent: JsonObject): string | undefined {
  const version = own(agent, "version");
  return typeof version === "number" || typeof version === "string" ? String(version) : undefined;
}

/** The events of one session, one after the other. */
class Events {
  readonly session = new Session();
  /** What the stream tells of the user, as text, to know it again. */
  readonly #streamed: ReadonlySet<string>;
  readonly #denied = new Map<string, string>();

  constructor(lines: readonly Line[]) {
    this.#streamed = new Set(
      lines.flatMap(([name, event]) =>
        name.endsWith(SEND) || !isObject(event) ? [] : [keyOf(event)],
      ),
    );
    for (const [name, value] of lines) {
      if (name.endsWith(CREATE)) continue;
      if (!name.endsWith(SEND)) {
        if (isObject(value)) this.#event(value);
        continue;
      }
      const sent = Array.isArray(value) ? value.at(-1) : value;
      for (const event of isObject(sent) ? objectsIn(sent, "events") : []) {
        if (!this.#streamed.has(keyOf(event))) this.#event(event);
      }
    }
  }

  #event(event: JsonObject): void {
    const type = own(event, "type");
    const at = epochMs(own(event, "processed_at"));
    this.session.seen(at);
    if (type === "user.message") this.session.asked(contentOf(own(event, "content")), at);
    else if (type === "agent.message")
      this.session.said(contentOf(own(event, "content")), maybe("at", at));
    else if (type === "agent.thinking")
      this.session.thought(textIn(event, "content") ?? textIn(event, "thinking"), at);
    else if (CALLS.has(type)) this.#call(event, at);
    else if (RESULTS.has(type)) this.#answer(event, at);
    else if (type === "user.tool_confirmation") this.#confirmation(event);
    else if (type === "user.interrupt") {
      this.session.noted("interrupted", "");
      this.session.stopped();
    } else if (type === "session.error" || type === "session.status_terminated") this.#error(event);
    else if (type === "session.status_idle") this.#idle(event);
    else if (type === "span.model_request_end")
      this.session.used(textIn(event, "id") ?? "", usageOf(own(event, "model_usage")));
    else if (
      typeof type === "string" &&
      !/^(?:session\.(?:thread_)?status_|session\.thread_created|span\.)/.test(type)
    ) {
      this.session.noted(type, event);
    }
  }

  #call(event: JsonObject, at: number | undefined): void {
    const id = textIn(event, "id");
    const name = textIn(event, "name") ?? "unknown";
    this.session.called({ id, name, args: argumentsOf(own(event, "input")), at });
    if (own(event, "evaluated_permission") === "deny" && id !== undefined) this.#denied.set(id, "");
  }

  #answer(event: JsonObject, at: number | undefined): void {
    const id =
      textIn(event, "tool_use_id") ??
      textIn(event, "mcp_tool_use_id") ??
      textIn(event, "custom_tool_use_id");
    const content = contentOf(own(event, "content"));
    const flagged = own(event, "is_error") === true;
    const reason = id === undefined ? undefined : this.#denied.get(id);
    const result = (): ToolResult =>
      flagged && reason !== undefined
        ? denied(plainText(content) || reason)
        : toolResultOf(content, flagged);
    this.session.answered({ ...maybe("id", id), content, result }, at);
  }

  #confirmation(event: JsonObject): void {
    const id = textIn(event, "tool_use_id");
    if (own(event, "result") === "deny" && id !== undefined)
      this.#denied.set(id, textIn(event, "deny_message") ?? "denied");
  }

  #error(event: JsonObject): void {
    const error = objectIn(event, "error");
    const message =
      textIn(error, "message") ?? textIn(event, "message") ?? "the session was terminated";
    this.session.broke({
      name: "SessionError",
      ...maybe("code", textIn(error, "type")),
      message: clip(message, 1000),
      source: "flag",
    });
  }

  /** Waiting for a person or a tool of the caller is no end. */
  #idle(event: JsonObject): void {
    const reason = textIn(objectIn(event, "stop_reason"), "type");
    if (reason === "requires_action") this.session.stopped();
    else if (reason !== undefined && reason !== "end_turn")
      this.#error({ message: `the session stopped: ${reason}` });
  }
}

/** What an event says, without when and under which name. */
function keyOf(event: JsonObject): string {
  const parts = ["type", "content", "tool_use_id", "custom_tool_use_id", "result"].map(
    (key) => own(event, key) ?? null,
  );
  return parts.map((part) => (typeof part === "string" ? part : plainText(part))).join("\u0000");
}

/** One log is one session, unless another is created in it. */
class LogFile implements Gatherer {
  readonly #about: Pick<About, "agent">;
  readonly #sessions: { record: number; lines: Line[] }[] = [];

  constructor(about: Pick<About, "agent">) {
    this.#about = about;
  }

  takes(record: Json): boolean {
    return isLine(record);
  }

  add(record: Json, about: About): readonly ImportedTrace[] {
    if (!isLine(record)) return [];
    const last = this.#sessions.at(-1);
    if (last === undefined || record[0].endsWith(CREATE))
      this.#sessions.push({ record: about.record, lines: [record] });
    else last.lines.push(record);
    return [];
  }

  end(): readonly Late[] {
    return this.#sessions.map(({ record, lines }) => ({
      record,
      read: () => traceOf(lines, this.#about),
    }));
  }
}
