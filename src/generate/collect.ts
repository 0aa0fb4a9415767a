import type { Config } from "../config/config.ts";
import { detect, real, type DetectOptions, type Failure } from "../detector/detector.ts";
import type { ReadItem } from "../importer/importer.ts";
import { toRepro, type Conversion } from "../repro/convert.ts";
import { reproDigest } from "../repro/hash.ts";
import { laterSuccess } from "../repro/later-success.ts";
import type { Repro } from "../repro/repro.ts";
import { sha256 } from "../shared/hash.ts";
import { byCodeUnit, type Json } from "../shared/json.ts";
import { validateSchema } from "../shared/json-schema.ts";
import { oneLine } from "../shared/text.ts";
import type { Step, Trace } from "../trace/trace.ts";
import { asProblem, problem, type Problem } from "./problem.ts";

/** A repro that the traces at hand give, with what merging must know of them. */
export interface Converted {
  readonly repro: Repro;
  /** Whole digest of which the id is the beginning. */
  readonly digest: string;
  readonly blobs: Readonly<Record<string, Json>>;
  /** Number of failing traces, by id, that give it. */
  readonly seen: number;
  /** When the oldest of them began. */
  readonly at?: number;
}

/** What the traces at hand say. Independent of their order. */
export interface Collected {
  /** By agent name; the repros are sorted by digest. */
  readonly agents: ReadonlyMap<string, readonly Converted[]>;
  readonly problems: readonly Problem[];
  readonly counts: TraceCounts;
}

export interface TraceCounts {
  readonly traces: number;
  readonly failing: number;
  /** Records that should have been traces and could not be read. */
  readonly unread: number;
  /** Failing traces that gave no repro, each with a notice. */
  readonly unproved: number;
}

/** Reads what the importers give: detects, joins equal failing traces, converts each once. Never throws for a trace. */
export function collect(items: Iterable<ReadItem>, config: Config): Collected {
  const problems: Problem[] = [];
  const traces = new Map<string, Trace>();
  let unread = 0;
  for (const item of items) {
    if ("trace" in item) traces.set(`${item.trace.agent}\n${item.trace.id}`, item.trace);
    else if ("error" in item) unread++;
    problems.push(...problemsOf(item));
  }
  const options = { ...config.detect, validate: validateSchema };
  const detected = [...traces.values()].map((trace) => ({
    trace,
    failures: detect(trace, options),
  }));
  const failing = detected.filter(({ failures }) => real(failures).length > 0);
  const successes = byTask(detected.filter(({ failures }) => real(failures).length === 0));
  const results = distinct(failing).map((group) =>
    converted(group, { successes, config, options }),
  );
  const unproved = results.filter((result) => "unproved" in result);
  for (const { unproved: reason } of unproved) problems.push(reason);
  return {
    agents: byAgent(results.filter((result) => "repro" in result)),
    problems,
    counts: {
      traces: traces.size,
      failing: failing.length,
      unread,
      unproved: unproved.reduce((sum, { seen }) => sum + seen, 0),
    },
  };
}

function problemsOf(item: ReadItem): Problem[] {
  if ("error" in item) return [{ ...asPlain(item.error), severity: "error" }];
  if ("skipped" in item) return [{ ...asPlain(item.skipped), severity: "notice" }];
  return item.warnings.map((warning) => ({
    code: "E_TRACE_ODD",
    severity: "notice",
    message: oneLine(
      `${item.file}${item.line === undefined ? "" : `:${String(item.line)}`}: ${warning}`,
      500,
    ),
  }));
}

function asPlain({
  code,
  message,
}: {
  readonly code: string;
  readonly message: string;
}): Omit<Problem, "severity"> {
  return { code, message: oneLine(message, 1000) };
}

interface Detected {
  readonly trace: Trace;
  readonly failures: readonly Failure[];
}

function byTask(detected: readonly Detected[]): Map<string, Trace[]> {
  const tasks = new Map<string, Trace[]>();
  for (const { trace } of detected) {
    const key = taskKey(trace);
    const known = tasks.get(key);
    if (known === undefined) tasks.set(key, [trace]);
    else known.push(trace);
  }
  return tasks;
}

function taskKey({ agent, taskId }: Trace): string {
  return JSON.stringify([agent, taskId]);
}

