import type { Agent, CatalogEntry } from "../agent/agent.ts";
import type { Awaitable } from "../boundary/boundary.ts";
import { catalogOf } from "../world/catalog.ts";
import { prepareWorld } from "../world/prepare.ts";
import type { Json } from "../shared/json.ts";
import type { World } from "../world/world.ts";
import { memo } from "./memo.ts";
import { isFunctionCheck, type Validate } from "./judge-checks.ts";
import { DEFAULT_CLOCK, DEFAULT_LIMITS } from "./scenarios.ts";
import type { TrialClock, TrialLimits, TrialOptions, WorkflowCheck } from "./workflow.ts";
import type { Trial } from "./trial-result.ts";

/** What one trial is run with, checked and with every default; serves for any number of trials. */
export interface TrialPlan {
  readonly scenario: Trial["scenario"];
  readonly agent: Agent;
  readonly agentId: string;
  readonly agentVersion: string;
  readonly task: Json;
  /** A fresh copy of the task for each invocation: an agent may change what it is given. */
  readonly freshTask: () => Json;
  readonly checks: readonly WorkflowCheck[];
  readonly limits: TrialLimits & { readonly toolCalls: number; readonly ms: number };
  readonly clock: Required<TrialClock> | "real";
  /** Hosts that a trial may reach. */
  readonly network: readonly string[];
  readonly signal: AbortSignal | undefined;
  readonly validate: Validate | undefined;
}

/** What of a world does not change from trial to trial. */
export interface Ready {
  readonly world: World;
  readonly tools: readonly string[];
  readonly writes: readonly string[];
  readonly catalog: () => readonly CatalogEntry[];
}

interface Planned {
  readonly agent: Agent;
  readonly agentId?: string | undefined;
  readonly agentVersion?: string | undefined;
  readonly task: Json;
  readonly clock?: TrialOptions["clock"] | undefined;
  readonly checks: readonly WorkflowCheck[];
  readonly limits: TrialLimits;
  readonly network?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

const NO_HOSTS: readonly string[] = Object.freeze([]);

/** No limits of one's own; told by its identity. */
export const NO_LIMITS: TrialLimits = Object.freeze({});

function clockOf(clock: TrialOptions["clock"] | undefined): TrialPlan["clock"] {
  if (clock === undefined || clock === "real") return clock ?? DEFAULT_CLOCK;
  return { ...DEFAULT_CLOCK, ...clock };
}

/** Plans trials of a scenario. */
export function planTrial(
  given: Planned,
  scenario: Trial["scenario"],
  validate?: Validate,
): TrialPlan {
  const { agent, task } = given;
  const text = typeof task === "object" && task !== null ? JSON.stringify(task) : undefined;
  return {
    scenario,
    agent,
    agentId: given.agentId ?? nameOf(agent),
    agentVersion: given.agentVersion ?? "0",
    task,
    freshTask: text === undefined ? () => task : () => JSON.parse(text) as Json,
    checks: given.checks,
    limits: given.limits === NO_LIMITS ? DEFAULT_LIMITS : { ...DEFAULT_LIMITS, ...given.limits },
    clock: clockOf(given.clock),
    network: given.network ?? NO_HOSTS,
    signal: given.signal,
    validate,
  };
}

/** Makes a world ready for its trials: once, whatever their number; from then on at once. */
export function readyWorld(world: World): Awaitable<Ready> {
  const held = memo("ready-world", world, hold);
  return held.ready ?? makeReady(world, held);
}

interface Held {
  ready?: Ready;
}

function hold(): Held {
  return {};
}

async function makeReady(world: World, held: Held): Promise<Ready> {
  await prepareWorld(world);
  const tools = Object.keys(world.tools);
  let catalog: readonly CatalogEntry[] | undefined;
  held.ready = {
    world,
    tools,
    writes: tools.filter((name) => world.tools[name]?.kind === "write"),
    catalog: () => (catalog ??= catalogOf(world)),
  };
  return held.ready;
}

/** What checks of JSON Schemas are judged by; the library behind it is loaded where one needs it, and nowhere else. */
export function validateFor(checks: readonly WorkflowCheck[]): Awaitable<Validate | undefined> {
  return checks.some(needsSchema) ? loadValidate() : undefined;
}

async function loadValidate(): Promise<Validate> {
  const { validateSchema } = await import("../shared/json-schema.ts");
  return validateSchema;
}

/** Whether a check holds values against a user's JSON Schema. */
function needsSchema(check: WorkflowCheck): boolean {
  return !isFunctionCheck(check) && check["schema"] !== undefined;
}

export function nameOf(agent: Agent): string {
  return agent.name === "" ? "agent" : agent.name;
}
