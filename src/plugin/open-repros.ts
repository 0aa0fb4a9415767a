import { basename } from "node:path";
import type { Agent, ReplayOptions, ReplayResult, Repro, ReprosFile } from "../runtime.ts";
import { loadChecked, replay, replayer } from "../runtime.ts";
import { failure } from "../shared/error.ts";
import { checkedCassette, type InlineReplay } from "./inline.ts";
import type { Settings } from "./settings.ts";

/** What a replay may take beside the agent's own time. */
const GRACE_MS = 5000;

/** A repros file as the tests of a spec use it; read when the first of them asks, so that titles stay. */
export interface OpenRepros {
  /** Replays one repro by its id; rejects for what is wrong with the spec, never for what the agent does. */
  readonly replay: (id: string) => Promise<ReplayResult>;
  /** Ids of the repros that a person rejected; none where the file cannot be read, which the tests say. */
  readonly rejected: () => ReadonlySet<string>;
}

/**
 * `path` is absolute.
 * @throws E_AGENT_EXPORT for an agent that is no function, E_REPRO_MISSING for an unknown id, E_REPROS_… for a file that cannot be read; all when a test asks
 */
export function openRepros(path: string, agent: Agent, settings: Settings): OpenRepros {
  let loaded: Loaded | undefined;
  const opened = (): Loaded => (loaded ??= load(path, settings));
  const start = (id: string): Promise<ReplayResult> => {
    if (typeof agent !== "function") throw noAgent(agent);
    const { repros, file: whole, play } = opened();
    const repro = repros.get(id);
    if (repro === undefined) throw missing(id, path, whole);
    return play(agent, repro);
  };
  return {
    replay(id) {
      try {
        return start(id);
      } catch (thrown) {
        return Promise.reject(thrown);
      }
    },
    rejected: () => rejectedIn(opened),
  };
}

/** A replay, or two of them, ends by its own limit, which says what hung; the runner would only say that a test timed out. */
export function testTimeoutFor({ limits, testTimeoutMs }: Settings): number {
  return Math.max(testTimeoutMs, 2 * limits.ms + GRACE_MS);
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

interface Loaded {
  readonly file: ReprosFile;
  readonly repros: ReadonlyMap<string, Repro>;
  /** Replays with the options of the file. */
  readonly play: (agent: Agent, repro: Repro) => Promise<ReplayResult>;
}

function load(path: string, settings: Settings): Loaded {
  const { file, checked } = loadChecked(path, settings.notes);
  const { agent, blobs, repros } = file;
  return {
    file,
    repros: new Map(repros.map((repro) => [repro.id, repro])),
    play: replayer({ ...optionsOf(settings), agent, blobs }, checked),
  };
}

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
