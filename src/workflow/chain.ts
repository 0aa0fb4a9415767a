import { sha256 } from "../shared/hash.ts";

/**
 * The lines of a report, bound to each other: each carries a digest of its own text and of the digest before it, so that the last one is
 * over all. A line that somebody edited, moved, took out or put in is known by its place. It guards against edits by hand and against
 * damage, not against whoever makes the digests anew: there is no key. What can be judged again is judged again all the same.
 */
export class Chain {
  #last = "";

  /** The text of a record's line, without its line break. */
  seal(record: object): string {
    const body = JSON.stringify(record);
    this.#last = this.#next(body);
    return `${body.slice(0, -1)},"digest":"${this.#last}"}`;
  }

  /** The record's own text in a line, and what is wrong with the line. */
  open(line: string): { readonly body: string; readonly problem?: string } {
    const found = END.exec(line.slice(-END_LENGTH));
    if (found === null) return { body: line, problem: "it does not end with its digest" };
    const body = `${line.slice(0, -END_LENGTH)}}`;
    const digest = this.#next(body);
    if (digest !== found[1])
      return {
        body,
        problem:
          "it is not as it was written, or the line before it is another: its digest does not fit",
      };
    this.#last = digest;
    return { body };
  }

  #next(body: string): string {
    return sha256(`${this.#last}\n${body}`, 16);
  }
}

const END = /^,"digest":"([0-9a-f]{16})"\}$/u;
const END_LENGTH = `,"digest":"0123456789abcdef"}`.length;
