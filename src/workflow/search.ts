import type { Fault } from "../fault/fault.ts";
import { sayFault } from "../fault/words.ts";
import { monotonic } from "../shared/clock.ts";
import { failure, messageOf } from "../shared/error.ts";
import type { Json } from "../shared/json.ts";
import { oneLine } from "../shared/text.ts";
import type { World } from "../world/world.ts";
import { interleave, type Interleaving, type Order } from "./order.ts";
import { faultsAt, kindsOf, type SearchSpace } from "./sites.ts";
import type { Trial } from "./trial-result.ts";
import { runTrial } from "./trial.ts";
import type { TrialOptions } from "./workflow.ts";

/** What must hold in every trial: throws, rejects or returns false where it does not. */
export type Property = (trial: Trial) => unknown;

/** What a search is told beside the trial's own options. */
export interface SearchOptions extends Omit<TrialOptions, "faults" | "task">, SearchSpace {
  /** Trials at most. Default: 5,000. */
  readonly budget?: number;
  /** Real milliseconds at most, for the whole search. Default: 60,000. */
  readonly searchMs?: number;
}

/** One point of the search. */
export interface Schedule {
  readonly faults: readonly Fault[];
  readonly order?: Order;
  readonly task: Json;
}

/** One trial of the search, judged. */
export interface Tried {
  readonly schedule: Schedule;
  readonly trial: Trial;
  /** Why it is bad; missing where it is not, or where nothing was reached that could be judged. */
  readonly said?: string;
  readonly thrown?: unknown;
  /** How many calls waited together, at each pick. */
  readonly choices: readonly number[];
}

export const BUDGET = 5000;
const SEARCH_MS = 60_000;
/** The first trial's calls are held once, to see which of them are under way together. */
const AS_ASKED: Order = [];

/** A search under way: its options, what it spent, and what it could not judge. */
export class Search {
  readonly options: SearchOptions;
  /** The same without what only a search knows. */
  readonly #trial: Omit<TrialOptions, "faults" | "task">;
  readonly #property: Property;
  readonly #until: number;
  /** Trials so far. */
  runs = 0;
  /** Trials in which the simulation broke, so that they say nothing about the agent. */
  broken = 0;
  /** Set when the budget ended before the search did. */
  partial = false;
  /** Faults, orders and draws that were tried beside the control. */
  searched = 0;

  constructor(options: SearchOptions, property: Property) {
    refuseBad(options, property);
    this.options = options;
    const { tools: _t, types: _y, extra: _e, budget: _b, searchMs: _s, ...trial } = options;
    this.#trial = trial;
    this.#property = property;
    this.#until = monotonic() + (options.searchMs ?? SEARCH_MS);
  }

  /** Trials that are left. */
  get left(): number {
    return Math.max(0, (this.options.budget ?? BUDGET) - this.runs);
  }

