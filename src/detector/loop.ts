import { answerOf, type Call } from "./calls.ts";
import { clip } from "../shared/text.ts";
import type { Detector, Finding } from "./detector.ts";

const REPEAT = 3;

/** The same calls with the same answers, again and again. */
export const loop: Detector = {
  kind: "loop",
  detector: "heuristic",
  summary:
    "The same call, or a cycle of calls, got the same answer again and again while nothing changed. Polling that moves on is none.",
  excusedWhenPassed: true,
  detect({ trace, calls }, { loopRepeat = REPEAT }) {
    const repeat = Math.max(2, loopRepeat);
    if (calls.length < repeat) return [];
    // What was never answered did not get the same answer.
    const answered = calls.filter(({ step }) => step.result !== undefined);
    const frequent = frequentOf(answered, repeat);
    if (frequent.size === 0) return [];
    const counted = countedOf(answered, frequent);
    const inputs = new Set(trace.steps.flatMap((step, at) => (step.kind === "input" ? [at] : [])));
    const runs = runsOf(counted, { repeat, inputs }).filter((run) => run.places.length >= repeat);
    const byPlace = new Map(counted.map((item) => [item.call.at, item]));
    return mergedOf(runs).map((group) => findingOf(group, { repeat, byPlace }));
  },
};

/** A call with its answer, counted; the calls of one batch count once. */
interface Counted {
  readonly call: Call;
  readonly answer: string;
  /** Places where this call got this answer, in the whole trace. */
  readonly places: readonly number[];
  /** Whether the call's place is among them; not when an equal call of its batch is. */
  readonly counts: boolean;
}

/** One call with one answer, for the last time until the end or until its answer changed. */
interface Run {
  readonly counted: Counted;
  readonly places: number[];
}

/** Keys of the calls that were made so often that they may be a loop; most runs have none. */
function frequentOf(calls: readonly Call[], repeat: number): ReadonlySet<string> {
  const counts = new Map<string, number>();
  const frequent = new Set<string>();
  for (const { key } of calls) {
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    if (count >= repeat) frequent.add(key);
  }
  return frequent;
}

function countedOf(calls: readonly Call[], frequent: ReadonlySet<string>): Counted[] {
  const all = new Map<string, { readonly places: number[]; batch: number | undefined }>();
  return calls.map((call) => {
    // What a rare call was answered decides nothing: however equal its answers are, they are too few.
    const answer = frequent.has(call.key) ? answerOf(call) : "";
    const key = `${call.key}\u0000${answer}`;
    const { batch } = call.step;
    const known = all.get(key) ?? { places: [], batch: undefined };
    const counts = known.places.length === 0 || batch === undefined || batch !== known.batch;
    if (counts) known.places.push(call.at);
    known.batch = batch;
    all.set(key, known);
    return { call, answer, places: known.places, counts };
  });
}

/**
 * The last run of each call. A run ends when the call's answer changes, when the user speaks, and when something
 * else happened that may have changed the state: a call that worked, is no mere look, and is not itself repeated.
 */
function runsOf(
  counted: readonly Counted[],
  about: { readonly repeat: number; readonly inputs: ReadonlySet<number> },
): Run[] {
  const runs = new Map<string, { counted: Counted; places: number[]; epoch: number }>();
  let epoch = 0;
  let before = -1;
  for (const item of counted) {
    const { call, places } = item;
    for (let at = before + 1; at < call.at; at++) if (about.inputs.has(at)) epoch++;
    before = call.at;
    const mayChange = call.worked && (call.effect === "write" || call.effect === "unknown");
    if (mayChange && places.length < about.repeat) epoch++;
    const run = runs.get(call.key);
    if (run === undefined || run.counted.answer !== item.answer || run.epoch !== epoch) {
      runs.set(call.key, { counted: item, places: [call.at], epoch });
    } else if (item.counts) run.places.push(call.at);
  }
  return [...runs.values()];
}

/** Runs that overlap are one loop: a cycle. In order of their first call. */
function mergedOf(runs: readonly Run[]): Run[][] {
  const groups: { runs: Run[]; end: number }[] = [];
  for (const run of [...runs].sort((a, b) => first(a) - first(b))) {
    const group = groups.at(-1);
    const end = run.places.at(-1) ?? 0;
    if (group !== undefined && first(run) < group.end) {
      group.runs.push(run);
      group.end = Math.max(group.end, end);
    } else groups.push({ runs: [run], end });
  }
  return groups.map((group) => group.runs);
}

function first(run: Run): number {
  return run.places[0] ?? 0;
}

interface Known {
  readonly repeat: number;
  readonly byPlace: ReadonlyMap<number, Counted>;
}

function findingOf(group: readonly Run[], known: Known): Finding {
  const tools = group.map((run) => run.counted.call.tool);
  const times = Math.min(...group.map((run) => run.places.length));
  const result = group[0]?.counted.call.error === undefined ? "the same answer" : "the same error";
  const message =
    group.length === 1
      ? `${tools[0]} was called ${times} times with the same arguments and gave ${result}.`
      : `The cycle ${tools.join("->")} ran ${times} times with the same answers.`;
  return {
    severity: "medium",
    tool: tools[0] ?? "",
    step: shownBy(group, known),
    message: clip(message, 500),
  };
}

/** The place by which the loop shows without what comes later: also what lies between must have been repeated by then. */
function shownBy(group: readonly Run[], { repeat, byPlace }: Known): number {
  const from = group[0] === undefined ? 0 : first(group[0]);
  const seen = Math.max(...group.map((run) => run.places[repeat - 1] ?? 0));
  let shown = seen;
  for (let at = from + 1; at < seen; at++) {
    const places = byPlace.get(at)?.places ?? [];
    if (places.length >= repeat) shown = Math.max(shown, places[repeat - 1] ?? 0);
  }
  return shown;
}
