import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { readTraces, type ReadItem } from "../importer/importer.ts";
import type { Trace } from "../trace/trace.ts";
import { tracesIn } from "./trace-files.ts";

/** Small traces that we wrote ourselves, one folder a format. */
export const FIXTURES = fileURLToPath(new URL("../../fixtures/traces", import.meta.url));
/** Public traces, which lie beside the project on some machines. */
export const SHARED = fileURLToPath(new URL("../../../shared/data", import.meta.url));
export const NO_SHARED = !existsSync(SHARED);
export const WHY_NO_SHARED = "../shared/data is missing";

/** What a file or folder of ours gives. */
export function fixture(...names: readonly string[]): ReadItem[] {
  return [...readTraces(names.map((name) => `${FIXTURES}/${name}`))];
}

/** The only trace of a file of ours; throws what it gave instead. */
export function fixtureTrace(name: string): Trace {
  const items = fixture(name);
  const [trace, ...rest] = tracesIn(items);
  if (trace === undefined || rest.length > 0) throw new Error(JSON.stringify(items));
  return trace;
}
