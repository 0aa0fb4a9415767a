import { failure } from "../shared/error.ts";
import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import { CodexLines } from "./codex-lines.ts";
import type { About, Gatherer, ImportedTrace, Importer, Late } from "./importer.ts";
import { maybe, own, textIn } from "./member.ts";
import { isItemType } from "./responses-items.ts";
import { attached, sessionTrace } from "./session-trace.ts";

const FORMAT = "codex-rollout";
const TYPES = new Set([
  "session_meta",
  "turn_context",
  "response_item",
  "event_msg",
  "compacted",
  "session_state",
]);

/** Sessions of Codex as it saves them: lines of `{timestamp, type, payload}`, in older files the bare items. */
export const codexRollout: Importer = {
  name: FORMAT,

  recognises(record: Json): boolean {
    return isObject(record) && (isLine(record) || isOldHeader(record));
  },

  read(record: Json, about: About): readonly ImportedTrace[] {
    return isObject(record) ? [traceOf([record], about)] : [];
  },

  gather: (about) => new RolloutFile(about),
};

function isLine(line: JsonObject): boolean {
  return TYPES.has(textIn(line, "type") ?? "") && isObject(own(line, "payload"));
}

function isOldHeader(line: JsonObject): boolean {
  if (Object.hasOwn(line, "type") || Object.hasOwn(line, "messages")) return false;
  const named = typeof own(line, "id") === "string" && typeof own(line, "timestamp") === "string";
  return named && Object.hasOwn(line, "instructions");
}

function traceOf(
  lines: readonly JsonObject[],
  about: Pick<About, "agent" | "siblings">,
): ImportedTrace {
  const read = new CodexLines(lines);
  const agents = [...read.started].flatMap(([thread, call]) => agentOf(thread, call, about));
  const system = [read.instructions, ...read.items.system].filter((text) => text !== undefined);
  return sessionTrace(read.session, {
    format: FORMAT,
    about,
    agent: "codex",
    version: read.version,
    id: read.id,
    words: read.words,
    tools: read.items.tools,
    usage: read.usage,
    meta: {
      ...maybe("model", read.model),
      ...maybe("cwd", read.cwd),
      ...maybe("system", system.length > 0 ? system.join("\n\n") : undefined),
      ...maybe("subagents", agents.length > 0 ? agents : undefined),
      ...maybe("subagentOf", read.parent),
    },
  });
}

/** A thread that this one started, from the file beside it. */
function agentOf(
  thread: string,
  call: string,
  { siblings }: Pick<About, "siblings">,
): JsonObject[] {
  const name = siblings?.names().find((file) => file.endsWith(`${thread}.jsonl`));
  const lines =
    name === undefined ? [] : (siblings?.lines(name) ?? []).filter((line) => isObject(line));
  if (lines.length === 0) return [];
  const read = new CodexLines(lines);
  return [
    attached(read.session, {
      id: thread,
      ...maybe("call", call === "" ? undefined : call),
      ...maybe("model", read.model),
    }),
  ];
}

/** One file is one session. */
class RolloutFile implements Gatherer {
  readonly #about: Pick<About, "file" | "agent" | "siblings">;
  readonly #lines: JsonObject[] = [];
  #first: number | undefined;

  constructor(about: Pick<About, "file" | "agent" | "siblings">) {
    this.#about = about;
  }

  takes(record: Json): boolean {
    if (!isObject(record)) return false;
    if (isLine(record) || isOldHeader(record)) return true;
    if (this.#first === undefined) return false;
    const type = textIn(record, "type") ?? "";
    const bare =
      isItemType(type) || (type === "message" && typeof own(record, "role") === "string");
    return bare || isObject(own(record, "payload")) || Object.hasOwn(record, "record_type");
  }

  add(record: Json, about: About): readonly ImportedTrace[] {
    this.#first ??= about.record;
    if (isObject(record)) this.#lines.push(record);
    return [];
  }

  end(): readonly Late[] {
    return this.#first === undefined ? [] : [{ record: this.#first, read: () => this.#trace() }];
  }

  #trace(): ImportedTrace {
    const parent = this.#parentFile();
    if (parent !== undefined) {
      throw failure("E_RECORD_ASIDE", {
        to: "read the session as a run",
        because: `it is that of a sub-agent, and stands in the run of ${parent}`,
        fix: "Nothing is to be done",
      });
    }
    return traceOf(this.#lines, this.#about);
  }

  /** The file of the thread that started this one, when it is read too. */
  #parentFile(): string | undefined {
    const { parent } = new CodexLines(this.#lines.slice(0, 1));
    const siblings = this.#about.siblings;
    if (parent === undefined || siblings === undefined) return undefined;
    const own = this.#about.file.slice(this.#about.file.lastIndexOf("/") + 1);
    const near = siblings.names().filter((name) => {
      const stem = name.slice(0, -".jsonl".length);
      return (
        name.endsWith(".jsonl") &&
        name !== own &&
        (stem.endsWith(parent) || own.startsWith(`${stem}-`))
      );
    });
    return near.find((name) => siblings.wanted(name) && isThread(siblings.lines(name)[0], parent));
  }
}

function isThread(line: Json | undefined, thread: string): boolean {
  return isObject(line) && new CodexLines([line]).id === thread;
}