  /** Milliseconds that are left. */
  get leftMs(): number {
    return Math.max(0, this.#until - monotonic());
  }

  /** Whether there is no budget for another trial; remembers that something was left out. */
  spent(): boolean {
    const spent = this.left === 0 || this.leftMs === 0 || this.options.signal?.aborted === true;
    this.partial ||= spent;
    return spent;
  }

  /**
   * The run without a fault, which must be good.
   * @throws E_CONTROL_FAILED
   */
  async control(task: Json): Promise<Tried> {
    const tried = await this.try({ faults: [], task, order: AS_ASKED });
    const bad = tried.said ?? (tried.trial.verdict === "passed" ? undefined : tried.trial.reason);
    if (bad !== undefined) throw controlFailed(bad, tried.thrown);
    return tried;
  }

  async try(schedule: Schedule): Promise<Tried> {
    const { faults, order, task } = schedule;
    let interleaving: Interleaving | undefined;
    const layer = (hold: () => () => void): Interleaving["layer"] => {
      interleaving = interleave(order ?? AS_ASKED, hold);
      return interleaving.layer;
    };
    this.runs++;
    if (faults.length > 0 || order?.some((pick) => pick > 0) === true) this.searched++;
    const trial = await runTrial(
      { ...this.#trial, faults, task },
      order === undefined ? {} : { layer },
    );
    const judged = await this.#judge(trial);
    return { schedule, trial, choices: interleaving?.choices ?? [], ...judged };
  }

  /** Everything that could happen at the calls of a trial. */
  faultsAt(trial: Trial): readonly Fault[] {
    return faultsAt(trial, this.#world(), this.options);
  }

  /** The tools that faults can be about. */
  get kinds(): ReadonlyMap<string, "read" | "write"> {
    return kindsOf(this.#world());
  }

  #world(): World {
    const { world } = this.options;
    return typeof world === "function" ? world() : world;
  }

  async #judge(trial: Trial): Promise<{ readonly said?: string; readonly thrown?: unknown }> {
    if (trial.issue?.side === "tool" || trial.issue?.side === "world") {
      this.broken++;
      return {};
    }
    if (trial.verdict === "failed") return { said: trial.reason };
    const unreached = trial.faults.length > 0 && !trial.faults.some(({ reached }) => reached);
    if (unreached || trial.issue !== undefined) return {};
    try {
      return answerOf(await this.#property(trial));
    } catch (thrown) {
      return { said: headline(thrown), thrown };
    }
  }
}

/** What a property's answer says: nothing and true hold, false and a text (why) do not. */
export function answerOf(held: unknown): { readonly said?: string } {
  if (held === undefined || held === true) return {};
  if (typeof held === "string") return { said: oneLine(held, 200) };
  if (held === false) return { said: "the property returned false" };
  return {
    said: `the property returned a value of type ${held === null ? "null" : typeof held}; it must throw, or return true, false or a text that says why not`,
  };
}

/** The first line of what was thrown, and what a matcher received. */
export function headline(thrown: unknown): string {
  const lines = messageOf(thrown).split("\n");
  const received = lines.find((line) => line.startsWith("Received: "));
  const first = lines[0] ?? "";
  return oneLine(received === undefined ? first : `${first}: ${received.slice(10)}`, 200);
}

/** The faults of a schedule that happened, in their order. */
export function reachedOf(tried: Tried): readonly Fault[] {
  return tried.trial.faults.filter(({ reached }) => reached).map(({ fault }) => fault);
}

/** A schedule in words: "lost confirmation of reserve_slot, 1st call; then stale read of list_bookings, 1st call". */
export function saySchedule({ faults, order }: Pick<Schedule, "faults" | "order">): string {
  const said = faults.map((fault) => sayFault(fault)).join("; then ");
  const reordered = order !== undefined && order.some((pick) => pick > 0);
  const answered = reordered ? `parallel calls answered in the order ${order.join(", ")}` : "";
  return [said, answered].filter((part) => part !== "").join("; ") || "no fault";
}

function refuseBad({ budget, searchMs }: SearchOptions, property: unknown): void {
  const wrong =
    typeof property !== "function"
      ? "the property, the last argument, is no function"
      : budget !== undefined && !(Number.isSafeInteger(budget) && budget > 0)
        ? `budget is ${String(budget)}, no number of trials`
        : searchMs !== undefined && !(searchMs > 0)
          ? `searchMs is ${String(searchMs)}, no number of milliseconds`
          : undefined;
  if (wrong === undefined) return;
  throw failure("E_EXPLORE_OPTIONS", {
    to: "search for faults that break the agent",
    because: wrong,
    fix: "Call it as explore({ agent, task, world, budget: 1000 }, (trial) => { expect(trial)... })",
  });
}

function controlFailed(because: string, cause: unknown): Error {
  return failure("E_CONTROL_FAILED", {
    to: "search for faults that break the agent",
    because: `the control, a run without any fault, is not good: ${because}`,
    fix: "Fix the agent, the world or the property first; nothing was searched",
    ...(cause === undefined ? {} : { cause }),
  });
}
