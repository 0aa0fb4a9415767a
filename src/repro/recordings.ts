import { sha256 } from "../shared/hash.ts";
import { canonical, type Json } from "../shared/json.ts";
import type { ToolResult, ToolStep, Trace } from "../trace/trace.ts";
import type { Recording } from "./repro.ts";

/** Canonical characters from which an answer is stored once for all repros of a file. */
const LARGE = 8192;

/** The calls of a trace, up to a step, as recordings; large answers go into `blobs`. `offset` is their first place. */
export function recordingsOf(
  trace: Trace,
  range: { readonly cut?: number | undefined; readonly offset?: number },
  blobs: Map<string, Json>,
): Recording[] {
  const { cut = Infinity, offset = 0 } = range;
  const steps = trace.steps.filter((step, index) => step.kind === "tool" && index <= cut);
  const calls = steps.filter((step) => step.kind === "tool");
  const places = new Map(calls.map((step, place) => [step.index, place + offset]));
  return calls.map((step) => recordingOf(step, { calls, places, blobs }));
}

interface Around {
  readonly calls: readonly ToolStep[];
  readonly places: ReadonlyMap<number, number>;
  readonly blobs: Map<string, Json>;
}

function recordingOf(step: ToolStep, { calls, places, blobs }: Around): Recording {
  const { name, args, params, write, sync } = step;
  return {
    tool: name,
    args,
    ...(params === undefined ? {} : { params }),
    ...answerOf(step.result, blobs),
    ...togetherOf(step, calls, places),
    ...(write === undefined ? {} : { write }),
    ...(sync === undefined ? {} : { sync }),
  };
}

function answerOf(
  result: ToolResult | undefined,
  blobs: Map<string, Json>,
): Pick<Recording, "result" | "blob"> {
  if (result === undefined) return {};
  if (JSON.stringify(result).length <= LARGE) return { result };
  const text = canonical(result as Json);
  const blob = sha256(text, 16);
  blobs.set(blob, result as Json);
  return { blob };
}

/** Group and order of the answers, for calls that were under way together; alone they mean nothing. */
function togetherOf(
  step: ToolStep,
  calls: readonly ToolStep[],
  places: ReadonlyMap<number, number>,
): Pick<Recording, "batch" | "settled"> {
  const { batch, settled } = step;
  const place = batch === undefined ? undefined : places.get(batch);
  if (place === undefined) return {};
  if (settled === undefined) return { batch: place };
  const before = calls.filter(
    (other) => other.batch === batch && other.settled !== undefined && other.settled < settled,
  );
  return { batch: place, settled: before.length };
}
