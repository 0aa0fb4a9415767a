import type { Fault } from "../fault/fault.ts";
import type { World } from "../world/world.ts";
import { memo } from "./memo.ts";
import { DEFAULT_LIMITS } from "./scenarios.ts";
import type { TrialOptions } from "./workflow.ts";

/** Objects in which no problem was found, for one world. */
function goodFor(world: World): WeakSet<object> {
  return memo("good-options", world, () => new WeakSet<object>());
}

/** Whether every part of these options was found good before. Parts that were changed since then are not looked at again. */
export function isKnownGood(
  options: TrialOptions,
  faults: readonly Fault[],
  world: World,
): boolean {
  if (typeof world !== "object" || world === null) return false;
  const good = goodFor(world);
  const { agent, task, checks, limits, clock, network } = options;
  if (!good.has(agent)) return false;
  if (typeof task === "object" && task !== null && !good.has(task)) return false;
  if (task === undefined || (checks !== undefined && !good.has(checks))) return false;
  if (limits !== undefined && !good.has(limits)) return false;
  if (clock !== undefined && clock !== "real" && !good.has(clock)) return false;
  if (network !== undefined && !good.has(network)) return false;
  const most = limits?.toolCalls ?? DEFAULT_LIMITS.toolCalls;
  for (const fault of faults) if (!good.has(fault) || (fault.occurrence ?? 1) > most) return false;
  for (const key in options) if (!FIELDS.has(key)) return false;
  return true;
}

/** From now on these parts are known to be good for this world. */
export function rememberGood(options: TrialOptions, faults: readonly Fault[], world: World): void {
  const good = goodFor(world);
  const { agent, task, checks, limits, clock, network } = options;
  for (const part of [agent, task, checks, limits, clock, network, ...faults])
    if ((typeof part === "object" && part !== null) || typeof part === "function") good.add(part);
}

/** Members of the options that may be there. */
export const FIELDS: ReadonlySet<string> = new Set([
  "agent",
  "agentId",
  "agentVersion",
  "task",
  "world",
  "checks",
  "limits",
  "clock",
  "network",
  "faults",
  "signal",
  "scenario",
]);
