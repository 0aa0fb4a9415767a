import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import { claudeTrace } from "./claude-session.ts";
import type { About, Gatherer, ImportedTrace, Importer, Late } from "./importer.ts";
import { objectsIn, own, textIn } from "./member.ts";

const FORMAT = "claude-sdk-stream";
const TYPES = new Set(
  `system assistant user result stream_event control_request control_response control_cancel_request keep_alive
  rate_limit_event tool_progress auth_status tool_use_summary`.split(/\s+/),
);

/** Streams of the Claude Agent SDK: as lines, as one list, or as `{messages: [{direction, message}]}`. */
export const claudeSdk: Importer = {
  name: FORMAT,

  recognises(record: Json): boolean {
    return isObject(record) && isLine(record) ? true : linesOf(record) !== undefined;
  },

  read(record: Json, about: About): readonly ImportedTrace[] {
    const lines = linesOf(record) ?? (isObject(record) ? [record] : []);
    return [claudeTrace(lines, { format: FORMAT, about })];
  },

  gather: (about) => new StreamFile(about),
};

/** The messages of a stream that is one document. */
function linesOf(record: Json): JsonObject[] | undefined {
  if (isObject(record)) {
    const messages = objectsIn(record, "messages");
    const wrapped =
      messages.length > 0 && messages.every((one) => typeof own(one, "direction") === "string");
    if (!wrapped) return undefined;
    return streamOf(messages.map((one) => own(one, "message") ?? null));
  }
  return Array.isArray(record) ? streamOf(record) : undefined;
}

function streamOf(values: readonly Json[]): JsonObject[] | undefined {
  const lines = values.filter((value) => isObject(value));
  const typed = lines.length > 0 && lines.every((line) => TYPES.has(textIn(line, "type") ?? ""));
  const talk = lines.some((line) => isStart(line) || isEnd(line) || isTalk(line));
  return typed && talk ? lines : undefined;
}

function isLine(line: JsonObject): boolean {
  if (Object.hasOwn(line, "payload")) return false;
  return isStart(line) || isEnd(line) || isTalk(line) || isControl(line);
}

function isStart(line: JsonObject): boolean {
  return (
    own(line, "type") === "system" &&
    own(line, "subtype") === "init" &&
    !Object.hasOwn(line, "sessionId")
  );
}

function isEnd(line: JsonObject): boolean {
  const marks = ["num_turns", "duration_ms", "total_cost_usd", "session_id"];
  return own(line, "type") === "result" && marks.some((mark) => Object.hasOwn(line, mark));
}

function isTalk(line: JsonObject): boolean {
  const type = own(line, "type");
  return (
    (type === "user" || type === "assistant") &&
    isObject(own(line, "message")) &&
    Object.hasOwn(line, "session_id")
  );
}

function isControl(line: JsonObject): boolean {
  const type = textIn(line, "type") ?? "";
  return (
    type.startsWith("control_re") &&
    (isObject(own(line, "request")) || isObject(own(line, "response")))
  );
}

/** The lines of a file, run by run: a stream begins with its init and ends with its result. */
class StreamFile implements Gatherer {
  readonly #about: Pick<About, "agent">;
  readonly #runs: { record: number; lines: JsonObject[]; ended: boolean }[] = [];

  constructor(about: Pick<About, "agent">) {
    this.#about = about;
  }

  takes(record: Json): boolean {
    if (!isObject(record) || Object.hasOwn(record, "payload")) return false;
    const more =
      this.#runs.length > 0 &&
      TYPES.has(textIn(record, "type") ?? "") &&
      !Object.hasOwn(record, "sessionId");
    return isLine(record) || more;
  }

  add(record: Json, about: About): readonly ImportedTrace[] {
    if (!isObject(record)) return [];
    const last = this.#runs.at(-1);
    const other =
      last?.ended === true &&
      isStart(record) &&
      sessionOf(record) !== sessionOf(last.lines.find((line) => isStart(line)));
    if (last === undefined || other)
      this.#runs.push({ record: about.record, lines: [record], ended: isEnd(record) });
    else {
      last.lines.push(record);
      last.ended = isEnd(record);
    }
    return [];
  }

  end(): readonly Late[] {
    return this.#runs.map(({ record, lines }) => ({
      record,
      read: () => claudeTrace(lines, { format: FORMAT, about: this.#about }),
    }));
  }
}

function sessionOf(line: JsonObject | undefined): string | undefined {
  return line === undefined ? undefined : textIn(line, "session_id");
}
