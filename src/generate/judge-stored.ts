import { existsSync } from "node:fs";
import type { Config } from "../config/config.ts";
import { real, type Failure } from "../detector/detector.ts";
import { inOrder } from "../shared/in-order.ts";
import { oneLine } from "../shared/text.ts";
import { openStore, type Damage, type Store } from "../store/store.ts";
import type { Trace } from "../trace/trace.ts";
import { judging, type Judge, type Opinion } from "./judging.ts";
import { lookWith } from "./look.ts";

/** A run that the judge found off track. */
export interface OffTrack {
  readonly trace: string;
  /** Whether a detector found it failing, too. */
  readonly failing: boolean;
  /** Whether the judge was asked now. */
  readonly asked: boolean;
  readonly failure: Failure;
}

/** What a judge said of many traces. */
export interface Judged {
  readonly model: string;
  /** Traces with an answer, of now or of an earlier time. */
  readonly traces: number;
  /** Traces that the judge was asked about now. */
  readonly asked: number;
  readonly offTrack: readonly OffTrack[];
  /** Whether what only the judge found makes a trace failing. */
  readonly gate: boolean;
  readonly unjudged: Unjudged;
}

/** Traces without an answer: they are neither on track nor off. */
export interface Unjudged {
  readonly traces: number;
  readonly problems: readonly UnjudgedFor[];
}

interface UnjudgedFor {
  readonly code: string;
  /** Of the first such trace. */
  readonly message: string;
  readonly traces: number;
}

/** Counts opinions. */
export interface Tally {
  add(trace: string, opinion: Opinion, failing: boolean): void;
  total(): Judged;
}

export function tallyOf({ model, gate }: Judge): Tally {
  let [traces, asked, unjudged] = [0, 0, 0];
  const offTrack: OffTrack[] = [];
  const problems = new Map<string, { code: string; message: string; traces: number }>();
  return {
    add(trace, opinion, failing) {
      if (opinion.asked) asked += 1;
      if (opinion.unjudged === undefined) traces += 1;
      else {
        unjudged += 1;
        const { code, message } = opinion.unjudged;
        const known = problems.get(code) ?? { code, message, traces: 0 };
        known.traces += 1;
        problems.set(code, known);
      }
      const { failure } = opinion;
      if (failure !== undefined) offTrack.push({ trace, failing, asked: opinion.asked, failure });
    },
    total: () => ({
      model,
      traces,
      asked,
      offTrack,
      gate,
      unjudged: { traces: unjudged, problems: [...problems.values()] },
    }),
  };
}

/** Traces that are read ahead for each one that is judged, so that a slow answer does not hold up the others. */
export const AHEAD = 4;

/**
 * Asks the judge about every trace of the store that was looked at and not judged before; the answers are kept there. Where the
 * judge gates, what it alone found is kept with the failures of the detectors. Throws E_STORE_*.
 */
export async function judgeStored(
  config: Config,
  judge: Judge,
  onTrace: () => void = () => undefined,
): Promise<Judged> {
  const tally = tallyOf(judge);
  if (!existsSync(config.store)) return tally.total();
  const store = openStore(config.store);
  try {
    const opinion = judging(judge, store);
    const onDamaged = ({ trace, because }: Damage): void => {
      const message = `Failed to judge the trace ${oneLine(trace, 80)}: ${because}. Read its file again.`;
      tally.add(trace, { unjudged: { code: "E_STORE_DAMAGED", message }, asked: false }, false);
    };
    const traces = store.traces({ onDamaged });
    const judged = inOrder(traces, judge.concurrency * AHEAD, async (trace) => {
      const found = await opinion(trace);
      return { trace, found };
    });
    for await (const { trace, found } of judged) {
      const rules = (store.failures(trace.id) ?? []).filter(({ detector }) => detector !== "judge");
      tally.add(trace.id, found, real(rules).length > 0);
      if (judge.gate && found.unjudged === undefined) keepWith(store, trace, { rules, found });
      onTrace();
    }
    return tally.total();
  } finally {
    store.close();
  }
}

/** A trace that a detector found failing needs no judge: its repro stays as it is, whatever a model says. */
function keepWith(
  store: Store,
  trace: Trace,
  { rules, found: { failure } }: { readonly rules: readonly Failure[]; readonly found: Opinion },
): void {
  const counts = failure !== undefined && failure.severity !== "low" && real(rules).length === 0;
  const wanted = counts ? [...rules, failure] : rules;
  if (JSON.stringify(store.failures(trace.id) ?? []) === JSON.stringify(wanted)) return;
  store.saveFailures([{ trace: trace.id, ...lookWith(trace, wanted) }]);
}