/** Failing traces that are equal but for their ids and times, oldest first; the groups in the order of their content. */
function distinct(failing: readonly Detected[]): Detected[][] {
  const groups = new Map<string, Detected[]>();
  for (const item of failing) {
    const key = contentKey(item.trace);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return [...groups]
    .sort(([a], [b]) => byCodeUnit(a, b))
    .map(([, group]) => group.sort((a, b) => byAge(a.trace, b.trace)));
}

function contentKey(trace: Trace): string {
  const {
    id: _id,
    startedAt: _start,
    endedAt: _end,
    durationMs: _ms,
    steps,
    meta: _meta,
    ...rest
  } = trace;
  const plain = steps.map((step) => timeless(step));
  // Not canonical, which takes ten times as long: equal runs in another key order are joined by their repro.
  return sha256(JSON.stringify({ ...rest, steps: plain }));
}

/** Ids of calls are made up anew in each run. */
function timeless(step: Step): object {
  return { ...step, at: undefined, durationMs: undefined, id: undefined };
}

function byAge(a: Trace, b: Trace): number {
  return (a.startedAt ?? Infinity) - (b.startedAt ?? Infinity) || byCodeUnit(a.id, b.id);
}

interface About {
  readonly successes: ReadonlyMap<string, readonly Trace[]>;
  readonly config: Config;
  readonly options: DetectOptions;
}

type Result =
  | (Converted & { readonly agent: string })
  | { readonly unproved: Problem; readonly seen: number };

function converted(group: readonly Detected[], about: About): Result {
  const [first] = group;
  if (first === undefined) throw new RangeError("a group has at least one trace");
  const { trace } = first;
  const conversion = safely(first, about);
  const seen = group.length;
  if ("unproved" in conversion) {
    return {
      seen,
      unproved: problem("E_REPRO_UNPROVED", "notice", {
        to: `make a repro of the trace ${oneLine(trace.id, 80)}`,
        because: oneLine(conversion.unproved.reason, 500),
        fix: "Look at the trace; a run whose calls all have a recorded answer can be replayed",
      }),
    };
  }
  const { repro, blobs } = conversion;
  const digest = reproDigest(trace.agent, repro);
  const at = trace.startedAt === undefined ? {} : { at: trace.startedAt };
  return { agent: trace.agent, repro, blobs, digest, seen, ...at };
}

/** A trace that breaks the conversion must not stop the others. */
function safely({ trace, failures }: Detected, { successes, config, options }: About): Conversion {
  const success = laterSuccess(trace, successes.get(taskKey(trace)) ?? []);
  const { volatile, matching, redact } = config;
  try {
    return toRepro(trace, failures, {
      agent: trace.agent,
      ...(success === undefined ? {} : { success }),
      options: { volatile, matching, redact, detect: options },
    });
  } catch (thrown) {
    return { unproved: { trace: trace.id, reason: asProblem(thrown).message } };
  }
}

/** Traces that differ only after the cut give one repro: the one that knows a retry, else the oldest, stands for them. */
function byAgent(
  results: readonly (Converted & { readonly agent: string })[],
): Map<string, Converted[]> {
  const agents = new Map<string, Map<string, Converted>>();
  for (const { agent, ...item } of results) {
    const repros = agents.get(agent) ?? new Map<string, Converted>();
    agents.set(agent, repros);
    const known = repros.get(item.digest);
    repros.set(item.digest, known === undefined ? item : joined(known, item));
  }
  return new Map(
    [...agents]
      .sort(([a], [b]) => byCodeUnit(a, b))
      .map(([agent, repros]) => [
        agent,
        [...repros.values()].sort((a, b) => byCodeUnit(a.digest, b.digest)),
      ]),
  );
}

function joined(a: Converted, b: Converted): Converted {
  const rank = ({ repro }: Converted): number =>
    (repro.origin === "retry" ? 0 : 1) + (repro.needs === undefined ? 0 : 2);
  const [best] = [a, b].sort(
    (left, right) =>
      rank(left) - rank(right) ||
      (left.at ?? Infinity) - (right.at ?? Infinity) ||
      byCodeUnit(left.repro.source.trace, right.repro.source.trace),
  );
  const at = Math.min(a.at ?? Infinity, b.at ?? Infinity);
  return { ...(best ?? a), seen: a.seen + b.seen, ...(at === Infinity ? {} : { at }) };
}
