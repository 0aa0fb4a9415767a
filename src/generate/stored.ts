import { existsSync } from "node:fs";
import type { Config } from "../config/config.ts";
import type { ReadItem } from "../importer/importer.ts";
import { openStore, type Damage } from "../store/store.ts";
import { generate, type GenerateOptions } from "./generate.ts";
import type { GenerateResult } from "./result.ts";

/**
 * The traces of the store as a reader gives them; none when there is no store. Throws E_STORE_*.
 * @yields each trace, and an error for each one that is damaged
 */
export function* storedItems(config: Config): Generator<ReadItem> {
  if (!existsSync(config.store)) return;
  const store = openStore(config.store);
  const damaged: Damage[] = [];
  let record = 0;
  try {
    for (const trace of store.traces({ onDamaged: (one) => damaged.push(one) })) {
      yield { file: config.store, record, format: trace.source, trace, warnings: [] };
      record += 1;
    }
    for (const { trace, because } of damaged) {
      const message = `${config.store}: the trace ${trace} is left out: ${because}`;
      yield { file: config.store, record, error: { code: "E_STORE_DAMAGED", message } };
    }
  } finally {
    store.close();
  }
}

/** `generate` from the trace files and the store alike. */
export function generateWithStore(
  config: Config,
  options: Omit<GenerateOptions, "items"> = {},
): GenerateResult {
  return generate(config, { ...options, items: storedItems(config) });
}
