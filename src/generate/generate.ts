import { existsSync } from "node:fs";
import { dirname, relative } from "node:path";
import type { Embedder } from "../cluster/embedder.ts";
import type { Memo } from "../cluster/memo.ts";
import type { Config } from "../config/config.ts";
import { readTraces } from "../importer/importer.ts";
import { failure } from "../shared/error.ts";
import { sweepTemporary, writeAtomic } from "../shared/file.ts";
import { applyLocked } from "./apply.ts";
import { collect, type Collected, type Seen } from "./collect.ts";
import { committedStamps, inputsOf, manifestPath, manifestText, stampsOf } from "./fast.ts";
import { committedTraces } from "./committed.ts";
import { expand } from "./glob.ts";
import { plan, type Plan, type PlanOptions } from "./plan.ts";
import type { Problem } from "./problem.ts";
import type { Counts, GenerateResult } from "./result.ts";
import { fenceOf } from "./target.ts";

export interface GenerateOptions extends PlanOptions {
  /** Traces beside those in the files of `config.traces`, looked at already, as the store's. */
  readonly seen?: Iterable<Seen>;
  /** Leaves the files of `config.traces` alone, because `seen` holds their traces. */
  readonly seenOnly?: boolean;
  /** What tells how alike two texts are. Default: the built-in one. */
  readonly embedder?: Embedder;
  /** What an earlier time found alike. */
  readonly memo?: Memo;
}

/**
 * The whole pipeline: reads traces, finds failures, makes proved repros, clusters them, and writes the repros and specs that changed.
 * A second run writes nothing, and the order of the traces changes no byte. Baselines are never touched. In CI nothing is written:
 * `stale` lists what would be. Throws only for a configuration that cannot be used; everything else is a problem in the result.
 */
export function generate(config: Config, options: GenerateOptions = {}): GenerateResult {
  const traces = expand(config.traces);
  const seen = stampsOf(traces);
  const items = options.seenOnly === true ? [] : readTraces(traces, { redact: config.redact });
  const committed = (): ReturnType<typeof committedTraces> => committedTraces(config.specs.dir);
  const collected = collect(items, config, { ...options, committed });
  const before = committedStamps(config.specs.dir);
  const first = plan(config, collected, options);
  const nothing = first.writes.length === 0 && first.removals.length === 0;
  if (config.ci) return staleResult(config, collected, first);
  const fence = fenceOf(config);
  if (nothing && existsSync(config.specs.dir)) sweepTemporary(config.specs.dir);
  const applied = nothing
    ? { written: [], removed: [], problems: [], complete: true }
    : applyLocked(config.specs.dir, fence, () =>
        // Another process may have written between planning and the lock.
        committedStamps(config.specs.dir) === before ? first : plan(config, collected, options),
      );
  const last = ("plan" in applied ? applied.plan : undefined) ?? first;
  const problems = ordered([...collected.problems, ...last.problems, ...applied.problems]);
  const { written, removed, complete } = applied;
  if (options.seen === undefined) remember(config, { traces: seen, others: last.inputs, problems });
  return {
    written,
    removed,
    stale: [],
    complete,
    agents: last.agents,
    problems,
    counts: countsOf(collected, last),
    inputs: last.inputs,
  };
}

/** Throws E_SPECS_STALE when a generation in CI found files that do not match the traces and repros. */
export function refuseStale(config: Config, { stale }: GenerateResult): void {
  if (stale.length > 0) throw staleError(config, stale);
}

function staleResult(config: Config, collected: Collected, planned: Plan): GenerateResult {
  const { writes, removals, agents, problems, inputs } = planned;
  const stale = [...writes.map(({ path }) => path), ...removals];
  const found: Problem[] = [...collected.problems, ...problems];
  if (stale.length > 0) {
    const { code, message } = staleError(config, stale);
    found.push({ code, message, severity: "error" });
  }
  const counts = countsOf(collected, planned);
  const complete = stale.length === 0;
  return {
    written: [],
    removed: [],
    stale,
    complete,
    agents,
    problems: ordered(found),
    counts,
    inputs,
  };
}

const MAX_NAMED = 5;

function staleError(config: Config, stale: readonly string[]): ReturnType<typeof failure> {
  const names = stale.map((path) => relative(config.root, path).replaceAll("\\", "/"));
  const more = names.length > MAX_NAMED ? ` and ${String(names.length - MAX_NAMED)} more` : "";
  return failure("E_SPECS_STALE", {
    to: "use the generated specs",
    because: `${names.slice(0, MAX_NAMED).join(", ")}${more} do not match the traces and repros at hand, and in CI nothing is written`,
    fix: "Run the tests once locally and commit what is written",
  });
}

function ordered(problems: readonly Problem[]): Problem[] {
  const of = (severity: Problem["severity"]): Problem[] =>
    problems.filter((item) => item.severity === severity);
  return [...of("error"), ...of("notice")];
}

function countsOf({ counts }: Collected, { files }: Plan): Counts {
  const repros = files.flatMap((file) => file.repros);
  return {
    ...counts,
    repros: repros.length,
    pending: repros.filter(({ status }) => status === "pending").length,
    waiting: repros.filter(({ status, needs }) => status !== "rejected" && needs !== undefined)
      .length,
    clusters: files.reduce((sum, { clusters }) => sum + Object.keys(clusters).length, 0),
  };
}

/** Lets the next run see at a glance that nothing changed. An error is told again each time, so it is never remembered. */
function remember(
  config: Config,
  seen: {
    readonly traces: string;
    readonly others: readonly string[];
    readonly problems: readonly Problem[];
  },
): void {
  const path = manifestPath(config);
  if (!existsSync(dirname(path)) || seen.problems.some(({ severity }) => severity === "error"))
    return;
  try {
    writeAtomic(path, manifestText(inputsOf(config, seen), seen.others), { inside: config.root });
  } catch {
    // Only a cache: without it the next run looks again.
  }
}
