import type { Completion } from "../agent/agent.ts";
import { isRefusal } from "../boundary/limits.ts";
import { describeError } from "../boundary/tool-error.ts";
import { completionOf } from "./completion.ts";
import type { Evidence } from "./evidence.ts";
import type { Side } from "./trial-result.ts";

/** How the agent of a trial ended, or what ended it; what is `refused` was written down when it happened. */
export type Ending =
  | { readonly kind: "returned"; readonly value: unknown }
  | { readonly kind: "threw"; readonly thrown: unknown }
  | {
      readonly kind: "stopped";
      readonly code: string;
      readonly message: string;
      readonly side?: Side;
    }
  | { readonly kind: "refused" };

/** How long it took, what it may take, and what the agent said before it returned. */
interface About {
  readonly tookMs: number;
  readonly ms: number;
  readonly said: unknown;
}

/** Writes down how the agent ended; gives its completion, when it has one. */
export function conclude(
  evidence: Evidence,
  ending: Ending,
  { tookMs, ms, said }: About,
): Completion | undefined {
  if (ending.kind === "refused") return undefined;
  if (ending.kind === "stopped") {
    const { code, message, side } = ending;
    evidence.limit(side === undefined ? { code, message } : { code, message, side });
    return undefined;
  }
  if (tookMs > ms) {
    const message = `the agent blocked the process until its time was over; limits.ms is ${ms}, raise it if the work is needed`;
    evidence.limit({ code: "timed_out", message });
    return undefined;
  }
  if (ending.kind === "threw") {
    // A refusal was written down when it happened; one that was not is another trial's, or the agent's own.
    const told =
      isRefusal(ending.thrown) && evidence.log.events.some(({ kind }) => kind === "limit");
    if (!told) evidence.error("agent", describeError(ending.thrown));
    return undefined;
  }
  const completion = completionOf(ending.value ?? said);
  if (completion !== undefined) evidence.completion(completion);
  return completion;
}
