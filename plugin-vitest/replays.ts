import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, inject, vi } from "vitest";
import { openRepros, testTimeoutFor } from "../src/plugin/open-repros.ts";
import { DEFAULTS } from "../src/plugin/settings.ts";
import type { Agent, ReplayResult } from "../src/runtime.ts";
import { enterFile, type FileNode } from "./current-file.ts";
import { PROVIDED } from "./settings.ts";
import { settle, type SnapshotState } from "./snapshot-state.ts";

/**
 * Opens a repros file for a spec: give `import.meta.url` (or `__filename`), the file's name beside it and the agent.
 * Returns a function that replays one repro by its id and never fails for what the agent does.
 * @throws E_AGENT_EXPORT for an agent that is no function, E_REPRO_MISSING for an unknown id, E_REPROS_… for a file that cannot be read; both when a test asks, so that titles stay
 */
export function replays(
  from: string,
  file: string,
  agent: Agent,
): (id: string) => Promise<ReplayResult> {
  const spec = from.startsWith("file:") ? fileURLToPath(from) : from;
  const settings = inject(PROVIDED) ?? DEFAULTS;
  const repros = openRepros(resolve(dirname(spec), file), agent, settings);
  follow(repros.rejected);
  vi.setConfig({ testTimeout: testTimeoutFor(settings) });
  return repros.replay;
}

/** Lets matchers find their test, and tells the runner when the file ends which entries are not obsolete. */
function follow(rejected: () => ReadonlySet<string>): void {
  // The runner reads the first parameter, so it must be destructured; the suite is the second.
  // oxlint-disable-next-line no-empty-pattern
  beforeAll(({}, suite?: { readonly file: FileNode }) => {
    if (suite !== undefined) enterFile(suite.file);
  });
  // oxlint-disable-next-line no-empty-pattern
  afterAll(({}, suite?: { readonly file: FileNode }) => {
    const state = expect.getState().snapshotState as SnapshotState | undefined;
    if (suite === undefined || state?.testFilePath !== suite.file.filepath) return;
    const mayWrite = !(inject(PROVIDED) ?? DEFAULTS).ci;
    settle(state, suite.file, { mayWrite, rejected: mayWrite ? new Set() : rejected() });
  });
}
