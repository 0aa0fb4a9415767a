import type { DetectOptions } from "../detector/detector.ts";
import type { Json } from "../shared/json.ts";
import type { Step, ToolStep, Trace } from "../trace/trace.ts";
import { openCassette, type Cassette, type CassetteOptions } from "./cassette.ts";
import { judge, type Judgement } from "./judge.ts";
import { shownBy } from "./shown.ts";
import type { Repro } from "./repro.ts";

export interface ProofOptions extends CassetteOptions {
  /** Large answers of the cassette. */
  readonly blobs?: Readonly<Record<string, Json>>;
  readonly detect?: DetectOptions;
}

/**
 * Replays the recorded run against the repro's own cassette, with a scripted agent that makes the recorded calls up to
 * the cut and then ends as the recorded run did. A repro is proved when this gives `still_fails`.
 */
export function prove(repro: Repro, trace: Trace, options: ProofOptions = {}): Judgement {
  const { blobs, detect } = options;
  const source = { cassette: repro.cassette, ...(blobs === undefined ? {} : { blobs }) };
  const cassette = openCassette(source, options);
  const run = scripted(trace, repro, cassette);
  return judge(run, judgedOf(repro), {
    ...shownBy(cassette, run),
    blocked: [],
    ...(detect === undefined ? {} : { detect }),
  });
}

/** What of a repro a replay is judged by. */
export function judgedOf(repro: Repro): Parameters<typeof judge>[1] {
  const { signatures, checks, expected, outputSchema, cut, after, source } = repro;
  return { signatures, checks, expected, outputSchema, cut, after, recordedStatus: source.status };
}

function scripted(trace: Trace, repro: Repro, cassette: Cassette): Trace {
  const { score: _score, ...rest } = trace;
  const cut = repro.cut ?? Infinity;
  const kept = trace.steps.filter(
    ({ kind }, index) => index <= cut || kind === "output" || kind === "error",
  );
  const steps = kept.map((step, index) => again(step, index, cassette));
  return { ...rest, source: "replay", steps };
}

function again(step: Step, index: number, cassette: Cassette): Step {
  return step.kind === "tool" ? played(step, index, cassette) : { ...step, index };
}

/** A recorded call, made again. */
function played(step: ToolStep, index: number, cassette: Cassette): ToolStep {
  const { result: _result, ...recorded } = step;
  const call = { ...recorded, index, id: `call_${index}` };
  const taken = cassette.take({ id: call.id, tool: step.name, args: step.args });
  if ("error" in taken) {
    const { name, code, message } = taken.error;
    return { ...call, result: { ok: false, error: { name, code, message } } };
  }
  return taken.result === undefined ? call : { ...call, result: taken.result };
}
