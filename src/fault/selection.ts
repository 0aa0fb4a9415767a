import type { ToolCall } from "../boundary/boundary.ts";
import { canonical, isObject, same, type Json } from "../shared/json.ts";
import type { Fault, FaultType } from "./fault.ts";

/** Which calls of its tool a fault has seen, and which it hits. */
export interface Seen {
  /** Calls of the tool. */
  calls: number;
  /** Of those, the ones whose arguments match. */
  matching: number;
  /** The highest count that `occurrence` was compared with. */
  highest: number;
  /** The first call that was hit. */
  hit: ToolCall | undefined;
}

/** Counts the calls of one fault's tool in one trial. */
export interface Selector {
  /** To be asked once for each call that the agent makes. */
  count(call: ToolCall): void;
  readonly selects: (call: ToolCall) => number | undefined;
  readonly seen: Readonly<Seen>;
}

/** The first and the last occurrence that a fault hits, and what is counted. */
export function rangeOf(
  fault: Fault,
  type: FaultType,
): { readonly from: number; readonly to: number; readonly per: "tool" | "arguments" } {
  const from = fault.occurrence ?? type.occurrence ?? 1;
  return { from, to: from + (fault.repeat ?? 1) - 1, per: fault.per ?? type.per ?? "tool" };
}

export function selectorOf(fault: Fault, type: FaultType): Selector {
  const { from, to, per } = rangeOf(fault, type);
  const { match } = fault;
  const hits = new Map<string, number>();
  let perArguments: Map<string, number> | undefined;
  const seen: Seen = { calls: 0, matching: 0, highest: 0, hit: undefined };
  const next = (args: Json): number => {
    if (per === "tool") return seen.matching;
    const key = canonical(args);
    const counts = (perArguments ??= new Map());
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return count;
  };
  return {
    seen,
    count(call) {
      seen.calls++;
      if (match !== undefined && !contains(call.args, match)) return;
      seen.matching++;
      const occurrence = next(call.args);
      seen.highest = Math.max(seen.highest, occurrence);
      if (occurrence < from || occurrence > to) return;
      hits.set(call.id, occurrence);
      seen.hit ??= call;
    },
    selects: (call) => hits.get(call.id),
  };
}

/** Whether a value has every member of another, at any depth; lists are compared item by item, and have the same length. */
export function contains(value: Json | undefined, wanted: Json): boolean {
  if (Array.isArray(wanted)) {
    if (!Array.isArray(value) || value.length !== wanted.length) return false;
    return wanted.every((item, at) => contains(value[at], item));
  }
  if (!isObject(wanted)) return value !== undefined && same(value, wanted);
  if (!isObject(value)) return false;
  return Object.entries(wanted).every(
    ([key, member]) => Object.hasOwn(value, key) && contains(value[key], member),
  );
}
