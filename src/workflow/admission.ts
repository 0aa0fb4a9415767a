import type { ToolCall } from "../boundary/boundary.ts";
import { asRefusal } from "../boundary/limits.ts";
import { errorOf } from "../boundary/tool-error.ts";
import { canonical, type Json, type JsonObject } from "../shared/json.ts";
import { markerKind, put } from "../shared/marker.ts";
import { DEFAULT_LIMITS } from "./scenarios.ts";
import type { TrialLimits } from "./workflow.ts";

/** Why a call is not let through. */
export interface Refusal {
  readonly code: "call_limit" | "repeated_calls";
  readonly message: string;
}

/** Counts the calls of one trial, also over a restart of its agent. */
export class Admission {
  readonly #most: number;
  readonly #repeated: number | undefined;
  #equal: Map<string, number> | undefined;
  #calls = 0;

  constructor({ toolCalls = DEFAULT_LIMITS.toolCalls, repeatedCalls }: TrialLimits) {
    this.#most = toolCalls;
    this.#repeated = repeatedCalls;
  }

  /** Undefined when the call is let through. */
  refusal({ tool, args }: ToolCall): Refusal | undefined {
    if (this.#calls >= this.#most) return tooMany(tool, this.#most);
    if (this.#repeated !== undefined) {
      const key = `${tool} ${canonical(args)}`;
      const equal = (this.#equal ??= new Map());
      const times = (equal.get(key) ?? 0) + 1;
      equal.set(key, times);
      if (times > this.#repeated) return tooOften(tool, this.#repeated);
    }
    this.#calls++;
    return undefined;
  }
}

/** What a refused agent is told. */
export function refusalError({ code, message }: Refusal): Error {
  const name = code === "call_limit" ? "CallBudgetExceeded" : "RepeatedCalls";
  return asRefusal(errorOf({ name, code: "E_CALL_BUDGET", message, retryable: false }));
}

/** What code is told that calls when its agent has ended. */
export function lateError(tool: string): Error {
  const message = `Failed to call ${tool}: the agent's execution has ended. Await every tool call before the agent returns, and stop when context.signal is aborted.`;
  return asRefusal(
    errorOf({ name: "LateToolCall", code: "E_CALL_LATE", message, retryable: false }),
  );
}

function tooMany(tool: string, most: number): Refusal {
  const message = `the agent's call of ${tool} was refused: limits.toolCalls admits ${most} tool calls; raise it if the agent needs more, else look for a loop`;
  return { code: "call_limit", message };
}

function tooOften(tool: string, most: number): Refusal {
  const message = `the agent's call of ${tool} was refused: limits.repeatedCalls admits ${most} calls with equal arguments; raise it if the agent polls, else look for a loop`;
  return { code: "repeated_calls", message };
}

/** The call with its arguments as JSON has them: members that are undefined are none. */
export function asJson({ id, tool, args }: ToolCall, write: boolean): ToolCall {
  const json = defined(args);
  return write ? { id, tool, args: json, write } : { id, tool, args: json };
}

function defined(json: Json): Json {
  if (typeof json !== "object" || json === null) return json;
  if (Array.isArray(json)) return definedItems(json);
  for (const key in json) {
    const member = json[key] ?? null;
    if (typeof member !== "object" || member === null) continue;
    if (markerKind(member) === "undefined" || defined(member) !== member)
      return definedMembers(json);
  }
  return json;
}

function definedMembers(json: JsonObject): JsonObject {
  const copy: JsonObject = {};
  for (const key of Object.keys(json)) {
    const member = json[key] ?? null;
    if (markerKind(member) !== "undefined") put(copy, key, defined(member));
  }
  return copy;
}

function definedItems(items: Json[]): Json[] {
  let changed = false;
  const copy = items.map((item) => {
    // As JSON does.
    const kept = markerKind(item) === "undefined" ? null : defined(item);
    changed ||= kept !== item;
    return kept;
  });
  return changed ? copy : items;
}
