import { failure } from "../shared/error.ts";
import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import { assembler, isStreamed } from "../trace/assemble.ts";
import { TRACE_VERSION, type Trace } from "../trace/trace.ts";
import { check } from "./finish.ts";
import type { Gatherer, ImportedTrace, Importer } from "./importer.ts";
import { own, textIn } from "./member.ts";
import { inOrder } from "./order.ts";

/** Our own traces: one a line, or written step by step and put together again. */
export const native: Importer = {
  name: "twiceshy",

  recognises(record: Json): boolean {
    if (!isObject(record)) return false;
    return (
      isStreamed(record) || textIn(record, "schemaVersion")?.startsWith("twiceshy.trace/") === true
    );
  },

  read(record: Json): readonly ImportedTrace[] {
    return isObject(record) ? [imported(record)] : [];
  },

  gather: streamed,
};

/** A trace of ours, checked; its steps ordered by their index. */
function imported(record: JsonObject): ImportedTrace {
  checkVersion(own(record, "schemaVersion"));
  const raw = own(record, "steps");
  const { items, places, moved } = inOrder(Array.isArray(raw) ? raw : [], "index");
  const steps =
    moved === undefined ? items : items.map((step, index) => moveStep(step, index, places));
  const value = { ...record, steps: Array.isArray(raw) ? steps : (raw ?? null) };
  check(value);
  const { schemaVersion: _version, ...draft } = value as unknown as Trace;
  return { draft, warnings: moved === undefined ? [] : [moved] };
}

function checkVersion(version: Json | undefined): void {
  if (version === TRACE_VERSION) return;
  throw failure("E_RECORD_VERSION", {
    to: "read a trace",
    because: `its version is ${JSON.stringify(version ?? null)}, and this package reads ${TRACE_VERSION}`,
    fix: "Use the version of the package that wrote it, or record the run again",
  });
}

function moveStep(step: Json, index: number, places: ReadonlyMap<number, number>): Json {
  if (!isObject(step)) return step;
  const batch = own(step, "batch");
  return {
    ...step,
    index,
    ...(typeof batch === "number" ? { batch: places.get(batch) ?? batch } : {}),
  };
}

/** Puts the lines of traces that were written step by step together. */
function streamed(): Gatherer {
  const lines = assembler();
  const lost = new Set<string>();
  return {
    takes: isStreamed,
    add(record) {
      if (!isStreamed(record)) return [];
      const before = lines.orphans();
      const trace = lines.add(record);
      if (trace !== undefined) return [imported(trace as unknown as JsonObject)];
      const id = textIn(record, "traceId") ?? "";
      if (lines.orphans() === before || lost.has(id)) return [];
      lost.add(id);
      throw headless(id);
    },
    end: () => lines.rest().map((trace) => () => unclosed(trace as unknown as JsonObject)),
  };
}

/** A run that was never closed: its process ended before it, or is still at work. */
function unclosed(record: JsonObject): ImportedTrace {
  const { draft, warnings } = imported(record);
  return {
    draft: { ...draft, truncated: draft.truncated ?? "torn" },
    warnings: [...warnings, "the run was never closed: it is read as far as it was written"],
  };
}

function headless(id: string): Error {
  return failure("E_RECORD_ORPHAN", {
    to: `read the lines of the trace ${id}`,
    because: "its first line is missing",
    fix: "Keep the whole file that the agent wrote",
  });
}
