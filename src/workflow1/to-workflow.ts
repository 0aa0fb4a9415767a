import type { Fault } from "../fault/fault.ts";
import { isObject, type Json } from "../shared/json.ts";
import { oneLine } from "../shared/text.ts";
import { defineWorld } from "../world/define.ts";
import type { World, WorldTool } from "../world/world.ts";
import type { Scenario, Workflow } from "../workflow/workflow.ts";
import type { Adapter, AdapterTool } from "./adapter.ts";
import { openAgents, type Texts } from "./agents.ts";
import type { Document, DocumentScenario } from "./document.ts";
import { checkOf } from "./read.ts";

/**
 * A document and its adapter as one of our workflows. Makes the first agent, for its id and version; throws E_ADAPTER_AGENT when
 * that is not possible. `trials` replaces the number of trials.
 */
export async function workflowOf(
  document: Document,
  adapter: Adapter,
  options: { readonly trials?: number | undefined } = {},
): Promise<Workflow> {
  const texts: Texts = new Set();
  const world = worldOf(document, adapter, texts);
  const { id: agentId, version: agentVersion, agent } = await openAgents(adapter, texts);
  const { clock, limits, scenarios } = document;
  return {
    id: document.id,
    title: document.title,
    agent,
    agentId,
    agentVersion,
    task: document.task,
    world,
    checks: document.checks.map((check) => checkOf(check)),
    scenarios: scenarios === undefined ? "matrix" : scenarios.map((one) => scenarioOf(one)),
    // Without a clock such a document's time is real.
    clock: clock === undefined ? "real" : { startMs: clock.startMs, budgetMs: clock.maxTimeMs },
    limits: {
      toolCalls: limits.maxToolCalls,
      ms: limits.timeoutMs,
      ...(limits.maxRepeatedCalls === undefined ? {} : { repeatedCalls: limits.maxRepeatedCalls }),
    },
    ...(options.trials === undefined ? {} : { trials: options.trials }),
  };
}

function scenarioOf({ id, title, fault, faults, checks }: DocumentScenario): Scenario {
  return {
    id,
    title,
    faults: (faults ?? [fault]) as readonly Fault[],
    ...(checks === undefined
      ? {}
      : { checks: checks.map((check) => checkOf(check)), checksMode: "replace" }),
  };
}

/** The adapter's tools over the document's state. Nothing of the adapter is called. */
export function worldOf(
  { id, initialState }: Pick<Document, "id" | "initialState">,
  { tools }: Pick<Adapter, "tools">,
  texts: Texts = new Set(),
): World {
  const wrapped = Object.entries(tools).map(([name, tool]) => [name, toolOf(name, tool, texts)]);
  return defineWorld({
    name: id,
    state: initialState,
    tools: Object.fromEntries(wrapped) as Record<string, WorldTool>,
  }) as World;
}

/** A tool of an adapter must answer in its own form; one that does not is broken, and its field is named. */
function toolOf(name: string, tool: AdapterTool, texts: Texts): WorldTool {
  const checked = (answer: unknown): unknown => {
    const problem = answerProblem(answer);
    if (problem !== undefined) throw new TypeError(`the tool ${oneLine(name, 100)} ${problem}`);
    const { data } = answer as { data?: unknown };
    if (typeof data === "string") texts.add(data);
    return answer;
  };
  const execute: WorldTool["execute"] = (args, state, { signal, clock }) => {
    const answer = tool.execute(args, state, { signal, clock });
    return isThenable(answer) ? Promise.resolve(answer).then(checked) : checked(answer);
  };
  return {
    kind: tool.kind,
    ...(tool.description === undefined ? {} : { description: tool.description }),
    execute: withSourceOf(tool, execute),
  };
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value;
}

/** The world's digest is made of the tools' sources: of the adapter's, not of what is around them. */
function withSourceOf<T extends object>(tool: AdapterTool, execute: T): T {
  return Object.defineProperty(execute, "toString", {
    value: () => String(Reflect.get(tool, "execute")),
  });
}

function answerProblem(answer: unknown): string | undefined {
  const form = "{ ok: true, data } or { ok: false, error: { code, message, retryable } }";
  if (!isObject(answer)) return `returned ${typeof answer}, not ${form}`;
  if (answer["ok"] === true)
    return answer["data"] === undefined
      ? `returned no "data" beside "ok"; write ${form}`
      : undefined;
  if (answer["ok"] !== false) return `returned no "ok"; write ${form}`;
  const { error } = answer as { error?: Json };
  if (!isObject(error)) return `returned no "error" beside "ok"; write ${form}`;
  const wanted = { code: "string", message: "string", retryable: "boolean" } as const;
  const wrong = Object.entries(wanted).find(([field, type]) => typeof error[field] !== type);
  return wrong === undefined
    ? undefined
    : `returned an error whose "${wrong[0]}" is no ${wrong[1]}`;
}
