import type { Verdict } from "../check/verdict.ts";
import { failure } from "../shared/error.ts";
import { sha256 } from "../shared/hash.ts";
import { canonical, isObject, type Json } from "../shared/json.ts";
import { countParts, type Holds, reduceJson, reduceList } from "./reduce.ts";
import type { Recording, Repro } from "./repro.ts";

/** A repro with the large results that it names. */
export interface WholeRepro {
  readonly repro: Repro;
  readonly blobs: Readonly<Record<string, Json>>;
}

/** What of a replay counts for minimising. */
export interface Shown {
  readonly verdict: Verdict;
  readonly signatures: readonly string[];
  readonly misses: number;
}

export interface MinimiseOptions {
  /** Replays of the agent at most. */
  readonly budget: number;
  /** Replays the agent on a candidate. */
  readonly run: (candidate: WholeRepro) => Promise<Shown>;
  readonly onReplay?: (replays: number) => void;
}

export interface Minimised extends WholeRepro {
  readonly replays: number;
  /** Whether the budget ended the search; then something smaller may exist. */
  readonly stopped: boolean;
  /** What was left out, one phrase each; empty when nothing could be. */
  readonly removed: readonly string[];
}

/** Results from this size are made smaller; shorter ones are read at a glance. */
const LARGE_RESULT = 400;
const LONGEST_SEARCH = 200;

/** How many replays a search may take before it is done: two for each part that could go, at most 200. */
export function budgetFor({ repro, blobs }: WholeRepro): number {
  const results = repro.cassette.map((recording) =>
    countParts(largeDataOf(recording, blobs) ?? null),
  );
  const parts =
    countParts(repro.task) + repro.cassette.length + results.reduce((sum, count) => sum + count, 0);
  return Math.min(LONGEST_SEARCH, 2 * parts + 2);
}

/**
 * The smallest repro that still gives the same verdict and signatures with the agent as it is: recordings of the failed
 * run, parts of the task and of large results are left out. A later success's recordings stay: a failing agent never asks
 * for them. Throws E_MINIMISE_VERDICT when the repro does not give `still_fails` to begin with.
 */
export async function minimise(given: WholeRepro, options: MinimiseOptions): Promise<Minimised> {
  let replays = 0;
  const run = (candidate: WholeRepro): Promise<Shown> => {
    replays += 1;
    options.onReplay?.(replays);
    return options.run(candidate);
  };
  const target = await run(given);
  if (target.verdict !== "still_fails") throw notFailing(given.repro, target.verdict);
  let smallest = given;
  // Ends the search wherever it is; the smallest candidate until then is known.
  const spent = new Error("the budget is spent");
  const known = new Map<string, boolean>();
  const holds: Holds<WholeRepro> = async (candidate) => {
    const key = sha256(textOf(candidate));
    const before = known.get(key);
    if (before !== undefined) return before;
    if (replays >= options.budget) throw spent;
    const same = alike(target, await run(candidate));
    known.set(key, same);
    if (same) smallest = candidate;
    return same;
  };
  const stopped = await search(given, holds).then(
    () => false,
    (thrown: unknown) => {
      if (thrown !== spent) throw thrown;
      return true;
    },
  );
  const removed = describe(given, smallest);
  return {
    ...smallest,
    repro: removed.length === 0 ? given.repro : noted(smallest.repro, removed),
    removed,
    replays,
    stopped,
  };
}

/** A shorter task asks for fewer calls, and fewer calls need less of their results: until nothing changes any more. */
async function search(given: WholeRepro, holds: Holds<WholeRepro>): Promise<void> {
  let smallest = given;
  for (let before = ""; before !== textOf(smallest);) {
    before = textOf(smallest);
    for (const step of [reduceTask, reduceCassette, reduceResults]) {
      smallest = await step(smallest, holds);
    }
  }
}

function textOf({ repro: { task, cassette } }: WholeRepro): string {
  return canonical({ task, cassette } as Json);
}

function alike(target: Shown, shown: Shown): boolean {
  return (
    shown.verdict === target.verdict &&
    shown.misses <= target.misses &&
    JSON.stringify(shown.signatures) === JSON.stringify(target.signatures)
  );
}

async function reduceCassette(
  { repro, blobs }: WholeRepro,
  holds: Holds<WholeRepro>,
): Promise<WholeRepro> {
  const removable = repro.cassette.flatMap(({ from }, at) => (from === "retry" ? [] : [at]));
  const without = (kept: readonly number[]): WholeRepro => ({
    repro: { ...repro, cassette: chosen(repro.cassette, kept) },
    blobs,
  });
  return without(await reduceList(removable, (kept) => holds(without(kept))));
}

/** The recordings at these places and all of the later success; groups of parallel calls keep their members. */
function chosen(cassette: readonly Recording[], kept: readonly number[]): Recording[] {
  const places = new Set(kept);
  const left = cassette.flatMap((recording, at) =>
    recording.from === "retry" || places.has(at) ? [recording] : [],
  );
  const first = new Map<number, number>();
  for (const [at, { batch }] of left.entries()) {
    if (batch !== undefined && !first.has(batch)) first.set(batch, at);
  }
  return left.map((recording) => {
    const { batch } = recording;
    return batch === undefined
      ? recording
      : Object.assign({ ...recording }, { batch: first.get(batch) ?? 0 });
  });
}

