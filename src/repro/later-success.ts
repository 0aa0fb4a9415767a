import { byCodeUnit } from "../shared/json.ts";
import type { Trace } from "../trace/trace.ts";

/** What decides which success is the later one; so a store need not read whole traces. */
export type Run = Pick<Trace, "id" | "taskId" | "status" | "startedAt">;

/**
 * The earliest success of the same task after a failed run. `successes` are traces without a real failure; those of
 * other tasks, of a status other than `ok`, and the trace itself are left out. Where a start time is missing any success
 * counts as later, so that the order of the files changes nothing.
 */
export function laterSuccess<T extends Run>(failing: Run, successes: readonly T[]): T | undefined {
  const later = successes.filter(
    (trace) =>
      trace.taskId === failing.taskId &&
      trace.id !== failing.id &&
      trace.status === "ok" &&
      (trace.startedAt ?? Infinity) >= (failing.startedAt ?? -Infinity),
  );
  return later.reduce<T | undefined>(
    (best, trace) => (best === undefined || isBefore(trace, best) ? trace : best),
    undefined,
  );
}

function isBefore(a: Run, b: Run): boolean {
  const [left, right] = [a.startedAt ?? Infinity, b.startedAt ?? Infinity];
  return left === right ? byCodeUnit(a.id, b.id) < 0 : left < right;
}
