import { existsSync } from "node:fs";
import { openMemo, type Memo } from "../cluster/memo.ts";
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
    return withMemo(store, (memo) =>
      generate(config, { ...options, memo, seen: storedTraces(store) }),
    );
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
    const result = withMemo(store, (memo) =>
      generate(config, { memo, seen: storedTraces(store), seenOnly: true }),
    );
    return { damaged, result };
  } finally {
    store.close();
  }
}

/** With what the store's runs were found to be like before; what is new is kept for the next time. */
export function withMemo<T>(store: Store, work: (memo: Memo) => T): T {
  const memo = openMemo(store, "alike");
  const result = work(memo);
  try {
    memo.save();
  } catch {
    // Only a saving of time: a store that cannot be written now is none the worse.
  }
  return result;
}
