import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../config/config.ts";
import { reprosText } from "../repro/file.ts";
import type { Repro, ReprosFile } from "../repro/repro.ts";
import { byCodeUnit } from "../shared/json.ts";
import { oneLine } from "../shared/text.ts";
import { acceptedPasses } from "./accepted.ts";
import type { Collected } from "./collect.ts";
import { readCommitted, stemOf, type Committed } from "./committed.ts";
import { merge } from "./merge.ts";
import { moveEntries, type SpecIds } from "./move-entries.ts";
import { clusterStem, REPROS_ENDING } from "./names.ts";
import { problem, type Problem } from "./problem.ts";
import type { GeneratedAgent } from "./result.ts";
import { isSameSpec, isSpec, isUntouched, specText, type SpecGroup } from "./spec.ts";
import { isTypescript, jestStyleOf, styleOf } from "./style.ts";
import { targetOf } from "./target.ts";

/** What a generation would do, and what it found out on the way. */
export interface Plan {
  readonly writes: readonly { readonly path: string; readonly text: string }[];
  readonly removals: readonly string[];
  readonly agents: readonly GeneratedAgent[];
  readonly files: readonly ReprosFile[];
  readonly problems: readonly Problem[];
  /** Files outside the specs' folder on which the specs rest, there or not. */
  readonly inputs: readonly string[];
}

export interface PlanOptions {
  /** Overwrites specs that were edited by hand. */
  readonly force?: boolean;
}

interface Draft {
  readonly config: Config;
  readonly committed: Committed;
  readonly options: PlanOptions;
  readonly writes: { readonly path: string; readonly text: string }[];
  readonly removals: string[];
  readonly agents: GeneratedAgent[];
  readonly files: ReprosFile[];
  readonly problems: Problem[];
  readonly inputs: string[];
  /** Beginnings of the names of specs that must stay, whatever they hold. */
  readonly kept: Set<string>;
}

/** Compares what the traces and committed repros give with what is on disk. Writes nothing. */
export function plan(config: Config, collected: Collected, options: PlanOptions = {}): Plan {
  const committed = readCommitted(config.specs.dir);
  const draft: Draft = {
    config,
    committed,
    options,
    writes: [],
    removals: [],
    agents: [],
    files: [],
    problems: [...committed.problems],
    inputs: [],
    kept: new Set(committed.broken),
  };
  const agents = new Set([...committed.files.keys(), ...collected.agents.keys()]);
  for (const agent of [...agents].sort(byCodeUnit)) planAgent(agent, collected, draft);
  planRemovals(draft);
  return draft;
}

function planAgent(agent: string, collected: Collected, draft: Draft): void {
  const { config, committed } = draft;
  const stem = stemOf(agent, committed);
  if (committed.broken.has(stem)) return;
  const before = committed.files.get(agent)?.file;
  const path = join(config.specs.dir, `${stem}${REPROS_ENDING}`);
  const file = merge({
    agent,
    committed: before,
    converted: collected.agents.get(agent) ?? [],
    ...(before === undefined ? {} : { accepted: acceptedPasses(config.specs.dir, stem, before) }),
    threshold: config.threshold,
  });
  draft.files.push(file);
  // Another layout of the same content is a person's or a formatter's business.
  if (file !== before) draft.writes.push({ path, text: reprosText(file) });
  const specs = planSpecs(stem, file, draft);
  draft.agents.push({ agent, repros: path, specs });
}

function planSpecs(stem: string, file: ReprosFile, draft: Draft): string[] {
  const { config } = draft;
  const target = targetOf(config, file.agent);
  const groups = groupsOf(file);
  if (target === undefined) {
    draft.kept.add(stem);
    if (groups.length > 0) draft.problems.push(unconfigured(file.agent));
    return [];
  }
  const code = target.file ?? "";
  const find = config.runner === "jest" ? jestStyleOf : styleOf;
  const { style, files } = find(config.specs.dir, config.root, isTypescript(code));
  draft.inputs.push(...files);
  if (code !== "" && !existsSync(code)) draft.problems.push(missing(file.agent, code));
  const split =
    config.specs.per === "agent"
      ? [{ name: stem, groups: groups.map(({ group }) => group) }]
      : groups.map(({ cluster, group }) => ({
          name: `${stem}.${clusterStem(cluster)}`,
          groups: [group],
        }));
  const placed: SpecIds[] = [];
  const specs = split
    .filter(({ groups: list }) => list.length > 0)
    .map(({ name, groups: list }) => {
      const path = join(config.specs.dir, `${name}.agent.spec${style.extension}`);
      const spec = { repros: `${stem}${REPROS_ENDING}`, agent: target, style, groups: list };
      const ids = list.flatMap(({ tests }) => tests.map(({ id }) => id));
      if (planSpec(path, specText(spec), { draft, ids })) placed.push({ name, ids });
      return path;
    });
  const { writes, removals } = moveEntries(config.specs.dir, file.agent, placed);
  draft.writes.push(...writes);
  draft.removals.push(...removals);
  return specs;
}

