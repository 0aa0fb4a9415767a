import { existsSync } from "node:fs";
import { join } from "node:path";
import { checkSchema } from "../check/schema.ts";
import type { Config } from "../config/config.ts";
import type { ImportedTest, ImportedTests } from "../importer/faultspool-tests.ts";
import { readRepros, reprosText } from "../repro/file.ts";
import { reproDigest, writtenDigest } from "../repro/hash.ts";
import { recordingsOf } from "../repro/recordings.ts";
import { REPROS_VERSION, type Repro, type ReprosFile } from "../repro/repro.ts";
import { titleOf } from "../repro/title.ts";
import { writeAtomic } from "../shared/file.ts";
import { byCodeUnit, type Json } from "../shared/json.ts";
import { TRACE_VERSION, type Trace } from "../trace/trace.ts";
import { readCommitted, stemOf } from "./committed.ts";
import type { Noted } from "./ingest.ts";
import { withLock } from "./lock.ts";
import { REPROS_ENDING } from "./names.ts";
import { fenceOf } from "./target.ts";

export interface AddedTests {
  readonly file: string;
  /** Tests that were read. */
  readonly tests: number;
  /** Repros that are new. */
  readonly repros: number;
  readonly broken: readonly Noted[];
}

/**
 * Adds another tool's exported tests to the repros of their agents, with the origin `imported`; those that are there stay as they
 * are. Nobody has proved them: the export lacks the recorded answer. `source.trace` keeps the test's own id.
 */
export function addTests(
  config: Config,
  file: string,
  { tests, problems }: ImportedTests,
): AddedTests {
  const broken: Noted[] = problems.map(({ code, message, line }) => ({
    file,
    record: 0,
    code,
    message,
    ...(line === undefined ? {} : { line }),
  }));
  const agents = [...new Set(tests.map(({ agent }) => agent))].sort(byCodeUnit);
  let repros = 0;
  for (const agent of agents) {
    const mine = tests.filter((test) => test.agent === agent);
    repros += withLock(config.specs.dir, () => addTo(config, { agent, file, tests: mine }, broken));
  }
  return { file, tests: tests.length, repros, broken };
}

interface About {
  readonly agent: string;
  readonly file: string;
  readonly tests: readonly ImportedTest[];
}

function addTo(config: Config, about: About, broken: Noted[]): number {
  const stem = stemOf(about.agent, readCommitted(config.specs.dir));
  const path = join(config.specs.dir, `${stem}${REPROS_ENDING}`);
  const before: ReprosFile = existsSync(path)
    ? readRepros(path)
    : { formatVersion: REPROS_VERSION, agent: about.agent, clusters: {}, repros: [], blobs: {} };
  const blobs = new Map(Object.entries(before.blobs));
  const repros = new Map(before.repros.map((repro) => [repro.id, repro]));
  for (const test of about.tests) {
    const repro = reproOf(test, blobs, (message) =>
      broken.push({
        file: about.file,
        record: 0,
        code: "E_TEST_UNUSABLE",
        message,
        ...(test.line === undefined ? {} : { line: test.line }),
      }),
    );
    if (repro !== undefined && !repros.has(repro.id)) repros.set(repro.id, repro);
  }
  const added = repros.size - before.repros.length;
  const after = { ...before, repros: [...repros.values()], blobs: Object.fromEntries(blobs) };
  if (added > 0) writeAtomic(path, reprosText(after), { inside: fenceOf(config) });
  return added;
}

function reproOf(
  test: ImportedTest,
  blobs: Map<string, Json>,
  refuse: (message: string) => void,
): Repro | undefined {
  const failures = test.failures.map(({ signature, ...found }) => ({
    ...found,
    signature: signature ?? `${found.kind}:${found.tool ?? "-"}`,
  }));
  const real = failures
    .filter(({ severity }) => severity !== "low")
    .map(({ signature }) => signature);
  const signatures = [...new Set(real)].sort(byCodeUnit);
  if (signatures.length === 0) {
    refuse(`the test ${test.id} names no failure that must not come back`);
    return undefined;
  }
  const content = { task: test.task, cassette: recordingsOf(traceOf(test), {}, blobs), signatures };
  const repro: Repro = {
    ...content,
    id: reproDigest(test.agent, content).slice(0, 8),
    status: test.status,
    origin: "imported",
    title: titleOf(test.task),
    cluster: "",
    taskId: test.taskId,
    tools: [...test.toolNames],
    checks: usable(test, refuse),
    failures: failures.map(({ step: _step, ...found }) => found),
    ...(test.outputSchema === undefined ? {} : { outputSchema: test.outputSchema }),
    seen: 1,
    source: {
      trace: test.id,
      agentVersion: test.agentVersion,
      format: "faultspool",
      status: "incomplete",
    },
    ...(test.notes === undefined ? {} : { notes: test.notes }),
  };
  return { ...repro, written: writtenDigest(repro) };
}

/** The checks that assert something here; each other one is told and left out. */
function usable(test: ImportedTest, refuse: (message: string) => void): Repro["checks"] {
  return test.checks.flatMap((check) => {
    const parsed = checkSchema.safeParse(check);
    if (parsed.success) return [parsed.data];
    refuse(
      `the test ${test.id} has a check ${check.type} that is left out: ${parsed.error.issues[0]?.message ?? "it is not valid"}`,
    );
    return [];
  });
}

/** Its recorded calls as a trace, the form that recordings are made of. */
function traceOf(test: ImportedTest): Trace {
  return {
    schemaVersion: TRACE_VERSION,
    id: test.id,
    taskId: test.taskId,
    task: test.task,
    agent: test.agent,
    agentVersion: test.agentVersion,
    source: "faultspool",
    status: "incomplete",
    steps: test.mocks.map(({ tool, args, params, result }, index) => ({
      index,
      kind: "tool",
      name: tool,
      args,
      ...(params === undefined ? {} : { params: [...params] }),
      result,
    })),
  };
}
