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
const TIMED_OUT: Wording = {
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

/** A timeout that the agent is about to be told. */
interface Timeout {
  readonly told: Promise<ToolResult>;
  /** Tells something else, if the timeout was not told before. */
  readonly instead: (result: ToolResult) => void;
}

/**
 * A timeout, told after the fault's delay on the clock, always later and always by the same steps. Whoever asks for it before the tool
 * is asked gives the agent nothing to tell one timeout from another by, whether the tool answers at once, later or never.
 */
export function timeOut({ clock }: Arena, fault: Fault, onTold?: () => void): Timeout {
  const refused = refusal(fault, TIMED_OUT);
  let tell: (result: ToolResult) => void = () => undefined;
  const told = new Promise<ToolResult>((resolve) => {
    tell = resolve;
  });
  const lost = (): void => {
    onTold?.();
    tell(refused);
  };
  // A clock that is closed ends the wait.
  clock.sleep(numberOf(fault, "delayMs", 0)).then(lost, lost);
  return { told, instead: tell };
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
