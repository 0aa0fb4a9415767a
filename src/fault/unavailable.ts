import type { FaultType } from "./fault.ts";
import { ERROR_FIELDS, refusing } from "./refusal.ts";

export const unavailable = {
  type: "unavailable",
  label: "outage",
  summary:
    "The service cannot be reached: nothing is carried out, and the agent gets an error that may be retried.",
  appliesTo: ["read", "write"],
  fields: ERROR_FIELDS,
  matrix: true,
  commits: "none",
  arm: (fault, armed) =>
    refusing(fault, armed, {
      name: "ServiceUnavailableError",
      code: "SERVICE_UNAVAILABLE",
      says: "is unavailable",
      retryable: true,
    }),
} as const satisfies FaultType;
