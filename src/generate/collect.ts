import type { Embedder } from "../cluster/embedder.ts";
import type { Memo } from "../cluster/memo.ts";
import type { Config } from "../config/config.ts";
import type { ReadItem } from "../importer/importer.ts";
import { toRepro, type Conversion } from "../repro/convert.ts";
import { laterSuccess } from "../repro/later-success.ts";
import type { Repro } from "../repro/repro.ts";
import { byCodeUnit, type Json } from "../shared/json.ts";
import { openRules, type RedactRules } from "../shared/redact.ts";
import { oneLine } from "../shared/text.ts";
import type { Damage, Summary } from "../store/store.ts";
import type { Trace } from "../trace/trace.ts";
import { byCause, chosenOf, type Chosen, type Committed, type Equals } from "./choose.ts";
import { contentOf, detectOptions, looker, summaryOf, taskKey } from "./look.ts";
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
  /** Failing traces of the same cause that gave no repro of their own; every repro of the cause says the same. */
  readonly others?: { readonly cause: string; readonly count: number };
}

/** A trace that was looked at; its steps are loaded only when a repro is made of it. */
export interface Seen extends Summary {
  readonly load: () => Trace | Damage | undefined;
}

export interface CollectOptions {
  /** Traces beside the items, looked at already. */
  readonly seen?: Iterable<Seen>;
  /** What tells how alike two texts are. Default: the built-in one. */
  readonly embedder?: Embedder;
  /** What an earlier time found alike. */
  readonly memo?: Memo;
  /** The traces, by agent, that have a repro in the files: they keep it, and only what is left of a share goes to others. */
  readonly committed?: Committed;
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
  /** Failing traces without a repro of their own that are counted with those of their cause. */
  readonly others: number;
}

/**
 * Reads what the importers give: finds failures, joins equal failing traces, and makes repros of the oldest of each cause.
 * Never throws for a trace.
 */
