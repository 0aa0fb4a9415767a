import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import type { Step, Trace, TraceStatus } from "./trace.ts";

/** Members that a step may be given after its invocation. */
const LATER = ["result", "durationMs", "batch", "settled", "sync"];

/** Whether a record is a line of a trace that was written step by step (see `sink.ts`). */
export function isStreamed(record: Json): record is JsonObject {
  if (!isObject(record) || typeof record["traceId"] !== "string") return false;
  return ["open", "step", "more", "close"].some((kind) => isObject(record[kind]));
}

/** Takes the lines of a file one by one. */
interface Assembler {
  /** Takes a line; gives the trace that it closed, if it did. */
  add(record: JsonObject): Trace | undefined;
  /** The traces that were never closed, in the order of their first lines; each is `incomplete`. */
  rest(): Trace[];
  /** Lines that belong to no trace, because its first line is missing. */
  orphans(): number;
}

/**
 * Makes traces of streamed lines. What is in the lines is trusted as little as any other file: check each trace with
 * `traceSchema`. Steps are ordered by their index; where some are missing the trace is marked `steps_missing`.
 */
export function assembler(): Assembler {
  const open = new Map<string, Draft>();
  const replaced: Draft[] = [];
  let orphans = 0;
  return {
    add(record) {
      const { traceId, open: head } = record;
      const id = typeof traceId === "string" ? traceId : "";
      if (isObject(head)) {
        const before = open.get(id);
        if (before !== undefined) replaced.push(before);
        open.set(id, {
          id,
          schemaVersion: record["schemaVersion"] ?? null,
          head,
          steps: new Map(),
        });
        return undefined;
      }
      const draft = open.get(id);
      if (draft === undefined) {
        orphans += 1;
        return undefined;
      }
      const { step, more, close } = record;
      if (isObject(step)) draft.steps.set(place(step), { ...step });
      else if (isObject(more)) extend(draft.steps.get(place(more)), more);
      else if (isObject(close)) {
        open.delete(id);
        return traceOf(draft, close);
      }
      return undefined;
    },
    rest: () =>
      [...replaced, ...open.values()].map((draft) => traceOf(draft, { status: "incomplete" })),
    orphans: () => orphans,
  };
}

/** All traces of these lines: the closed ones in the order of their last lines, then the others. */
export function assemble(records: Iterable<Json>): Trace[] {
  const lines = assembler();
  const closed: Trace[] = [];
  for (const record of records) {
    const trace = isStreamed(record) ? lines.add(record) : undefined;
    if (trace !== undefined) closed.push(trace);
  }
  return [...closed, ...lines.rest()];
}

interface Draft {
  readonly id: string;
  readonly schemaVersion: Json;
  readonly head: JsonObject;
  readonly steps: Map<number, JsonObject>;
}

function place(step: JsonObject): number {
  return typeof step["index"] === "number" ? step["index"] : -1;
}

function extend(step: JsonObject | undefined, more: JsonObject): void {
  if (step === undefined) return;
  for (const key of LATER) {
    const value = more[key];
    if (Object.hasOwn(more, key) && value !== undefined) step[key] = value;
  }
}

function traceOf(draft: Draft, close: JsonObject): Trace {
  const found = [...draft.steps.entries()].sort(([a], [b]) => a - b);
  const places = new Map(found.map(([index], at) => [index, at]));
  const whole = found.every(([index], at) => index === at);
  const steps = found.map(([, step], index) => moved(step, index, places));
  const status = (close["status"] ?? "incomplete") as TraceStatus;
  const trace = {
    ...draft.head,
    ...close,
    schemaVersion: draft.schemaVersion,
    id: draft.id,
    status,
    steps,
    ...(whole ? {} : { truncated: "steps_missing" }),
  };
  // The reader checks the shape: this room knows no schema library at run time.
  return trace as unknown as Omit<Trace, "steps"> & { steps: Step[] };
}

/** A step at its place. A batch is named by the index of its first step, which moves when steps before it are missing. */
function moved(step: JsonObject, index: number, places: ReadonlyMap<number, number>): JsonObject {
  step["index"] = index;
  const { batch } = step;
  if (typeof batch === "number") step["batch"] = places.get(batch) ?? batch;
  return step;
}
