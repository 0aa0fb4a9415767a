import { existsSync } from "node:fs";
import type { Config } from "../config/config.ts";
import { openStore, type Store } from "../store/store.ts";
import type { Seen } from "./collect.ts";
import { detectIn, type Detected, type StoredOptions } from "./detect-stored.ts";
import { generate, type GenerateOptions } from "./generate.ts";
import type { GenerateResult } from "./result.ts";

/**
 * The traces of a store that were looked at; their steps are read only when somebody asks.
 * @yields each trace
 */
export function* storedTraces(store: Store): Generator<Seen> {
  for (const summary of store.summaries())
    yield { ...summary, load: () => store.trace(summary.id) };
}

/** `generate` from the trace files and the store alike. Throws E_STORE_*. */
export function generateWithStore(
  config: Config,
  options: Omit<GenerateOptions, "seen"> = {},
): GenerateResult {
  if (!existsSync(config.store)) return generate(config, { ...options, seen: [] });
  const store = openStore(config.store);
  try {
    detectIn(store, config);
    return generate(config, { ...options, seen: storedTraces(store) });
  } finally {
    store.close();
  }
}

/** Looks at what was not looked at yet, and generates from the store alone, which holds the project's own traces too. */
export function processStored(
  config: Config,
  options: Pick<StoredOptions, "onTrace"> = {},
): Pick<Detected, "damaged"> & { readonly result: GenerateResult } {
  const store = openStore(config.store);
  try {
    const { damaged } = detectIn(store, config, options);
    const result = generate(config, { seen: storedTraces(store), seenOnly: true });
    return { damaged, result };
  } finally {
    store.close();
  }
}
