import type { Check } from "../check/check.ts";
import { encode } from "../shared/encode.ts";
import { byCodeUnit, type Json } from "../shared/json.ts";
import type { Expected } from "../trace/trace.ts";
import type { Recording, Repro } from "./repro.ts";

/** One answer of an inline cassette: `data`, or an `error` that the tool throws. */
export interface InlineRecording {
  readonly tool: string;
  /** Default: none, `{}`. */
  readonly args?: unknown;
  /** Default: undefined. */
  readonly data?: unknown;
  /** The parts of a stream, in place of data. */
  readonly chunks?: readonly unknown[];
  readonly error?: {
    readonly name?: string;
    readonly code?: string | number;
    readonly message: string;
    readonly retryable?: boolean;
  };
  /** Names of the parameters, for a tool that is called with positional arguments. */
  readonly params?: readonly string[];
  /** Whether the tool changes something, so that a second equal call is a miss. Default: judged by its name. */
  readonly write?: boolean;
  /** Whether it answers without a promise. */
  readonly sync?: boolean;
}

/** A cassette written by hand, as a mock in an ordinary test. */
export interface InlineRepro {
  readonly task: unknown;
  readonly cassette: readonly InlineRecording[];
  readonly checks?: readonly Check[];
  /** Signatures that must not be there. */
  readonly signatures?: readonly string[];
  readonly matching?: "keyed" | "loose";
  readonly volatile?: readonly string[];
  readonly limits?: { readonly toolCalls?: number; readonly ms?: number };
  /** Further tools that the agent may ask; each call of them is a miss. */
  readonly tools?: readonly string[];
  readonly outputSchema?: unknown;
  readonly expected?: Expected;
  readonly title?: string;
}

export function isRepro(source: Repro | InlineRepro): source is Repro {
  return "id" in source && "source" in source;
}

/** The inline cassette's answers as recordings. */
export function recordingsOfInline(source: InlineRepro): Recording[] {
  return source.cassette.map(({ tool, args, data, chunks, error, params, write, sync }) => ({
    tool,
    args: encode(args ?? {}),
    result:
      error === undefined
        ? { ok: true, data: chunks === undefined ? encode(data) : streamOf(chunks) }
        : { ok: false, error: { ...error } },
    ...(params === undefined ? {} : { params: [...params] }),
    ...(write === undefined ? {} : { write }),
    ...(sync === undefined ? {} : { sync }),
  }));
}

/** A stream as the recorder writes one. */
function streamOf(chunks: readonly unknown[]): Json {
  return { $t: "stream", v: chunks.map((chunk) => encode(chunk)) };
}

/** Names of every tool of a cassette and of others, sorted. */
export function toolNames(
  cassette: readonly { readonly tool: string }[],
  others: readonly string[] = [],
): string[] {
  const names = new Set(others);
  for (const { tool } of cassette) names.add(tool);
  return [...names].sort(byCodeUnit);
}
