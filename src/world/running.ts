import { ambientInside, runInside } from "../boundary/ambient.ts";
import type { Host, Transaction } from "./transaction.ts";

/** A transaction that the running code is part of, and the one of another world in whose tool it was begun. */
interface Running {
  readonly host: Host;
  readonly transaction: Transaction;
  readonly outer: Running | undefined;
}

/** Runs a tool, so that the calls which it makes, also after a wait, are found to be made inside of it. */
export function runTool<T>(host: Host, transaction: Transaction, run: () => T): T {
  const running: Running = { host, transaction, outer: current() };
  return runInside(running, run);
}

/** The transaction of a world inside of which the running code calls. */
export function insideOf(host: Host): Transaction | undefined {
  let running = current();
  while (running !== undefined && (running.host !== host || running.transaction.over)) {
    running = running.outer;
  }
  return running?.transaction;
}

/** The tool whose code runs now, of any world. */
export function runningTool(): string | undefined {
  return current()?.transaction.call.tool;
}

/** Nothing but `runTool` puts something there. */
function current(): Running | undefined {
  return ambientInside() as Running | undefined;
}
