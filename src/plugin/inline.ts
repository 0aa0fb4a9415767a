import type { Agent, InlineRecording, InlineRepro } from "../runtime.ts";
import { describeError } from "../runtime.ts";
import { failure } from "../shared/error.ts";
import { isObject } from "../shared/json.ts";

/** An agent, its task and the answers that its tools give: a mock as an ordinary test. */
export interface InlineReplay extends InlineRepro {
  readonly agent: Agent;
}

const MEMBERS: ReadonlySet<string> = new Set([
  "tool",
  "args",
  "data",
  "chunks",
  "error",
  "params",
  "write",
  "sync",
]);

/**
 * The cassette of an inline replay, checked as a person writes it; an Error may stand for its members.
 * @throws E_CASSETTE_INLINE with the place of the entry that cannot be read
 */
export function checkedCassette(cassette: unknown): InlineRecording[] {
  if (!Array.isArray(cassette)) throw refused("/cassette", "it is no list");
  return cassette.map((entry: unknown, index) => checked(entry, `/cassette/${index}`));
}

function checked(entry: unknown, at: string): InlineRecording {
  if (!isObject(entry)) throw refused(at, "it is no object");
  const unknown = Object.keys(entry).find((key) => !MEMBERS.has(key));
  if (unknown !== undefined) throw refused(`${at}/${unknown}`, "there is no such member");
  const given = entry as unknown as InlineRecording;
  if (typeof given.tool !== "string" || given.tool === "")
    throw refused(`${at}/tool`, "it is no name");
  const answers = ["data", "chunks", "error"].filter((key) => Object.hasOwn(entry, key));
  if (answers.length > 1) throw refused(at, `it has both ${answers.join(" and ")}`);
  if (Object.hasOwn(entry, "chunks") && !Array.isArray(given.chunks))
    throw refused(`${at}/chunks`, "it is no list");
  const { error } = given;
  if (error === undefined) return given;
  // An Error of any realm has a stack; its members are not enumerable.
  if (!isObject(error) || "stack" in error) return { ...given, error: described(error) };
  if (typeof error["message"] !== "string") throw refused(`${at}/error/message`, "it is no text");
  return given;
}

function described(thrown: unknown): NonNullable<InlineRecording["error"]> {
  const { name, code, message, retryable } = describeError(thrown);
  return {
    message,
    ...(name === undefined ? {} : { name }),
    ...(code === undefined ? {} : { code }),
    ...(retryable === undefined ? {} : { retryable }),
  };
}

function refused(at: string, because: string): Error {
  return failure("E_CASSETTE_INLINE", {
    to: `read ${at} of an inline replay`,
    because,
    fix: 'Write entries as { tool: "refund", args: { id: "A-1" }, data: { ok: true } }, or with error, or the chunks of a stream, in place of data',
  });
}
