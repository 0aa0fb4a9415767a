import type { Awaitable, Layer } from "../boundary/boundary.ts";
import type { JsonObject } from "../shared/json.ts";
import type { ToolResult } from "../trace/trace.ts";
import { wait } from "./after.ts";
import type { Arena, Armed, Fault, FaultField } from "./fault.ts";
import { numberOf, textOf } from "./own.ts";

/** Fields of every fault that answers with an error. */
export const ERROR_FIELDS = {
  code: "code",
  message: "string",
  retryable: "boolean",
  delayMs: "ms",
} as const satisfies Readonly<Record<string, FaultField>>;

/** How a type's error reads where the fault says nothing else. */
export interface Wording {
  readonly name: string;
  readonly code: string;
  /** The message is the tool's name, a blank, and this. */
  readonly says: string;
  readonly retryable: boolean;
}

/** Of every timeout, so that nobody can tell whether the call was carried out. */
export const TIMED_OUT: Wording = {
  name: "TimeoutError",
  code: "TIMEOUT",
  says: "timed out",
  retryable: true,
};

/** The error that the agent gets. */
export function refusal(fault: Fault, wording: Wording, data?: JsonObject): ToolResult {
  const { code, retryable } = fault;
  return {
    ok: false,
    error: {
      name: wording.name,
      code: typeof code === "string" || typeof code === "number" ? code : wording.code,
      message: textOf(fault, "message", `${fault.tool} ${wording.says}`),
      retryable: typeof retryable === "boolean" ? retryable : wording.retryable,
      ...(data === undefined ? {} : { data }),
    },
  };
}

/** The same error, after the fault's delay on the clock. */
export function refuse({ clock }: Arena, fault: Fault, refused: ToolResult): Awaitable<ToolResult> {
  return wait(clock, numberOf(fault, "delayMs", 0), refused);
}

/** A layer that answers the calls that it hits with an error, and runs nothing. */
export function refusing(fault: Fault, { arena, selects }: Armed, wording: Wording): Layer {
  return (call, next) => {
    const occurrence = selects(call);
    if (occurrence === undefined) return next(call);
    arena.reached(call, { occurrence });
    return refuse(arena, fault, refusal(fault, wording));
  };
}
