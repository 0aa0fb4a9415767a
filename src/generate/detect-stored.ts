import { existsSync } from "node:fs";
import type { Config } from "../config/config.ts";
import { real, type Failure } from "../detector/detector.ts";
import { openStore, type Damage, type Look, type Store } from "../store/store.ts";
import { looker, rulesOf } from "./look.ts";

const BATCH = 256;

export interface StoredOptions {
  /** Look at every trace again, also at those that were looked at before. */
  readonly all?: boolean;
  readonly onTrace?: (trace: string, failures: readonly Failure[]) => void;
}

export interface Detected {
  readonly traces: number;
  readonly failing: number;
  readonly damaged: readonly Damage[];
}

/** Finds the failures in the traces of the store and keeps them there. Without a store there is nothing to find. Throws E_STORE_*. */
export function detectStored(config: Config, options: StoredOptions = {}): Detected {
  if (!existsSync(config.store)) return { traces: 0, failing: 0, damaged: [] };
  const store = openStore(config.store);
  try {
    return detectIn(store, config, options);
  } finally {
    store.close();
  }
}

/** The same in an open store. What was found by other rules or options is looked for again. */
export function detectIn(store: Store, config: Config, options: StoredOptions = {}): Detected {
  store.useRules(rulesOf(config));
  const damaged: Damage[] = [];
  const look = looker(config);
  let [traces, failing] = [0, 0];
  let found: (Look & { trace: string })[] = [];
  const unseen = options.all === true ? {} : { undetected: true };
  for (const trace of store.traces({ ...unseen, onDamaged: (one) => damaged.push(one) })) {
    const seen = look(trace);
    traces += 1;
    if (real(seen.failures).length > 0) failing += 1;
    options.onTrace?.(trace.id, seen.failures);
    found.push({ trace: trace.id, ...seen });
    if (found.length < BATCH) continue;
    store.saveFailures(found);
    found = [];
  }
  if (found.length > 0) store.saveFailures(found);
  return { traces, failing, damaged };
}
