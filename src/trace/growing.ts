import type { ToolResult } from "./trace.ts";

/** A result that is not whole yet: a stream that the agent is still reading. */
export interface Growing {
  /** Calls back once, when the stream has ended, broken or been left. */
  onEnd(listener: (whole: ToolResult) => void): void;
  /** The result as far as it was read. */
  soFar(): ToolResult;
}

/** Shared by every copy of the package. */
const GROWING: unique symbol = Symbol.for("twiceshy.growing") as never;

/** Marks a result as growing; the mark is invisible to JSON. */
export function withGrowing(result: ToolResult, growing: Growing): ToolResult {
  return Object.defineProperty(result, GROWING, { value: growing });
}

export function growingOf(result: ToolResult): Growing | undefined {
  return (result as { readonly [GROWING]?: Growing })[GROWING];
}