async function reduceTask(
  { repro, blobs }: WholeRepro,
  holds: Holds<WholeRepro>,
): Promise<WholeRepro> {
  const asked = (task: Json): WholeRepro => ({ repro: { ...repro, task }, blobs });
  return asked(await reduceJson(repro.task, (task) => holds(asked(task))));
}

async function reduceResults(given: WholeRepro, holds: Holds<WholeRepro>): Promise<WholeRepro> {
  let whole = given;
  for (const [at, recording] of given.repro.cassette.entries()) {
    const data = largeDataOf(recording, whole.blobs);
    if (data === undefined || recording.from === "retry") continue;
    const before = whole;
    const answered = (smaller: Json): WholeRepro => withData(before, at, smaller);
    const smaller = await reduceJson(data, (candidate) => holds(answered(candidate)));
    if (smaller !== data) whole = answered(smaller);
  }
  return whole;
}

/** The data of a large successful result. */
function largeDataOf(
  recording: Recording,
  blobs: Readonly<Record<string, Json>>,
): Json | undefined {
  const data = dataOf(recording, blobs);
  return data !== undefined && sizeOf(data) >= LARGE_RESULT ? data : undefined;
}

function dataOf(recording: Recording, blobs: Readonly<Record<string, Json>>): Json | undefined {
  const { blob } = recording;
  const kept = blob !== undefined && Object.hasOwn(blobs, blob) ? blobs[blob] : undefined;
  const result = blob === undefined ? (recording.result as Json | undefined) : kept;
  return isObject(result) && result["ok"] === true ? result["data"] : undefined;
}

function withData({ repro, blobs }: WholeRepro, at: number, data: Json): WholeRepro {
  const result = { ok: true as const, data };
  const { [at]: old } = repro.cassette;
  if (old === undefined) return { repro, blobs };
  const { blob, ...rest } = old;
  const key = sha256(canonical(result), 16);
  const recording: Recording = blob === undefined ? { ...rest, result } : { ...rest, blob: key };
  return {
    repro: { ...repro, cassette: repro.cassette.with(at, recording) },
    blobs: blob === undefined ? blobs : { ...blobs, [key]: result },
  };
}

function describe(before: WholeRepro, after: WholeRepro): string[] {
  const calls = before.repro.cassette.length - after.repro.cassette.length;
  const task = sizeOf(before.repro.task) - sizeOf(after.repro.task);
  const results = lostSizes(before, after);
  return [
    ...(calls === 0 ? [] : [`${calls} of ${before.repro.cassette.length} recorded calls`]),
    ...(task === 0 ? [] : [`${task} of ${sizeOf(before.repro.task)} characters of the task`]),
    ...(results === 0 ? [] : [`${results} characters of large results`]),
  ];
}

/** Characters that the large results of the calls that stayed have lost; equal calls count once. */
function lostSizes(before: WholeRepro, after: WholeRepro): number {
  const [old, now] = [resultSizesOf(before), resultSizesOf(after)];
  const stayed = new Set(after.repro.cassette.map((recording) => callOf(recording)));
  const lost = [...old].map(([call, size]) => (stayed.has(call) ? size - (now.get(call) ?? 0) : 0));
  return Math.max(
    0,
    lost.reduce((sum, size) => sum + size, 0),
  );
}

/** Sizes of the successful results, by call. */
function resultSizesOf({ repro, blobs }: WholeRepro): Map<string, number> {
  const sizes = new Map<string, number>();
  for (const recording of repro.cassette) {
    const data = dataOf(recording, blobs);
    if (data !== undefined) sizes.set(callOf(recording), sizeOf(data));
  }
  return sizes;
}

function callOf({ tool, args }: Recording): string {
  return `${tool} ${canonical(args)}`;
}

function sizeOf(value: Json): number {
  return JSON.stringify(value).length;
}

/** The step numbers of the longer run mean nothing any more. */
function noted(repro: Repro, removed: readonly string[]): Repro {
  const { cut: _cut, ...rest } = repro;
  const note = `Minimised: left out ${removed.join(", ")}.`;
  return {
    ...rest,
    failures: repro.failures.map(({ step: _step, ...found }) => found),
    notes: repro.notes === undefined ? note : `${repro.notes} ${note}`,
  };
}

function notFailing(repro: Repro, verdict: Verdict): Error {
  return failure("E_MINIMISE_VERDICT", {
    to: `minimise ${repro.id}`,
    because: `the agent's verdict on it is ${verdict} now, and only a repro that still fails can be made smaller`,
    fix:
      verdict === "unreplayable"
        ? "Run it first to see which call is missing"
        : "Nothing needs to be done, or choose another agent",
  });
}
