import { basename, dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, inject, vi } from "vitest";
import type { Agent, ReplayOptions, ReplayResult, Repro, ReprosFile } from "../src/runtime.ts";
import { loadChecked, replay, replayer } from "../src/runtime.ts";
import { failure } from "../src/shared/error.ts";
import { enterFile, type FileNode } from "./current-file.ts";
import { checkedCassette, type InlineReplay } from "./inline.ts";
import { DEFAULTS, PROVIDED, type Settings } from "./settings.ts";
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
  const path = resolve(dirname(spec), file);
  let loaded: Loaded | undefined;
  const opened = (): Loaded => (loaded ??= load(path));
  follow(() => rejectedIn(opened));
  outlast(inject(PROVIDED) ?? DEFAULTS);
  const start = (id: string): Promise<ReplayResult> => {
    if (typeof agent !== "function") throw noAgent(agent);
    const { repros, file: whole, play } = opened();
    const repro = repros.get(id);
    if (repro === undefined) throw missing(id, path, whole);
    return play(agent, repro);
  };
  return (id) => {
    try {
      return start(id);
    } catch (thrown) {
      return Promise.reject(thrown);
    }
  };
}

/** What a replay may take beside the agent's own time. */
const GRACE_MS = 5000;

interface Loaded {
  readonly file: ReprosFile;
  readonly repros: ReadonlyMap<string, Repro>;
  /** Replays with the options of the file. */
  readonly play: (agent: Agent, repro: Repro) => Promise<ReplayResult>;
}

function load(path: string): Loaded {
  const settings = inject(PROVIDED) ?? DEFAULTS;
  const { file, checked } = loadChecked(path, settings.notes);
  const { agent, blobs, repros } = file;
  return {
    file,
    repros: new Map(repros.map((repro) => [repro.id, repro])),
    play: replayer({ ...optionsOf(settings), agent, blobs }, checked),
  };
}

/** A replay, or two of them, ends by its own limit, which says what hung; the runner would only say that a test timed out. */
function outlast({ limits, testTimeoutMs }: Settings): void {
  vi.setConfig({ testTimeout: Math.max(testTimeoutMs, 2 * limits.ms + GRACE_MS) });
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

/** Ids of the repros that a person rejected; none where the file cannot be read, which the tests say. */
function rejectedIn(opened: () => Loaded): ReadonlySet<string> {
  try {
    const { repros } = opened().file;
    return new Set(repros.filter(({ status }) => status === "rejected").map(({ id }) => id));
  } catch {
    return new Set();
  }
}

function noAgent(agent: unknown): Error {
  return failure("E_AGENT_EXPORT", {
    to: "replay an agent",
    because: `what this spec imports as the agent is ${agent === undefined ? "undefined" : `a ${typeof agent}`}, not a function`,
    fix: 'Export it, or name another export in the configuration: agent: "file#export"',
  });
}

function missing(id: string, path: string, { repros }: ReprosFile): Error {
  const ids = repros.map((repro) => repro.id);
  return failure("E_REPRO_MISSING", {
    to: `replay the repro ${id}`,
    because: `${basename(path)} has ${ids.length === 0 ? "none" : `only ${ids.slice(0, 5).join(", ")}${ids.length > 5 ? ", …" : ""}`}`,
    fix: "Generate the spec again, or remove this test",
  });
}

/** Replays an inline cassette: the same judging, without a repros file, id or baseline. */
export async function replayInline(
  inline: InlineReplay,
  settings: Settings,
): Promise<ReplayResult> {
  const { agent, ...repro } = inline;
  return replay(
    agent,
    { ...repro, cassette: checkedCassette(repro.cassette) },
    optionsOf(settings),
  );
}

function optionsOf({
  agentVersion,
  matching,
  volatile,
  limits,
  network,
  detect,
  redact,
}: Settings): ReplayOptions {
  return {
    agentVersion,
    matching,
    volatile,
    limits,
    network,
    detect,
    redact,
  };
}
