import { after } from "./after.ts";
import type { FaultType } from "./fault.ts";
import { ERROR_FIELDS, refusal, refuse } from "./refusal.ts";

const EXPIRED = {
  name: "AuthenticationError",
  code: "AUTH_EXPIRED",
  says: "was refused: the access token has expired",
  retryable: false,
};

export const authExpired = {
  type: "auth_expired",
  label: "expired sign-in",
  summary:
    "The tool is refused and nothing is carried out, until the tool named by `refresh` was called with success; without one, for as many calls as `repeat` says.",
  appliesTo: ["read", "write"],
  fields: { ...ERROR_FIELDS, refresh: "tool" },
  matrix: true,
  commits: "none",
  problems: ({ tool, refresh }) =>
    refresh !== undefined && refresh === tool
      ? ["refresh: the tool cannot renew its own sign-in; name another tool"]
      : [],
  arm(fault, { arena, selects }) {
    const { refresh } = fault;
    let expired = false;
    return (call, next) => {
      if (call.tool === refresh)
        return after(next(call), (result) => {
          if (result.ok) expired = false;
          return result;
        });
      const occurrence = selects(call);
      if (occurrence !== undefined) expired = refresh !== undefined;
      else if (!expired) return next(call);
      arena.reached(call, occurrence === undefined ? { again: true } : { occurrence });
      return refuse(arena, fault, refusal(fault, EXPIRED));
    };
  },
} as const satisfies FaultType;
