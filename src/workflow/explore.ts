import * as fc from "fast-check";
import type { Fault } from "../fault/fault.ts";
import { encode } from "../shared/encode.ts";
import { failure } from "../shared/error.ts";
import type { Json } from "../shared/json.ts";
import {
  checkOrder,
  readFindings,
  saveFinding,
  type Finding,
  type KnownFinding,
} from "./findings.ts";
import { allOrders, type Order } from "./order.ts";
import { saySchedule, Search, type Property, type SearchOptions, type Tried } from "./search.ts";
import { shrink } from "./shrink.ts";
import { placeOf, scheduleKey } from "./sites.ts";
import type { Trial } from "./trial-result.ts";
import type { TrialOptionsOf } from "./typed.ts";

/** What a search is run with: a trial's options, a space, a budget. */
export interface ExploreOptions extends SearchOptions {
  /** One task, or a fast-check arbitrary of tasks. */
  readonly task: Json | fc.Arbitrary<Json>;
  /** Faults in one schedule. Default: 2. All single ones and all pairs are tried; longer schedules are drawn by fast-check. */
  readonly maxFaults?: number;
  /** Trials drawn by fast-check, where it is needed: for more than two faults, for tasks, for many parallel calls. Default: 500. */
  readonly draws?: number;
  /** Default: 1, so that a search is the same each time. */
  readonly seed?: number;
  /** Where findings are kept; they are tried first. Default: nowhere. */
  readonly findings?: {
    readonly folder: string;
    readonly test: string;
    /** Whether a new finding is written. */
    readonly save: boolean;
  };
}

/** `ExploreOptions` with the types of its task and state: an inline agent needs none of its own. */
export type ExploreOptionsOf<Task, State> = Omit<
  ExploreOptions,
  "agent" | "task" | "world" | "checks"
> &
  Omit<TrialOptionsOf<Task, State>, "task"> & { readonly task: Task | fc.Arbitrary<Task> };

/**
 * How a search ended. `partial`: nothing found, but the budget ended before the search did, or trials said nothing because the
 * simulation broke, or there was nothing to search; never called clean.
 */
export interface Exploration {
  readonly status: "clean" | "found" | "partial";
  /** Trials that were run. */
  readonly runs: number;
  /** Trials in which the simulation broke, so that they say nothing. */
  readonly broken: number;
  /** Why it is partial. */
  readonly because?: string;
  readonly finding?: {
    readonly faults: readonly Fault[];
    readonly order?: Order;
    readonly task: Json;
    readonly trial: Trial;
    /** The schedule in words. */
    readonly schedule: string;
    /** Why it is bad, in one sentence. */
    readonly said: string;
    /** What the property threw. */
    readonly thrown?: unknown;
    /** The file that keeps it. */
    readonly saved?: string;
    /** Whether it had been found before, and is still there. */
    readonly known: boolean;
  };
}

const DRAWS = 500;
/** So many orders are all tried; beyond, fast-check draws some. */
const ALL_ORDERS = 24;

/**
 * Searches for the smallest schedule of faults that breaks a property: saved findings first, then every order of parallel calls, every
 * single fault at the calls seen in the control, every pair, and at last what fast-check draws. Deterministic for deterministic agents.
 * @throws E_CONTROL_FAILED when the run without a fault is bad; E_FINDING_READ for a broken file of findings
 */
export async function explore(options: ExploreOptions, property: Property): Promise<Exploration> {
  const { task, maxFaults = 2, draws = DRAWS, seed = 1, findings, ...rest } = options;
  const search = new Search(rest, property);
  if (!Number.isSafeInteger(maxFaults) || maxFaults < 0) throw badCount(maxFaults);
  const tasks = isArbitrary(task) ? task.map((drawn) => encode(drawn)) : undefined;
  const first = tasks === undefined ? (task as Json) : sample(tasks, seed);
  const saved = findings === undefined ? [] : savedFindings(search, findings);
  for (const known of saved) {
    const { faults, order } = known;
    const again = await search.try({
      faults,
      task: known.task ?? first,
      ...(order === undefined ? {} : { order }),
    });
    if (again.said !== undefined) return ended(search, again, { known: true });
    checkOrder(known, again.choices);
  }
  const control = await search.control(first);
  const found =
    (await orders(search, control)) ??
    (await schedules(search, control, maxFaults)) ??
    (await drawn({ search, control, tasks, maxFaults, draws, seed }));
  if (found === undefined) return ended(search);
  const smallest = await shrink(search, found);
  const file = findings?.save === true ? save(findings, smallest, tasks !== undefined) : undefined;
  return ended(search, smallest, { known: false, ...(file === undefined ? {} : { saved: file }) });
}

function savedFindings(
  search: Search,
  { folder, test }: NonNullable<ExploreOptions["findings"]>,
): readonly KnownFinding[] {
  return readFindings(folder, test, search.kinds);
}

/** Every order of the calls that were under way together in the control. */
async function orders(search: Search, control: Tried): Promise<Tried | undefined> {
  for (const order of allOrders(control.choices, ALL_ORDERS) ?? []) {
    if (search.spent()) return undefined;
    const tried = await search.try({ faults: [], task: control.schedule.task, order });
    if (tried.said !== undefined) return tried;
  }
  return undefined;
}

