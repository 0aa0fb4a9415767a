import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { jest } from "@jest/globals";
import { openRepros, testTimeoutFor } from "../src/plugin/open-repros.ts";
import type { Agent, ReplayResult } from "../src/runtime.ts";
import { openBaseline } from "./baseline.ts";
import { currentPath, currentSnapshots } from "./current.ts";
import { settingsFor } from "./handover.ts";

type Replay = (id: string) => Promise<ReplayResult>;

/**
 * Opens a repros file for a spec: give its name beside the spec and the agent. (What Vitest's form has before them, `import.meta.url`
 * or `__filename`, may be there too.) Returns a function that replays one repro by its id and never fails for what the agent does.
 * @throws E_AGENT_EXPORT for an agent that is no function, E_REPRO_MISSING for an unknown id, E_REPROS_… for a file that cannot be read; all when a test asks, so that titles stay
 */
export function replays(file: string, agent: Agent): Replay;
export function replays(from: string, file: string, agent: Agent): Replay;
export function replays(
  ...given: readonly [string, Agent] | readonly [string, string, Agent]
): Replay {
  const path = currentPath();
  const [from, file, agent] = given.length === 2 ? [path, ...given] : given;
  const settings = settingsFor(path);
  const spec = from.startsWith("file:") ? fileURLToPath(from) : from;
  const repros = openRepros(resolve(dirname(spec), file), agent, settings);
  const state = currentSnapshots();
  if (state !== undefined) {
    const baseline = openBaseline(state, path);
    baseline.mayWrite = !settings.ci;
    baseline.rejected = repros.rejected;
  }
  jest.setTimeout(testTimeoutFor(settings));
  return repros.replay;
}
