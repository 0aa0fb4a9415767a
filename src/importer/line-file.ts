import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import type { About, Gatherer, ImportedTrace, Late } from "./importer.ts";

/** How a format tells and reads the lines of a file that are one session together. */
export interface LineFormat {
  /** Whether a line is of the format by itself. */
  readonly starts: (line: JsonObject) => boolean;
  /** Whether a line belongs to a session that was begun. */
  readonly follows: (line: JsonObject) => boolean;
  /** Whether a line begins another session in the same file. */
  readonly opens?: (line: JsonObject) => boolean;
  readonly read: (lines: readonly JsonObject[], about: Pick<About, "agent">) => ImportedTrace;
}

/** The lines of one file, session by session. */
export class LineFile implements Gatherer {
  readonly #format: LineFormat;
  readonly #about: Pick<About, "agent">;
  readonly #sessions: { readonly record: number; readonly lines: JsonObject[] }[] = [];

  constructor(format: LineFormat, about: Pick<About, "agent">) {
    this.#format = format;
    this.#about = about;
  }

  takes(record: Json): boolean {
    if (!isObject(record)) return false;
    return (
      this.#format.starts(record) || (this.#sessions.length > 0 && this.#format.follows(record))
    );
  }

  add(record: Json, about: About): readonly ImportedTrace[] {
    if (!isObject(record)) return [];
    const last = this.#sessions.at(-1);
    if (last === undefined || this.#format.opens?.(record) === true) {
      this.#sessions.push({ record: about.record, lines: [record] });
    } else last.lines.push(record);
    return [];
  }

  end(): readonly Late[] {
    return this.#sessions.map(({ record, lines }) => ({
      record,
      read: () => this.#format.read(lines, this.#about),
    }));
  }
}