/** Every single fault, then every pair: with fewer faults first, the first one that is bad is the smallest. */
async function schedules(
  search: Search,
  control: Tried,
  maxFaults: number,
): Promise<Tried | undefined> {
  const { task } = control.schedule;
  const singles: Tried[] = [];
  for (const fault of maxFaults < 1 ? [] : search.faultsAt(control.trial)) {
    if (search.spent()) return undefined;
    const tried = await search.try({ faults: [fault], task });
    if (tried.said !== undefined) return tried;
    if (tried.trial.faults[0]?.reached === true) singles.push(tried);
  }
  if (maxFaults < 2) return undefined;
  const seen = new Set<string>();
  for (const single of singles) {
    const bad = await pairsOf(search, single, seen);
    if (bad !== undefined) return bad;
  }
  return undefined;
}

/** A second fault can hit any call that the agent made under the first: its retries, too. */
async function pairsOf(
  search: Search,
  single: Tried,
  seen: Set<string>,
): Promise<Tried | undefined> {
  const { faults, task } = single.schedule;
  const places = new Set(faults.map((fault) => placeOf(fault)));
  for (const second of search.faultsAt(single.trial)) {
    const pair = [...faults, second];
    const key = scheduleKey(pair);
    if (places.has(placeOf(second)) || seen.has(key)) continue;
    if (search.spent()) return undefined;
    seen.add(key);
    const tried = await search.try({ faults: pair, task });
    if (tried.said !== undefined) return tried;
  }
  return undefined;
}

interface Draw {
  readonly search: Search;
  readonly control: Tried;
  readonly tasks: fc.Arbitrary<Json> | undefined;
  readonly maxFaults: number;
  readonly draws: number;
  readonly seed: number;
}

/** Longer schedules, tasks, and orders of many parallel calls, as fast-check draws and shrinks them. */
async function drawn(draw: Draw): Promise<Tried | undefined> {
  const { search, control, tasks, maxFaults, draws, seed } = draw;
  const sites = search.faultsAt(control.trial);
  const manyOrders = allOrders(control.choices, ALL_ORDERS) === undefined;
  const needed = tasks !== undefined || manyOrders || (maxFaults > 2 && sites.length > 0);
  if (!needed || search.spent()) return undefined;
  let bad: Tried | undefined;
  const { task } = control.schedule;
  const property = fc.asyncProperty(
    tasks ?? fc.constant(task),
    faultLists(sites, maxFaults),
    orderLists(control.choices),
    async (drawnTask, faults, order) => {
      const tried = await search.try({
        faults,
        task: drawnTask,
        ...(order.length === 0 ? {} : { order }),
      });
      if (tried.said === undefined) return true;
      bad = tried;
      return false;
    },
  );
  const details = await fc.check(property, {
    seed,
    numRuns: Math.min(draws, search.left),
    interruptAfterTimeLimit: search.leftMs,
    markInterruptAsFailure: false,
  });
  search.partial ||= details.interrupted || draws > details.numRuns + details.numSkips;
  return details.failed ? bad : undefined;
}

function faultLists(sites: readonly Fault[], maxLength: number): fc.Arbitrary<Fault[]> {
  if (sites.length === 0 || maxLength === 0) return fc.constant([]);
  return fc.uniqueArray(fc.constantFrom(...sites), { selector: placeOf, maxLength });
}

function orderLists(choices: readonly number[]): fc.Arbitrary<number[]> {
  if (choices.length === 0) return fc.constant([]);
  return fc.tuple(...choices.map((choice) => fc.nat({ max: choice - 1 })));
}

function badCount(maxFaults: unknown): Error {
  return failure("E_EXPLORE_OPTIONS", {
    to: "search for faults that break the agent",
    because: `maxFaults is ${String(maxFaults)}, no number of faults`,
    fix: "Give a whole number; 0 tries orders of parallel calls and tasks alone",
  });
}

function isArbitrary(task: Json | fc.Arbitrary<Json>): task is fc.Arbitrary<Json> {
  return typeof task === "object" && task !== null && "canShrinkWithoutContext" in task;
}

function sample(tasks: fc.Arbitrary<Json>, seed: number): Json {
  return fc.sample(tasks, { seed, numRuns: 1 })[0] ?? null;
}

function save(
  { folder, test }: NonNullable<ExploreOptions["findings"]>,
  { schedule, said = "", choices }: Tried,
  withTask: boolean,
): string {
  const { faults, task } = schedule;
  // As it was used: a fault leaves other calls waiting than the control, from which picks are drawn.
  const order = schedule.order?.slice(0, choices.length).map((pick, n) => pick % (choices[n] ?? 1));
  const finding: Finding = {
    formatVersion: 1,
    test,
    faults,
    said,
    ...(order === undefined ? {} : { order }),
    ...(withTask ? { task } : {}),
  };
  return saveFinding(folder, finding);
}

/** Why a search that found nothing is not clean. */
function openBecause({ partial, broken, searched }: Search): string | undefined {
  if (partial) return "the budget ended before the search did";
  if (broken > 0)
    return `the simulation broke in ${broken} trials, which say nothing about the agent`;
  return searched === 0 ? "the agent made no call that a fault could hit" : undefined;
}

function ended(
  search: Search,
  found?: Tried,
  about?: { readonly known: boolean; readonly saved?: string },
): Exploration {
  const { runs, broken } = search;
  if (found?.said === undefined) {
    const because = openBecause(search);
    if (because === undefined) return { status: "clean", runs, broken };
    return { status: "partial", runs, broken, because };
  }
  const { schedule, trial, said, thrown } = found;
  return {
    status: "found",
    runs,
    broken,
    finding: {
      ...schedule,
      trial,
      said,
      schedule: saySchedule(schedule),
      known: false,
      ...(thrown === undefined ? {} : { thrown }),
      ...about,
    },
  };
}
