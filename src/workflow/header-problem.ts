import { conditionsDigest, digestOf, sharedDigest } from "./fingerprint.ts";
import { hidesSomething } from "./redact-report.ts";
import type { ReportedScenario, ReportHeader } from "./report.ts";
import { CONTROL } from "./scenarios.ts";

/**
 * Where a header's digests are not those of its own data; undefined when all are. What was hidden before it was written has the digest of
 * what is hidden, which nobody can make again.
 */
export function headerProblem(header: ReportHeader): string | undefined {
  const { workflow, world, initialState, scenarios, tools, agent, commit } = header;
  if (typeof workflow.id !== "string" || typeof agent.id !== "string")
    return "it names no workflow or no agent";
  if (commit !== undefined && !isCommit(commit)) return "its commit is no commit id";
  if (world.initialState !== digestOf(initialState)) return "its start state has another digest";
  if (!tools.every(({ kind }) => kind === "read" || kind === "write"))
    return "it has a tool that neither reads nor writes";
  if (!hidesSomething(workflow) && header.fingerprint !== sharedDigest({ workflow, world }))
    return "its fingerprint is not that of its task, world, limits, clock and checks";
  if (new Set(scenarios.map(({ id }) => id)).size < scenarios.length)
    return "two of its scenarios have one id";
  const [control] = scenarios;
  if (control?.id !== CONTROL || control.faults.length > 0 || control.trials !== 1)
    return "its first scenario is no control";
  for (const row of scenarios) {
    const problem = rowProblem(row, header);
    if (problem !== undefined) return `scenario ${JSON.stringify(row.id)}: ${problem}`;
  }
  return undefined;
}

function rowProblem(row: ReportedScenario, { workflow }: ReportHeader): string | undefined {
  const { task = workflow.task, faults, limits, checks, trials, digest } = row;
  if (!Number.isSafeInteger(trials) || trials < 1) return "its number of trials is none";
  const conditions = { faults, task, limits, checks };
  return hidesSomething(conditions) || digest === conditionsDigest(conditions)
    ? undefined
    : "its digest is not that of its faults, checks, task and limits";
}

/** Whether a text is the id of a commit, whole or short. */
export function isCommit(text: unknown): text is string {
  return typeof text === "string" && /^[0-9a-f]{7,64}$/u.test(text);
}
