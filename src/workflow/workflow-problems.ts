import { faultProblems } from "../fault/check-fault.ts";
import { failure } from "../shared/error.ts";
import { nearest } from "../shared/nearest.ts";
import { oneLine } from "../shared/text.ts";
import type { World } from "../world/world.ts";
import { checkListProblems } from "./check-problems.ts";
import { jsonProblem } from "./json-problem.ts";
import { FIELDS } from "./known-good.ts";
import { networkProblems } from "./network-problems.ts";
import { CONTROL, DEFAULT_LIMITS } from "./scenarios.ts";
import type { Fault } from "../fault/fault.ts";
import type { Scenario, TrialLimits, Workflow } from "./workflow.ts";

/** One thing that is wrong: `"<field>: <why>; <what to do>"`. */
export type Problem = string;

const TRIAL_FIELDS = [
  "agent",
  "agentId",
  "agentVersion",
  "task",
  "world",
  "checks",
  "limits",
  "clock",
  "network",
];
const WORKFLOW_FIELDS = [...TRIAL_FIELDS, "id", "title", "scenarios", "trials"];
const OPTION_FIELDS = [...FIELDS];
const SCENARIO_FIELDS = ["id", "title", "faults", "checks", "checksMode", "task", "limits"];
const LIMIT_FIELDS = ["toolCalls", "repeatedCalls", "ms"];
const CLOCK_FIELDS = ["startMs", "budgetMs"];

/** More trials than these are a slip of the hand. */
const MOST_TRIALS = 10_000;

/** Everything that is wrong with a workflow, whoever wrote it; empty when nothing is. */
export function workflowProblems(workflow: Workflow, world: World | undefined): Problem[] {
  const { id, trials, scenarios } = workflow;
  const problems = [
    ...unknownFields("", workflow, WORKFLOW_FIELDS),
    ...(isName(id) ? [] : [`id: ${shown(id)} is no name; use letters, digits, "-" and "_"`]),
    ...commonProblems("", workflow),
  ];
  if (trials !== undefined && !isCount(trials, 1, MOST_TRIALS))
    problems.push(
      `trials: ${shown(trials)} is no number from 1 to ${MOST_TRIALS}; say how often each scenario is tried`,
    );
  if (scenarios === "matrix") return problems;
  if (!Array.isArray(scenarios))
    return [
      ...problems,
      `scenarios: ${shown(scenarios)} is no list; give a list of scenarios, or "matrix"`,
    ];
  problems.push(...duplicates("scenarios", scenarios as readonly Scenario[]));
  (scenarios as readonly Scenario[]).forEach((scenario, i) =>
    problems.push(...scenarioProblems(`scenarios[${i}]`, scenario, { workflow, world })),
  );
  return problems;
}

/** What is wrong with a world as somebody gave it. */
export function worldProblems(world: unknown): Problem[] {
  const tools: unknown =
    typeof world === "object" && world !== null ? Reflect.get(world, "tools") : undefined;
  if (typeof tools === "object" && tools !== null) return [];
  return ["world: it is none; give what defineWorld returns, or a function that gives it"];
}

/** Everything that is wrong with what one trial is to be run with. */
export function trialProblems(
  options: Omit<Workflow, "id" | "scenarios"> & { readonly faults?: readonly Fault[] },
  world: World | undefined,
): Problem[] {
  return [
    ...unknownFields("", options, OPTION_FIELDS),
    ...commonProblems("", options),
    ...faultListProblems("faults", options.faults ?? [], { world, limits: options.limits }),
  ];
}

/**
 * The error of a workflow or trial that cannot be run: one, with all problems.
 */
export function invalidWorkflow(what: string, problems: readonly Problem[]): Error {
  const list = problems.map((problem) => `\n  - ${problem}`).join("");
  return failure("E_WORKFLOW_INVALID", {
    to: `run ${what}`,
    because: `${problems.length === 1 ? "there is a problem" : `there are ${problems.length} problems`} with it:${list}`,
    fix: "Correct what is named; nothing was run",
  });
}

function commonProblems(
  at: string,
  given: Pick<Workflow, "agent" | "task" | "checks" | "limits" | "clock" | "network">,
): Problem[] {
  const problems = [
    ...limitProblems(`${at}limits`, given.limits),
    ...clockProblems(given.clock),
    ...networkProblems(given.network),
  ];
  const { agent } = given;
  if (typeof agent !== "function" || /^class\b/u.test(String(agent)))
    problems.push(
      `agent: ${typeof agent === "function" ? "it is a class" : `a value of type ${typeof agent} was given`}; give a function of the task and its context`,
    );
  problems.push(...taskProblems("task", given.task));
  problems.push(...checkListProblems("checks", given.checks));
  return problems;
}

