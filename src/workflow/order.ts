import type { Answer, Layer } from "../boundary/boundary.ts";
import { turn } from "../shared/clock.ts";
import type { ToolResult } from "../trace/trace.ts";

/**
 * The order in which calls that are under way together are answered: each number picks one of those that wait, 0 the first of
 * them. Where it ends, the rest is answered in the order in which it was asked.
 */
export type Order = readonly number[];

/** What an ordering saw. */
export interface Interleaving {
  readonly layer: Layer;
  /** How many calls waited, at each pick where there was a choice. */
  readonly choices: readonly number[];
}

/** After so many turns without a new call, the agent can do nothing more without an answer. */
const QUIET_TURNS = 2;

/**
 * Holds every call until the agent can do nothing more without an answer, then lets the picked one go, and so on. `hold` stops the
 * trial's clock meanwhile: no timer may run because we wait.
 */
export function interleave(order: Order, hold: () => () => void): Interleaving {
  const waiting: (() => void)[] = [];
  const choices: number[] = [];
  let pumping = false;
  const pick = (): (() => void) | undefined => {
    if (waiting.length < 2) return waiting.shift();
    const wanted = order[choices.length] ?? 0;
    choices.push(waiting.length);
    return waiting.splice(wanted % waiting.length, 1)[0];
  };
  const pump = async (): Promise<void> => {
    pumping = true;
    while (waiting.length > 0) {
      const release = hold();
      for (let quiet = 0; quiet < QUIET_TURNS; quiet++) await turn();
      release();
      pick()?.();
    }
    pumping = false;
  };
  const layer: Layer = (call, next) =>
    new Promise<ToolResult>((resolve, reject) => {
      waiting.push(() => {
        answer(next, call).then(resolve, reject);
      });
      if (!pumping) void pump();
    });
  return { layer, choices };
}

async function answer(next: Answer, call: Parameters<Answer>[0]): Promise<ToolResult> {
  return next(call);
}

/**
 * Every order of the calls that waited together, the recorded one first: for the choices `[3, 2]` six orders. Undefined when there are
 * more than `most`.
 */
export function allOrders(choices: readonly number[], most: number): readonly Order[] | undefined {
  const count = choices.reduce((product, choice) => product * choice, 1);
  if (count > most) return undefined;
  let orders: number[][] = [[]];
  for (const choice of choices)
    orders = orders.flatMap((order) =>
      Array.from({ length: choice }, (_, picked) => [...order, picked]),
    );
  return orders;
}
