import type { ToolCall } from "../boundary/boundary.ts";
import type { ToolResult } from "../trace/trace.ts";
import type { Delivered, Delivery } from "./open.ts";
import type { Mutation } from "./world.ts";

/** A call that waits for those before it. */
export interface Waiting {
  readonly call: ToolCall;
  readonly start: () => void;
  readonly cancel: () => void;
}

/** How a call is delivered that no fault is about. */
export const WHOLE: Delivery = {};

const NO_MUTATIONS: readonly Mutation[] = Object.freeze([]);

/** A delivery that committed nothing; `cut` is how many changes it left out. */
export function nothing(result: ToolResult, cut?: number): Delivered {
  const mutations = NO_MUTATIONS;
  return cut === undefined ? { result, mutations } : { result, mutations, cut };
}

export function resultOf({ result }: Delivered): ToolResult {
  return result;
}
