import type { FaultType } from "./fault.ts";
import { numberOf } from "./own.ts";
import { ERROR_FIELDS, refusal, refuse } from "./refusal.ts";

const DENIED = {
  name: "PermissionError",
  code: "PERMISSION_DENIED",
  says: "is not permitted",
  retryable: false,
};

export const permissionRevoked = {
  type: "permission_revoked",
  label: "revoked permission",
  summary:
    "From this call on the tool is refused and nothing is carried out, for good or until so many calls were refused; that is counted once.",
  appliesTo: ["write"],
  fields: { ...ERROR_FIELDS, restoreAfter: "count" },
  matrix: true,
  commits: "none",
  problems: ({ repeat }) =>
    repeat === undefined || repeat === 1
      ? []
      : [
          "repeat: a permission is revoked once, for good; leave it out, or say in `restoreAfter` how many calls are refused",
        ],
  arm(fault, { arena, selects }) {
    let left = 0;
    return (call, next) => {
      const occurrence = selects(call);
      if (occurrence !== undefined) {
        left = numberOf(fault, "restoreAfter", Number.POSITIVE_INFINITY);
        arena.reached(call, { occurrence });
      }
      if (left <= 0) return next(call);
      left--;
      return refuse(arena, fault, refusal(fault, DENIED));
    };
  },
} as const satisfies FaultType;