interface ClusterGroup {
  readonly cluster: string;
  readonly group: SpecGroup;
}

/** The tests of a file: pending and confirmed repros that wait for nothing, by cluster, in the order of the labels. */
function groupsOf({ repros, clusters }: ReprosFile): ClusterGroup[] {
  const byCluster = new Map<string, Repro[]>();
  for (const repro of repros) {
    if (repro.status === "rejected" || repro.needs !== undefined) continue;
    byCluster.set(repro.cluster, [...(byCluster.get(repro.cluster) ?? []), repro]);
  }
  return [...byCluster]
    .map(([cluster, members]) => ({
      cluster,
      group: {
        label: Object.hasOwn(clusters, cluster) ? (clusters[cluster]?.label ?? cluster) : cluster,
        tests: members
          .map(({ id, title }) => ({ id, title }))
          .sort((a, b) => byCodeUnit(a.id, b.id)),
      },
    }))
    .sort((a, b) => byCodeUnit(a.group.label, b.group.label) || byCodeUnit(a.cluster, b.cluster));
}

/** Whether the spec will be what we made; false for one that a person edited, which stays. */
function planSpec(
  path: string,
  text: string,
  { draft, ids }: { readonly draft: Draft; readonly ids: readonly string[] },
): boolean {
  const now = textAt(path);
  const fresh = `${path}.new`;
  const isEdited = now !== undefined && !isUntouched(now) && draft.options.force !== true;
  if (isEdited && !isSameSpec(now, text)) {
    const without = ids.filter((id) => !now.includes(id));
    // In CI an edited spec is only stale when it leaves repros out: that is the one thing nobody would notice.
    if (draft.config.ci ? without.length > 0 : textAt(fresh) !== text) {
      draft.writes.push({ path: draft.config.ci ? path : fresh, text });
    }
    draft.problems.push(edited(path, without));
    return false;
  }
  if (now === undefined || !isSameSpec(now, text)) draft.writes.push({ path, text });
  if (existsSync(fresh)) draft.removals.push(fresh);
  return true;
}

/** Specs of ours that nothing asks for any more: their repros are gone, rejected, or in a spec of another name. */
function planRemovals(draft: Draft): void {
  const wanted = new Set(draft.agents.flatMap(({ specs }) => specs));
  for (const name of draft.committed.specs) {
    const path = join(draft.config.specs.dir, name);
    if (wanted.has(path) || [...draft.kept].some((stem) => name.startsWith(`${stem}.`))) continue;
    const text = textAt(path);
    if (text === undefined || !isSpec(text)) continue;
    if (isUntouched(text)) draft.removals.push(path);
    else draft.problems.push(orphan(path));
  }
}

function textAt(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

function unconfigured(agent: string): Problem {
  return problem("E_AGENT_UNCONFIGURED", "error", {
    to: `write a spec for the agent ${oneLine(agent, 80)}`,
    because: "no code is configured for it, so none of its repros makes a test",
    fix: 'Set "agent" to "file#export", or add the name to "agents"; its repros file is written',
  });
}

function missing(agent: string, code: string): Problem {
  return problem("E_AGENT_MISSING", "error", {
    to: `write a spec for the agent ${oneLine(agent, 80)}`,
    because: `there is no file ${oneLine(code, 300)}`,
    fix: 'Correct "agent" or "agents" in the configuration',
  });
}

function edited(path: string, without: readonly string[]): Problem {
  const shown = without.slice(0, 5).join(", ");
  return problem("E_SPEC_EDITED", without.length === 0 ? "notice" : "error", {
    to: `rewrite the spec ${path}`,
    because:
      without.length === 0
        ? "it was edited by hand"
        : `it was edited by hand, and has no test for ${shown}${without.length > 5 ? ` and ${String(without.length - 5)} more` : ""}`,
    fix: 'Compare it with the .new file beside it; delete the spec, or run "twiceshy convert --force", to take ours',
  });
}

function orphan(path: string): Problem {
  return problem("E_SPEC_ORPHAN", "notice", {
    to: `remove the spec ${path}`,
    because: "no repro asks for it any more, but it was edited by hand",
    fix: "Delete it when nothing in it is needed",
  });
}
