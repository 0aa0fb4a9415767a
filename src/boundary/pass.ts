import { sleep } from "../shared/clock.ts";
import { decode, encode } from "../shared/encode.ts";
import type { Json } from "../shared/json.ts";
import type { ToolResult } from "../trace/trace.ts";
import { insideTool } from "./ambient.ts";
import { nameArguments } from "./arguments.ts";
import { isPromise, type Awaitable, type Boundary, type ToolCall } from "./boundary.ts";
import { isRecordedStream, isStream, rebuildStream, tapStream } from "./stream.ts";
import { describeError, rebuildError } from "./tool-error.ts";

/** A tool as the boundary's edge knows it. */
export interface Tool {
  readonly name: string;
  /** The real function; missing where only the name is known, as in a replay. */
  readonly fn?: Callable;
  /** Names of its positional parameters. */
  readonly params?: readonly string[];
  readonly write?: boolean;
}

export type Callable = (...args: never[]) => unknown;

/** One call as the agent made it. */
interface Invocation {
  readonly self: unknown;
  readonly args: readonly unknown[];
  /** The arguments by name, when the agent gave them so. */
  readonly named?: Json;
  /** Whether a refusal is told by a rejected promise: the tool is known to answer with one. */
  readonly later: boolean;
}

type Raw = { readonly value: unknown } | { readonly thrown: unknown };
/** What live tools gave themselves, by the results that stand for it; made when the first one answers. */
type Raws = { of?: Map<ToolResult, Raw> };

/**
 * Takes one call through a boundary. The agent gets the tool's own value or error, the very same object, unless a layer
 * put another result in its place; a tool that answers without a promise does so here, too.
 */
export function passBoundary(boundary: Boundary, tool: Tool, invocation: Invocation): unknown {
  const raws: Raws = {};
  let answered: Awaitable<ToolResult>;
  try {
    answered = boundary.call(callOf(boundary, tool, { invocation, raws }));
  } catch (refusal) {
    if (!invocation.later) throw refusal;
    // After a turn of the event loop, so that an agent that tries for ever does not starve its own deadline.
    answered = sleep(0).then(() => {
      throw refusal;
    });
  }
  if (!isPromise(answered)) return opened(answered, raws);
  const value = Promise.resolve(answered).then((result) => opened(result, raws));
  if (boundary.runs !== undefined) value.catch(() => undefined);
  return value;
}

interface Passing {
  readonly invocation: Invocation;
  readonly raws: Raws;
}

function callOf(boundary: Boundary, tool: Tool, passing: Passing): ToolCall {
  const { name, params, write, fn } = tool;
  const { args, named } = passing.invocation;
  const id = boundary.nextId();
  const given = named === undefined ? nameArguments(args, params) : { args: named };
  const call: { -readonly [K in keyof ToolCall]: ToolCall[K] } = { id, tool: name, ...given };
  if (write !== undefined) call.write = write;
  if (fn !== undefined) call.live = () => asked(name, fn, passing);
  return call;
}

/** Asks the real tool and keeps its own value beside the copy. */
function asked(name: string, fn: Callable, { invocation, raws }: Passing): Awaitable<ToolResult> {
  const answered = (value: unknown): ToolResult => {
    if (!isStream(value)) return kept(raws, { ok: true, data: encode(value) }, { value });
    const { stream, result } = tapStream(value, (run) => insideTool(name, run));
    return kept(raws, result, { value: stream });
  };
  const broken = (thrown: unknown): ToolResult =>
    kept(raws, { ok: false, error: describeError(thrown) }, { thrown });
  try {
    const value = insideTool(name, () => Reflect.apply(fn, invocation.self, invocation.args));
    return isPromise(value) ? Promise.resolve(value).then(answered, broken) : answered(value);
  } catch (thrown) {
    return broken(thrown);
  }
}

function kept(raws: Raws, result: ToolResult, raw: Raw): ToolResult {
  (raws.of ??= new Map()).set(result, raw);
  return result;
}

/** What the agent gets of a result. */
function opened(result: ToolResult, raws: Raws): unknown {
  const raw = raws.of?.get(result);
  if (raw !== undefined) {
    if ("thrown" in raw) throw raw.thrown;
    return raw.value;
  }
  const { data } = result;
  if (result.ok) return isRecordedStream(data) ? rebuildStream(data) : decode(result.data);
  if (isRecordedStream(data)) return rebuildStream(data, () => rebuildError(result.error));
  // An error that the tool told in its data, without throwing.
  if (data !== undefined && (result.error.source ?? "thrown") !== "thrown") return decode(data);
  throw rebuildError(result.error);
}