function scenarioProblems(
  at: string,
  scenario: Scenario,
  about: { readonly workflow: Workflow; readonly world: World | undefined },
): Problem[] {
  if (typeof scenario !== "object" || scenario === null)
    return [`${at}: ${shown(scenario)} is no scenario; give { id, faults }`];
  const { id, faults, checks, checksMode, task } = scenario;
  const { world, workflow } = about;
  const problems = unknownFields(`${at}.`, scenario, SCENARIO_FIELDS);
  if (id === CONTROL)
    problems.push(
      `${at}.id: "${CONTROL}" is the run without faults, which runs by itself; name it otherwise`,
    );
  else if (!isScenarioId(id))
    problems.push(`${at}.id: ${shown(id)} is no name; use letters, digits, "-", "_", "." and ":"`);
  if (!Array.isArray(faults)) problems.push(`${at}.faults: is missing; give a list of faults`);
  else if (faults.length === 0 && task === undefined)
    problems.push(
      `${at}.faults: is empty; the run without faults is the control, which runs by itself: give a fault, or a task of its own`,
    );
  if (checksMode !== undefined && checksMode !== "extend" && checksMode !== "replace")
    problems.push(`${at}.checksMode: ${shown(checksMode)} is unknown; use "extend" or "replace"`);
  if (task !== undefined) problems.push(...taskProblems(`${at}.task`, task));
  problems.push(
    ...limitProblems(`${at}.limits`, scenario.limits),
    ...checkListProblems(`${at}.checks`, checks),
  );
  if (Array.isArray(faults)) {
    const limits = { ...workflow.limits, ...scenario.limits };
    problems.push(
      ...faultListProblems(`${at}.faults`, faults as readonly Fault[], { world, limits }),
    );
  }
  return problems;
}

function faultListProblems(
  at: string,
  faults: readonly Fault[],
  about: { readonly world: World | undefined; readonly limits: TrialLimits | undefined },
): Problem[] {
  const kinds = kindsOf(about.world);
  const most = about.limits?.toolCalls ?? DEFAULT_LIMITS.toolCalls;
  return faults.flatMap((fault, i) => {
    const problems = faultProblems(fault, kinds).map((problem) => `${at}[${i}].${problem}`);
    const { occurrence } = fault;
    if (typeof occurrence === "number" && occurrence > most)
      problems.push(
        `${at}[${i}].occurrence: call ${occurrence} of ${shown(fault.tool)} can never come, as a trial admits ${most} tool calls; lower it, or raise limits.toolCalls`,
      );
    return problems;
  });
}

function taskProblems(at: string, task: unknown): Problem[] {
  if (task === undefined) return [`${at}: is missing; give what the agent is to do`];
  const problem = jsonProblem(task);
  if (problem === undefined) return [];
  return [`${at}${problem.pointer}: ${problem.why}; give JSON, and build the rest in the agent`];
}

function limitProblems(at: string, limits: TrialLimits | undefined): Problem[] {
  if (limits === undefined) return [];
  const problems = unknownFields(`${at}.`, limits, LIMIT_FIELDS);
  for (const field of ["toolCalls", "repeatedCalls"] as const) {
    const value = limits[field];
    if (value !== undefined && !isCount(value, 0, Number.MAX_SAFE_INTEGER))
      problems.push(`${at}.${field}: ${shown(value)} is no count; give a whole number from 0`);
  }
  const { ms } = limits;
  if (ms !== undefined && !(typeof ms === "number" && ms > 0 && ms <= 2_147_483_647))
    problems.push(`${at}.ms: ${shown(ms)} is no time; give milliseconds above 0`);
  return problems;
}

function clockProblems(clock: Workflow["clock"]): Problem[] {
  if (clock === undefined || clock === "real") return [];
  if (typeof clock !== "object" || clock === null)
    return [`clock: ${shown(clock)} is unknown; give { startMs, budgetMs } or "real"`];
  const problems = unknownFields("clock.", clock, CLOCK_FIELDS);
  const { startMs, budgetMs } = clock;
  if (startMs !== undefined && !isCount(startMs, 0, 8_640_000_000_000_000))
    problems.push(`clock.startMs: ${shown(startMs)} is no time; give epoch milliseconds`);
  if (budgetMs !== undefined && !isCount(budgetMs, 1, Number.MAX_SAFE_INTEGER))
    problems.push(`clock.budgetMs: ${shown(budgetMs)} is no time; give milliseconds above 0`);
  return problems;
}

function duplicates(at: string, items: readonly { readonly id?: unknown }[]): Problem[] {
  const first = new Map<unknown, number>();
  return items.flatMap((item, i) => {
    const id = item?.id;
    const before = first.get(id);
    if (before === undefined) first.set(id, i);
    return before === undefined || id === undefined
      ? []
      : [`${at}[${i}].id: ${shown(id)} is the id of ${at}[${before}], too; give each its own`];
  });
}

/** Members that nobody reads, with the one that was perhaps meant. */
export function unknownFields(at: string, given: object, known: readonly string[]): Problem[] {
  return Object.keys(given)
    .filter((key) => !known.includes(key))
    .map((key) => {
      const meant = nearest(key, known);
      const fix =
        meant === undefined ? `known are ${known.join(", ")}` : `did you mean "${meant}"?`;
      return `${at}${oneLine(key, 60)}: is unknown; ${fix}`;
    });
}

function kindsOf(world: World | undefined): Map<string, "read" | "write"> | undefined {
  if (world === undefined) return undefined;
  return new Map(Object.entries(world.tools).map(([name, { kind }]) => [name, kind]));
}

function isName(id: unknown): boolean {
  return typeof id === "string" && /^[\w-]{1,100}$/u.test(id);
}

function isScenarioId(id: unknown): boolean {
  return typeof id === "string" && /^[\w.:-]{1,200}$/u.test(id);
}

function isCount(value: unknown, least: number, most: number): boolean {
  return Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most;
}

function shown(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(oneLine(value, 60));
  return typeof value === "object" && value !== null
    ? Array.isArray(value)
      ? "a list"
      : "an object"
    : String(value);
}
