import type { Trace } from "../trace/trace.ts";
import type { Cassette } from "./cassette.ts";
import type { Evidence } from "./judge.ts";
import type { Miss } from "./result.ts";

/** What a cassette showed in a run, by the steps of its trace. */
export function shownBy(
  cassette: Cassette,
  trace: Trace,
): Pick<Evidence, "exhausted" | "exhaustedAt"> & { readonly misses: readonly Miss[] } {
  const by = cassette.exhaustedBy();
  const last = trace.steps.find(
    (step) => step.kind === "tool" && by !== undefined && step.id === by,
  );
  return {
    misses: missesIn(trace, cassette.misses),
    exhausted: cassette.misses[0]?.exhausted === true,
    ...(last === undefined ? {} : { exhaustedAt: last.index + 1 }),
  };
}

/** The misses with their steps in the trace; a call that the trace does not hold counts as its end. */
function missesIn(trace: Trace, misses: Cassette["misses"]): Miss[] {
  if (misses.length === 0) return [];
  const steps = new Map<string, number>();
  for (const step of trace.steps) {
    if (step.kind === "tool" && step.id !== undefined) steps.set(step.id, step.index);
  }
  return misses.map(({ call, exhausted: _exhausted, ...miss }) => ({
    ...miss,
    step: steps.get(call) ?? trace.steps.length,
  }));
}
