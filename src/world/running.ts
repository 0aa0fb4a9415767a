import { AsyncLocalStorage } from "node:async_hooks";
import type { Host, Transaction } from "./transaction.ts";

/** A transaction that the running code is part of, and the one of another world in whose tool it was begun. */
interface Running {
  readonly host: Host;
  readonly transaction: Transaction;
  readonly outer: Running | undefined;
}

/** One storage for every copy of the package. */
const STORAGE: unique symbol = Symbol.for("twiceshy.world.running") as never;

function storage(): AsyncLocalStorage<Running> {
  const shared = globalThis as { [STORAGE]?: AsyncLocalStorage<Running> };
  return (shared[STORAGE] ??= new AsyncLocalStorage<Running>());
}

/** Runs a tool, so that the calls which it makes, also after a wait, are found to be made inside of it. */
export function runInside<T>(host: Host, transaction: Transaction, run: () => T): T {
  const running = storage();
  return running.run({ host, transaction, outer: running.getStore() }, run);
}

/** The transaction of a world inside of which the running code calls. */
export function insideOf(host: Host): Transaction | undefined {
  let running = storage().getStore();
  while (running !== undefined && (running.host !== host || running.transaction.over)) {
    running = running.outer;
  }
  return running?.transaction;
}
