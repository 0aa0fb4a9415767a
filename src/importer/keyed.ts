import type { ImportedTrace } from "./importer.ts";

/** Traces of one record with their places in it; a lone one needs none. */
export function keyed(traces: readonly ImportedTrace[]): readonly ImportedTrace[] {
  if (traces.length < 2) return traces;
  return traces.map(({ draft, warnings }, key) => ({ draft, warnings, key }));
}
