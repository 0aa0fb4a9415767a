import type { BaselineEntry } from "../baseline/baseline.ts";
import { decide } from "../baseline/compare.ts";
import type { Verdict } from "../check/verdict.ts";
import type { Config } from "../config/config.ts";
import type { ReprosAt } from "../repro/folder.ts";
import { contentHash } from "../repro/hash.ts";
import type { Repro } from "../repro/repro.ts";
import type { Outcome, RunnerReport } from "./outcome.ts";
import { runJest } from "./jest.ts";
import { runVitest } from "./vitest.ts";

/** A repro with the file that holds it. */
export type Chosen = ReprosAt & { readonly repro: Repro };

export interface RunOptions {
  /** What may fail the run; by default what the project's configuration says. */
  readonly gate?: Config["gate"];
  readonly matching?: Config["matching"];
  readonly agentVersion?: string;
  readonly limits?: { readonly toolCalls?: number; readonly ms?: number };
  /** Accepts what is there now. */
  readonly update?: boolean;
  /** Whether that may also be a fall from `passes`. */
  readonly acceptRegressions?: boolean;
  /** Accepted verdicts by repro id, in place of the baselines beside the specs; those are then left alone. */
  readonly entries?: ReadonlyMap<string, BaselineEntry>;
  /** The environment of the runner. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal;
}

/** What one repro gave. `verdict` is missing when its test did not come to one. */
export interface RunOutcome {
  readonly repro: string;
  readonly agent: string;
  readonly title: string;
  readonly status: Repro["status"];
  readonly verdict?: Verdict;
  readonly reason: string;
  readonly signatures: readonly string[];
  readonly red: boolean;
  readonly known: boolean;
  readonly regressed: boolean;
  readonly listed?: Outcome["listed"];
  readonly message: string;
  /** The entry that the given baseline should get. */
  readonly write?: BaselineEntry;
}

export interface RunResult {
  readonly agentVersion: string;
  readonly outcomes: readonly RunOutcome[];
  readonly broken: RunnerReport["broken"];
  readonly counts: Readonly<Record<Verdict | "none", number>>;
  readonly regressions: readonly string[];
  /** Exit code of the command line: 0, 1 failed or regressed, 2 no test ran, 3 evidence is missing. */
  readonly code: 0 | 1 | 2 | 3;
}

/** Runs the tests of these repros with the project's own runner. Throws E_RUNNER_*. */
export async function runRepros(
  config: Config,
  chosen: readonly Chosen[],
  options: RunOptions,
): Promise<RunResult> {
  const { entries } = options;
  const run = config.runner === "jest" ? runJest : runVitest;
  const report = await run({
    root: config.root,
    specs: config.specs.dir,
    ids: chosen.map(({ repro }) => repro.id),
    update: entries === undefined ? (options.update === true ? "all" : "default") : "none",
    env: environmentOf(options),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  const found = new Map(report.outcomes.map((outcome) => [outcome.repro, outcome]));
  const outcomes = chosen.map((one) =>
    outcomeOf(one, found.get(one.repro.id), { config, options }),
  );
  return {
    agentVersion: options.agentVersion ?? config.agentVersion ?? "dev",
    outcomes,
    broken: report.broken,
    counts: countsOf(outcomes),
    regressions: outcomes.filter(({ regressed }) => regressed).map(({ repro }) => repro),
    code: codeOf(outcomes),
  };
}

function environmentOf(options: RunOptions): Record<string, string | undefined> {
  const { entries, gate, matching, agentVersion, limits } = options;
  return {
    ...options.env,
    NO_COLOR: "1",
    FORCE_COLOR: undefined,
    // With a baseline of its own the decision is made here, and no test of the runner may be red for another one's sake.
    ...(entries === undefined
      ? gate === undefined
        ? {}
        : { TWICESHY_GATE: gate }
      : { TWICESHY_GATE: "none" }),
    ...(matching === undefined ? {} : { TWICESHY_MATCHING: matching }),
    ...(agentVersion === undefined ? {} : { TWICESHY_AGENT_VERSION: agentVersion }),
    ...(limits?.toolCalls === undefined ? {} : { TWICESHY_TOOL_CALLS: String(limits.toolCalls) }),
    ...(limits?.ms === undefined ? {} : { TWICESHY_TIMEOUT_MS: String(limits.ms) }),
    ...(options.acceptRegressions === true ? { TWICESHY_ACCEPT_REGRESSIONS: "1" } : {}),
  };
}

interface About {
  readonly config: Config;
  readonly options: RunOptions;
}

function outcomeOf({ file, repro }: Chosen, found: Outcome | undefined, about: About): RunOutcome {
  const known = { repro: repro.id, agent: file.agent, title: repro.title, status: repro.status };
  if (found === undefined) {
    return {
      ...known,
      reason: "its test gave no verdict",
      signatures: [],
      red: true,
      known: false,
      regressed: false,
      message: "",
    };
  }
  const { verdict, reason, signatures } = found;
  const judged = { ...known, verdict, reason, signatures };
  const { entries } = about.options;
  if (entries === undefined) {
    const { red, known: isKnown, regressed, listed, message } = found;
    return {
      ...judged,
      red,
      known: isKnown,
      // A repro that changed since it was accepted is another question, not a worse answer.
      regressed: regressed && listed !== "needs review",
      message,
      ...(listed === undefined ? {} : { listed }),
    };
  }
  const entry = entries.get(repro.id);
  const decision = decide({
    repro: { id: repro.id, status: repro.status, hash: contentHash(repro, file.blobs) },
    entry,
    now: { verdict, signatures },
    ci: false,
    update: about.options.update === true ? "all" : "none",
    gate: about.options.gate ?? about.config.gate,
    unreviewed: about.config.unreviewed,
    acceptRegressions: about.options.acceptRegressions === true,
  });
  const { red, listed, message, write } = decision;
  return {
    ...judged,
    red,
    known: decision.known,
    regressed: entry?.verdict === "passes" && verdict !== "passes" && listed !== "needs review",
    message,
    ...(listed === undefined ? {} : { listed }),
    ...(write === undefined ? {} : { write }),
  };
}

function countsOf(outcomes: readonly RunOutcome[]): RunResult["counts"] {
  const counts = { passes: 0, still_fails: 0, fails_differently: 0, unreplayable: 0, none: 0 };
  for (const { verdict } of outcomes) counts[verdict ?? "none"] += 1;
  return counts;
}

/** A failure that is known for sure comes before evidence that is missing. */
function codeOf(outcomes: readonly RunOutcome[]): RunResult["code"] {
  const red = outcomes.filter((outcome) => outcome.red);
  if (red.length === 0) return 0;
  if (outcomes.every(({ verdict }) => verdict === undefined)) return 2;
  const unsure = ({ verdict, regressed, listed }: RunOutcome): boolean =>
    !regressed &&
    (verdict === undefined || verdict === "unreplayable" || listed === "needs review");
  return red.every((outcome) => unsure(outcome)) ? 3 : 1;
}
