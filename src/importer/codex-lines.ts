import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import { clip } from "../shared/text.ts";
import type { Usage } from "../trace/trace.ts";
import { callEnd, codexResult, type CallEnd } from "./codex-output.ts";
import { usageOf } from "./content.ts";
import { askedIn } from "./harness.ts";
import { epochMs } from "./instant.ts";
import { objectIn, own, textIn } from "./member.ts";
import { ResponsesItems } from "./responses-items.ts";
import { Session } from "./session.ts";

/** The lines of one rollout of Codex. The conversation is in its items; events repeat it, and know a little more. */
export class CodexLines {
  readonly session = new Session();
  readonly items: ResponsesItems;
  id: string | undefined;
  version: string | undefined;
  model: string | undefined;
  cwd: string | undefined;
  instructions: string | undefined;
  /** The thread that started this one. */
  parent: string | undefined;
  /** What the agent said last, by the event that ended its turn. */
  words: string | undefined;
  usage: Usage | undefined;
  /** Threads that this one started, by the call. */
  readonly started = new Map<string, string>();
  readonly #ends = new Map<string, CallEnd>();
  /** Some recordings hold nothing but events. */
  readonly #eventsOnly: boolean;
  #begun = false;

  constructor(lines: readonly JsonObject[]) {
    this.items = new ResponsesItems(this.session, (step, output, item) =>
      codexResult(step, { output, item, end: this.#ends.get(textIn(item, "call_id") ?? "") }),
    );
    const payloads = lines.map((line) => payloadOf(line));
    this.#eventsOnly = !payloads.some(
      (payload, place) => isItemLine(lines[place]) && own(payload, "role") !== undefined,
    );
    for (const payload of payloads) {
      const ended = callEnd(payload);
      if (ended !== undefined) this.#ends.set(ended.id, ended.end);
    }
    for (const line of lines) this.#add(line);
  }

  #add(line: JsonObject): void {
    const payload = payloadOf(line);
    const at = epochMs(own(line, "timestamp")) ?? epochMs(own(payload, "timestamp"));
    const type = own(line, "type");
    if (type === "session_meta" || isHeader(line)) this.#meta(payload);
    else if (type === "turn_context") {
      this.model ??= textIn(payload, "model");
      this.cwd ??= textIn(payload, "cwd");
    } else if (type === "event_msg") this.#event(payload, at);
    else if (type === "compacted")
      this.session.noted("compaction", textIn(payload, "message") ?? "");
    else if (!isItemLine(line))
      this.session.noted(typeof type === "string" ? type : "line", payload);
    else if (own(payload, "type") === "token_count") this.usage = usageOf(payload);
    else if (own(payload, "type") !== "ghost_snapshot") this.items.add(payload, at);
  }

  /** A file that goes on with another thread tells its own first. */
  #meta(payload: JsonObject): void {
    if (this.#begun) return;
    this.#begun = true;
    this.id = textIn(payload, "id");
    this.version = textIn(payload, "cli_version");
    this.cwd = textIn(payload, "cwd");
    this.instructions =
      textIn(objectIn(payload, "base_instructions"), "text") ?? textIn(payload, "instructions");
    const agent = objectIn(objectIn(payload, "source"), "subagent");
    this.parent = textIn(objectIn(agent, "thread_spawn"), "parent_thread_id");
  }

  #event(event: JsonObject, at: number | undefined): void {
    const type = own(event, "type");
    const message = own(event, "message");
    this.session.seen(at);
    if (type === "user_message") this.#asked(message, at);
    else if (type === "agent_message" && this.#eventsOnly)
      this.session.said(message ?? "", at === undefined ? {} : { at });
    else if (type === "agent_reasoning" && this.#eventsOnly)
      this.session.thought(textIn(event, "text"), at);
    else if (type === "task_complete" || type === "turn_complete")
      this.words = textIn(event, "last_agent_message") ?? this.words;
    else if (type === "turn_aborted") {
      this.session.noted("interrupted", own(event, "reason") ?? "");
      this.session.stopped();
    } else if (type === "error") {
      const text = typeof message === "string" ? message : JSON.stringify(event);
      this.session.broke({ name: "CodexError", message: clip(text, 1000), source: "flag" });
    } else if (type === "stream_error" || type === "warning") this.session.noted(type, event);
    else if (type === "token_count") {
      this.usage = usageOf(own(objectIn(event, "info"), "total_token_usage")) ?? this.usage;
    } else this.#spawned(event);
  }

  /** The event has the task without what the program put before it. */
  #asked(message: Json | undefined, at: number | undefined): void {
    const asked = askedIn(message);
    if (asked === undefined) return;
    this.session.task ??= asked;
    if (this.#eventsOnly) this.session.asked(asked, at);
  }

  #spawned(event: JsonObject): void {
    const thread = textIn(event, "new_thread_id");
    if (thread !== undefined) this.started.set(thread, textIn(event, "call_id") ?? "");
  }
}

/** Older files have the item itself on a line. */
function payloadOf(line: JsonObject): JsonObject {
  const payload = own(line, "payload");
  return isObject(payload) ? payload : line;
}

function isHeader(line: JsonObject): boolean {
  return (
    !Object.hasOwn(line, "type") &&
    !Object.hasOwn(line, "role") &&
    !Object.hasOwn(line, "record_type")
  );
}

function isItemLine(line: JsonObject | undefined): boolean {
  if (line === undefined) return false;
  return (
    own(line, "type") === "response_item" ||
    (!Object.hasOwn(line, "payload") && !isHeader(line) && !Object.hasOwn(line, "record_type"))
  );
}
