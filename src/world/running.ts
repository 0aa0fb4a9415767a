import { ambientInside, runInside } from "../boundary/ambient.ts";
import type { Host, Transaction } from "./transaction.ts";

/** Runs a tool, so that the calls which it makes, also after a wait, are found to be made inside of its transaction. */
export function runTool<T>(transaction: Transaction, run: () => T): T {
  transaction.outer = current();
  return runInside(transaction, run);
}

/** The transaction of a world inside of which the running code calls. */
export function insideOf(host: Host): Transaction | undefined {
  let running = current();
  while (running !== undefined && (running.host !== host || running.over)) running = running.outer;
  return running;
}

/** The tool whose code runs now, of any world. */
export function runningTool(): string | undefined {
  return current()?.call.tool;
}

/** Nothing but `runTool` puts something there. */
function current(): Transaction | undefined {
  return ambientInside() as Transaction | undefined;
}
