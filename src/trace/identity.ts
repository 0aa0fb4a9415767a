import { randomUUID } from "node:crypto";
import { now } from "../shared/clock.ts";
import { sha256 } from "../shared/hash.ts";
import { canonical, type Json } from "../shared/json.ts";
import type { Trace } from "./trace.ts";

/** Groups retries: equal tasks have equal ids, on every machine. */
export function taskIdOf(task: Json): string {
  return `task_${sha256(canonical(task), 12)}`;
}

/** The id of an imported trace: a hash of its content, so the same record read twice is the same trace. */
export function traceIdOf(trace: Omit<Trace, "id">): string {
  return `tr_${sha256(canonical(trace as Json), 16)}`;
}

/** The id of a live trace: 12 hex digits of the time in milliseconds, then 10 of a random start; sorts by start. */
export function newTraceId(): string {
  const time = Math.max(0, Math.trunc(now())).toString(16).padStart(12, "0");
  return `tr_${time}${(next() % RANGE).toString(16).padStart(10, "0")}`;
}

const RANGE = 0x100_0000_0000;
const LAST: unique symbol = Symbol.for("twiceshy.last-trace") as never;

/** Counts on from a random number: as far from other processes as a new one each time, and cheaper. */
function next(): number {
  const shared = globalThis as { [LAST]?: number };
  return (shared[LAST] = (shared[LAST] ?? Number.parseInt(randomUUID().slice(-10), 16)) + 1);
}
