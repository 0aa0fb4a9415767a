import { describeError } from "../boundary/tool-error.ts";
import { encode } from "../shared/encode.ts";
import { messageOf } from "../shared/error.ts";
import { isObject, type Json } from "../shared/json.ts";
import type { ToolResult, TraceError } from "../trace/trace.ts";
import { newWalk } from "./draft.ts";
import { plain, type NotJson } from "./plain.ts";

/** How a tool ended: an answer for the agent, or something that no service would do. */
export type Outcome =
  | { readonly result: ToolResult }
  | { readonly crash: string }
  | { readonly problem: NotJson };

const CRASHES: ReadonlySet<unknown> = new Set([
  "TypeError",
  "ReferenceError",
  "RangeError",
  "SyntaxError",
  "DataCloneError",
]);

/** What a tool's return value says: data, `{ ok: true, data }` or `{ ok: false, error }`. */
export function returned(value: unknown, marked: boolean): Outcome {
  const walk = newWalk(false);
  let data: Json;
  try {
    data = plain(value, walk) ?? null;
  } catch (thrown) {
    return { crash: `a result that cannot be read: ${messageOf(thrown)}` };
  }
  if (walk.problem !== undefined) return { problem: walk.problem };
  // The agent's side reads results as encoded values.
  if (marked || walk.marked === true) data = encode(data);
  if (!isObject(data) || typeof data["ok"] !== "boolean") return { result: { ok: true, data } };
  const { ok, data: inner, error, ...rest } = data;
  if (Object.keys(rest).length > 0) return { result: { ok: true, data } };
  if (ok && error === undefined) return { result: { ok: true, data: inner ?? null } };
  if (ok) return { result: { ok: true, data } };
  const told = errorOf(error);
  if (told === undefined) {
    const found =
      error === undefined ? "{ ok: false } without an error" : "an error without a message";
    return {
      problem: {
        pointer: "/error",
        found,
        instead: "return { ok: false, error: { code, message, retryable } }",
      },
    };
  }
  return { result: { ok: false, error: told, ...(inner === undefined ? {} : { data: inner }) } };
}

function errorOf(error: Json | undefined): TraceError | undefined {
  if (typeof error === "string") return { name: "ToolError", message: error };
  if (!isObject(error)) return undefined;
  const { name, code, message, retryable, ...data } = error;
  const known = typeof code === "string" || typeof code === "number" ? code : undefined;
  if (typeof message !== "string" && known === undefined) return undefined;
  return {
    name: typeof name === "string" ? name : "ToolError",
    ...(known === undefined ? {} : { code: known }),
    message: typeof message === "string" ? message : String(known),
    ...(typeof retryable === "boolean" ? { retryable } : {}),
    ...(Object.keys(data).length > 0 ? { data } : {}),
  };
}

/** What a thrown value says: an error that the service answers, or a mistake in the simulation's code. */
export function thrownOutcome(thrown: unknown): Outcome {
  const error = describeError(thrown);
  if (CRASHES.has(error.name)) return { crash: `${error.name ?? "Error"}: ${error.message}` };
  return { result: { ok: false, error } };
}