export function collect(
  items: Iterable<ReadItem>,
  config: Config,
  { seen = [], embedder, memo, committed = () => new Map() }: CollectOptions = {},
): Collected {
  const problems: Problem[] = [];
  const traces = new Map<string, Seen>();
  const look = looker(config);
  let unread = 0;
  for (const item of items) {
    if ("trace" in item) {
      const { trace } = item;
      const one = { ...summaryOf(trace, look(trace)), load: () => trace };
      traces.set(`${trace.agent}\n${trace.id}`, one);
    } else if ("error" in item) unread++;
    problems.push(...problemsOf(item));
  }
  for (const one of seen) traces.set(`${one.agent}\n${one.id}`, one);
  const all = [...traces.values()];
  const failing = compared(all.filter((one) => one.failing));
  const successes = byTask(all.filter((one) => !one.failing));
  const about = { successes, config, rules: openRules(config.redact) };
  const { threshold } = config;
  const groups = byCause(failing, {
    threshold,
    ...(embedder === undefined ? {} : { embedder }),
    ...(memo === undefined ? {} : { memo }),
  });
  const results = chosenOf(groups, config.repros.most, committed).map((chosen) =>
    convertedGroup(chosen, about),
  );
  problems.push(...results.flatMap((result) => result.problems));
  return {
    agents: byAgent(results.flatMap(({ repros }) => repros)),
    problems,
    counts: {
      traces: traces.size,
      failing: failing.length,
      unread,
      unproved: results.reduce((sum, { unproved }) => sum + unproved, 0),
      others: results.reduce((sum, { others }) => sum + others, 0),
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

function byTask(successes: readonly Seen[]): Map<string, Seen[]> {
  const tasks = new Map<string, Seen[]>();
  for (const one of successes) {
    const key = taskKey(one);
    const known = tasks.get(key);
    if (known === undefined) tasks.set(key, [one]);
    else known.push(one);
  }
  return tasks;
}

/** Failing runs of a task with others, each with the digest by which equal ones are known; a lone one needs none. */
function compared(failing: readonly Seen[]): Seen[] {
  const counts = new Map<string, number>();
  for (const one of failing) counts.set(taskKey(one), (counts.get(taskKey(one)) ?? 0) + 1);
  return failing.map((one) => {
    if (one.content !== one.id || counts.get(taskKey(one)) === 1) return one;
    const trace = one.load();
    return trace === undefined || "because" in trace ? one : { ...one, content: contentOf(trace) };
  });
}

interface About {
  readonly successes: ReadonlyMap<string, readonly Seen[]>;
  readonly config: Config;
  /** Of the whole collection: most texts and names come in many traces. */
  readonly rules: RedactRules;
}

type Named = Converted & { readonly agent: string };

interface GroupResult {
  readonly repros: readonly Named[];
  readonly problems: readonly Problem[];
  /** Failing traces that gave no repro and are like none that did. */
  readonly unproved: number;
  readonly others: number;
}

/** Repros of the first runs of a cause; the runs beyond are counted with them. */
function convertedGroup({ cause, runs, most }: Chosen, about: About): GroupResult {
  const repros: Named[] = [];
  const problems: Problem[] = [];
  let [unproved, used] = [0, 0];
  // Some runs cannot be replayed; a cause of which none can must not be tried for ever.
  for (const equal of runs.slice(0, 2 * most)) {
    if (repros.length === most) break;
    used += 1;
    const result = converted(equal, about);
    if ("repro" in result) repros.push(result);
    else {
      problems.push(result);
      unproved += equal.length;
    }
  }
  const count = runs.slice(used).reduce((sum, equal) => sum + equal.length, 0);
  if (repros.length === 0) return { repros, problems, unproved: unproved + count, others: 0 };
  const others = count === 0 ? undefined : { cause, count };
  const named = repros.map((one) => withOthers(one, others));
  return { repros: named, problems, unproved, others: count };
}

function withOthers(one: Named, others: Converted["others"]): Named {
  return others === undefined ? one : { ...one, others };
}

function converted(equal: Equals, about: About): Named | Problem {
  const [first] = equal;
  const trace = first.load();
  if (trace === undefined || "because" in trace) return damaged(first.id, trace);
  const conversion = safely(trace, first, about);
  if ("unproved" in conversion) {
    return problem("E_REPRO_UNPROVED", "notice", {
      to: `make a repro of the trace ${oneLine(first.id, 80)}`,
      because: oneLine(conversion.unproved.reason, 500),
      fix: "Look at the trace; a run whose calls all have a recorded answer can be replayed",
    });
  }
  const { repro, blobs, digest } = conversion;
  const at = first.startedAt === undefined ? {} : { at: first.startedAt };
  return { agent: first.agent, repro, blobs, digest, seen: equal.length, ...at };
}

function damaged(id: string, damage: Damage | undefined): Problem {
  return problem("E_STORE_DAMAGED", "error", {
    to: `make a repro of the trace ${oneLine(id, 80)}`,
    because: damage?.because ?? "its row in the store is gone",
    fix: "Read its file again, or go without it",
  });
}

/** A trace that breaks the conversion must not stop the others. */
function safely(trace: Trace, first: Seen, { successes, config, rules }: About): Conversion {
  const later = laterSuccess(first, successes.get(taskKey(first)) ?? [])?.load();
  const success = later === undefined || "because" in later ? undefined : later;
  const { volatile, matching } = config;
  try {
    return toRepro(trace, first.failures, {
      agent: trace.agent,
      ...(success === undefined ? {} : { success }),
      options: { volatile, matching, rules, detect: detectOptions(config) },
    });
  } catch (thrown) {
    return { unproved: { trace: trace.id, reason: asProblem(thrown).message } };
  }
}

/** Traces that differ only after the cut give one repro: the one that knows a retry, else the oldest, stands for them. */
function byAgent(results: readonly Named[]): Map<string, Converted[]> {
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
