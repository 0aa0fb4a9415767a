import type { Json } from "../shared/json.ts";
import { isPromiseLike } from "../trace/promise-like.ts";
import type { ToolResult } from "../trace/trace.ts";

/** The agent asking a tool. */
export interface ToolCall {
  /** Unique within one agent execution. */
  readonly id: string;
  readonly tool: string;
  /** Encoded copy, taken at invocation; the agent cannot change it any more. */
  readonly args: Json;
  /** Parameter names that named the positional arguments. */
  readonly params?: readonly string[];
  /** Whether the tool changes something; unknown when missing. */
  readonly write?: boolean;
  /** Asks the real tool with the agent's own arguments; missing where there is none, as in a replay. */
  readonly live?: () => Awaitable<ToolResult>;
}

/** A value now or later: tools that answer without a promise stay synchronous through every layer. */
export type Awaitable<T> = T | Promise<T>;

/** What answers a call at the end of the boundary. */
export type Answer = (call: ToolCall) => Awaitable<ToolResult>;

/** One thing that the boundary does around every call: record, limit, guard, inject. */
export type Layer = (call: ToolCall, next: Answer) => Awaitable<ToolResult>;

/** The one place where an agent's tool calls pass. */
export interface Boundary {
  readonly call: Answer;
  /** A fresh call id. */
  readonly nextId: () => string;
  /**
   * Set while we run the agent ourselves; missing in production. A call's rejection that the agent never awaits then
   * does not reach the process, and in a replay nothing is captured beside it.
   */
  readonly runs?: "record" | "replay";
}

/** Answers every call with the real tool. */
export function liveAnswer(call: ToolCall): Awaitable<ToolResult> {
  if (call.live !== undefined) return call.live();
  const message = `there is no tool named ${JSON.stringify(call.tool)}`;
  return {
    ok: false,
    error: { name: "UnknownTool", code: "E_TOOL_UNKNOWN", message, retryable: false },
  };
}

/** Answers by the boundary around, so that it sees the calls, too; where there is none, with the real tool. */
export function answerVia(outer: Boundary | undefined): Answer {
  if (outer === undefined) return liveAnswer;
  return (call) => outer.call({ ...call, id: outer.nextId() });
}

/** Whether a value is a promise or another thenable, of any realm. */
export function isPromise<T>(value: Awaitable<T>): value is Promise<T> {
  return isPromiseLike(value);
}

/** Composes layers, the first outermost, over what answers. */
export function boundary(layers: readonly Layer[], answer: Answer): Boundary {
  const call = layers.reduceRight<Answer>(
    (next, layer) => (toolCall) => layer(toolCall, next),
    answer,
  );
  let calls = 0;
  return { call, nextId: () => `call_${++calls}` };
}
