import type { FaultType } from "./fault.ts";
import { ERROR_FIELDS, refusing, TIMED_OUT } from "./refusal.ts";

export const timeoutBefore = {
  type: "timeout_before",
  label: "timeout before the effect",
  summary:
    "The call is never carried out, and the agent gets a timeout that looks like a lost confirmation.",
  appliesTo: ["read", "write"],
  fields: ERROR_FIELDS,
  matrix: true,
  commits: "none",
  arm: (fault, armed) => refusing(fault, armed, TIMED_OUT),
} as const satisfies FaultType;
