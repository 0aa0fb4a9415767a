import { existsSync } from "node:fs";
import type { Config } from "../config/config.ts";
import { detect, real, type Failure } from "../detector/detector.ts";
import { validateSchema } from "../shared/json-schema.ts";
import { openStore, type Damage } from "../store/store.ts";

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
  const damaged: Damage[] = [];
  const store = openStore(config.store);
  let [traces, failing] = [0, 0];
  let found: { trace: string; failures: readonly Failure[] }[] = [];
  try {
    const unseen = options.all === true ? {} : { undetected: true };
    for (const trace of store.traces({ ...unseen, onDamaged: (one) => damaged.push(one) })) {
      const failures = detect(trace, { ...config.detect, validate: validateSchema });
      traces += 1;
      if (real(failures).length > 0) failing += 1;
      options.onTrace?.(trace.id, failures);
      found.push({ trace: trace.id, failures });
      if (found.length < BATCH) continue;
      store.saveFailures(found);
      found = [];
    }
    store.saveFailures(found);
    return { traces, failing, damaged };
  } finally {
    store.close();
  }
}
