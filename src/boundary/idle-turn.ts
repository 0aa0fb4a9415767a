// Taken when this file is loaded, so that fake timers of a test do not stop the clocks of trials.
const realSetImmediate = globalThis.setImmediate;
const realSetTimeout = globalThis.setTimeout;

/** Something that goes a step further whenever the process is idle. */
export interface Stepper {
  /** `turn`: it went a step. `wait`: it could not yet. `done`: nothing is to be done until it is added again. */
  step(): "turn" | "wait" | "done";
}

interface Turns {
  readonly waiting: Set<Stepper>;
  /** Who waits for a turn of the event loop, whatever else goes on. */
  readonly asked: (() => void)[];
  /** `later`: after a real wait. */
  scheduled: "no" | "now" | "later";
  /** The immediate that runs now. */
  running?: NodeJS.Immediate | undefined;
  /** Turns in a row in which everybody waited for real work. */
  waits: number;
}

/** One for all copies of the package: each would take the others' turns for the agent's. */
const TURNS: unique symbol = Symbol.for("twiceshy.turns") as never;

/** So many waits are turns of the event loop; those after them give the processor away. */
const QUICK_WAITS = 20;
const LONGEST_WAIT_MS = 10;

function turns(): Turns {
  const shared = globalThis as { [TURNS]?: Turns };
  return (shared[TURNS] ??= { waiting: new Set(), asked: [], scheduled: "no", waits: 0 });
}

/** Asks for a step when the event loop has come round: all promises that can go on have done so by then. */
export function stepWhenIdle(stepper: Stepper): void {
  const state = turns();
  state.waiting.add(stepper);
  schedule(state);
}

/**
 * One turn of the event loop: what a trial has left behind, such as a rejection that nobody waits for, has shown by then.
 * Who waits for it goes on alone: when an endless loop is ended, all promises that were about to go on in the same turn
 * are lost with it. Unlike an immediate of one's own it comes even then.
 */
export function turn(): Promise<void> {
  const state = turns();
  return new Promise((resolve) => {
    state.asked.push(resolve);
    schedule(state);
  });
}

/** The immediate in which a turn is taken now. */
export function runningTurn(): NodeJS.Immediate | undefined {
  return turns().running;
}

/** Starts the turns again after the thread's execution was terminated inside of one. */
export function reviveTurns(): void {
  const state = turns();
  state.running = undefined;
  state.scheduled = "no";
  schedule(state);
}

function schedule(state: Turns): void {
  const asked = state.asked.length > 0;
  if (!asked && state.waiting.size === 0) return;
  if (state.scheduled === "now" || (state.scheduled === "later" && !asked)) return;
  const take = (): void => takeTurn(state);
  if (asked || state.waits < QUICK_WAITS) {
    state.scheduled = "now";
    const immediate = realSetImmediate(() => {
      state.running = immediate;
      take();
      state.running = undefined;
    });
    return;
  }
  state.scheduled = "later";
  realSetTimeout(take, Math.min(state.waits - QUICK_WAITS + 1, LONGEST_WAIT_MS));
}

/** One thing for each turn: either somebody who asked for it, or one step. */
function takeTurn(state: Turns): void {
  state.scheduled = "no";
  const asked = state.asked.shift();
  if (asked === undefined) stepOne(state);
  else asked();
  schedule(state);
}

function stepOne(state: Turns): void {
  const { waiting } = state;
  for (const stepper of Array.from(waiting)) {
    // To the end of the row: the others come first the next time.
    waiting.delete(stepper);
    waiting.add(stepper);
    const next = stepper.step();
    if (next === "done") waiting.delete(stepper);
    if (next === "turn") {
      state.waits = 0;
      return;
    }
  }
  state.waits += 1;
}
