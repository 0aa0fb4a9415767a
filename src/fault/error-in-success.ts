import type { Json } from "../shared/json.ts";
import { wait } from "./after.ts";
import type { Fault, FaultType } from "./fault.ts";
import { numberOf, textOf } from "./own.ts";

export const errorInSuccess = {
  type: "error_in_success",
  label: "error in a success",
  summary:
    "Nothing is carried out, and the agent gets an answer that looks like a success until it is read: the data says that the call failed.",
  appliesTo: ["read", "write"],
  fields: { code: "code", message: "string", delayMs: "ms", style: ["flag", "mcp"] },
  matrix: true,
  commits: "none",
  arm:
    (fault, { arena, selects }) =>
    (call, next) => {
      const occurrence = selects(call);
      if (occurrence === undefined) return next(call);
      arena.reached(call, { occurrence });
      return wait(arena.clock, numberOf(fault, "delayMs", 0), { ok: true, data: failureIn(fault) });
    },
} as const satisfies FaultType;

function failureIn(fault: Fault): Json {
  const { style } = fault;
  const code =
    typeof fault["code"] === "number" ? fault["code"] : textOf(fault, "code", "INTERNAL_ERROR");
  const message = textOf(fault, "message", `${fault.tool} failed`);
  return style === "mcp"
    ? { isError: true, content: [{ type: "text", text: `${String(code)}: ${message}` }] }
    : { success: false, error: { code, message } };
}
