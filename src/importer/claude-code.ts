import { failure } from "../shared/error.ts";
import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import { claudeTrace } from "./claude-session.ts";
import type { About, Gatherer, ImportedTrace, Importer, Late } from "./importer.ts";
import { objectsIn, own, textIn } from "./member.ts";

const FORMAT = "claude-code";
/** Lines without a message that tell a session by a member of their own. */
const MARKS: ReadonlyMap<string, readonly string[]> = new Map([
  ["summary", ["summary", "leafUuid"]],
  ["queue-operation", ["operation"]],
  ["file-history-snapshot", ["snapshot", "messageId"]],
  ["progress", ["uuid", "sessionId"]],
  ["attachment", ["attachment"]],
  ["system", ["uuid", "sessionId"]],
]);

/** Sessions of Claude Code: lines of `{type, message, uuid, parentUuid, sessionId}`, or an older `{loglines}`. */
export const claudeCode: Importer = {
  name: FORMAT,

  recognises(record: Json): boolean {
    return isObject(record) && (isLine(record) || isDocument(record));
  },

  read(record: Json, about: About): readonly ImportedTrace[] {
    if (!isObject(record)) return [];
    const lines = isDocument(record) ? objectsIn(record, "loglines") : [record];
    return [claudeTrace(lines, { format: FORMAT, about })];
  },

  gather: (about) => new ClaudeFile(about),
};

function isDocument(record: JsonObject): boolean {
  const lines = objectsIn(record, "loglines");
  return lines.some((line) => isLine(line));
}

function isLine(line: JsonObject): boolean {
  const type = textIn(line, "type");
  const message = own(line, "message");
  if (type === undefined) return isCount(line);
  if (Object.hasOwn(line, "payload") || Object.hasOwn(line, "session_id")) return false;
  if (type === "user" || type === "assistant")
    return isObject(message) && Object.hasOwn(message, "content");
  return MARKS.get(type)?.some((mark) => Object.hasOwn(line, mark)) === true;
}

/** Some programs leave only the token counts of a session. */
function isCount(line: JsonObject): boolean {
  const message = own(line, "message");
  return Object.hasOwn(line, "sessionId") && isObject(message) && Object.hasOwn(message, "usage");
}

/** The lines of one file are one session, also where it was resumed under another id. */
class ClaudeFile implements Gatherer {
  readonly #about: Pick<About, "file" | "agent" | "siblings">;
  readonly #lines: JsonObject[] = [];
  #first: number | undefined;

  constructor(about: Pick<About, "file" | "agent" | "siblings">) {
    this.#about = about;
  }

  takes(record: Json): boolean {
    if (!isObject(record) || isDocument(record)) return false;
    const known = isLine(record);
    const part = ["sessionId", "uuid", "leafUuid"].some((key) => Object.hasOwn(record, key));
    return known || (this.#first !== undefined && part && typeof own(record, "type") === "string");
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
    const talk = this.#lines.filter((line) => Object.hasOwn(line, "message"));
    const aside = talk.length > 0 && talk.every((line) => own(line, "isSidechain") === true);
    const parent = aside ? this.#parentFile(talk) : undefined;
    if (parent !== undefined) {
      throw failure("E_RECORD_ASIDE", {
        to: "read the session as a run",
        because: `it is that of a sub-agent, and stands in the run of ${parent}`,
        fix: "Nothing is to be done",
      });
    }
    const agentLines = (agent: string, session: string) => this.#agentLines(agent, session);
    return claudeTrace(this.#lines, { format: FORMAT, about: this.#about, agentLines });
  }

  /** The file of the session that started this sub-agent, when it is read too. */
  #parentFile(talk: readonly JsonObject[]): string | undefined {
    const session = talk.map((line) => textIn(line, "sessionId")).find((id) => id !== undefined);
    if (session === undefined || !/^[\w-]+$/.test(session)) return undefined;
    const siblings = this.#about.siblings;
    const own = this.#about.file.slice(this.#about.file.lastIndexOf("/") + 1);
    for (const folder of siblings === undefined ? [] : [".", "..", "../.."]) {
      const name = siblings
        ?.names(folder)
        .find((file) => file.endsWith(`${session}.jsonl`) && file !== own);
      const path = folder === "." ? name : `${folder}/${name}`;
      if (name !== undefined && path !== undefined && siblings?.wanted(path) === true) return path;
    }
    return undefined;
  }

  /** The lines of a sub-agent in a file of its own: beside the session, or in its folder. */
  #agentLines(agent: string, session: string): readonly JsonObject[] {
    const siblings = this.#about.siblings;
    if (siblings === undefined || !/^[\w-]+$/.test(agent)) return [];
    const ending = `agent-${agent}.jsonl`;
    for (const folder of [".", `${/^[\w-]+$/.test(session) ? session : "."}/subagents`]) {
      const name = siblings
        .names(folder)
        .find((file) => file === ending || file.endsWith(`.${ending}`));
      const lines =
        name === undefined ? [] : siblings.lines(folder === "." ? name : `${folder}/${name}`);
      if (lines.length > 0) return lines.filter((line) => isObject(line));
    }
    return [];
  }
}
