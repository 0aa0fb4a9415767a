import type { Agent, AgentContext } from "../agent/agent.ts";
import { isRefusal } from "../boundary/limits.ts";
import { failure } from "../shared/error.ts";
import type { Json, JsonObject } from "../shared/json.ts";
import { oneLine } from "../shared/text.ts";
import type { Adapter, AdapterClock } from "./adapter.ts";
import { causeOf } from "./problem.ts";

/** What an adapter's agent is given. It never sees the state. */
export interface AdapterContext {
  readonly task: Json;
  readonly signal: AbortSignal;
  readonly clock: AdapterClock;
  /** Resolves to `{ ok: true, data }` or `{ ok: false, error }`; under a malformed reply, to the text that came. */
  readonly call: (tool: string, args?: Readonly<Record<string, unknown>>) => Promise<unknown>;
  readonly recordModel: (about: { readonly detail: string; readonly payload?: unknown }) => void;
}

interface AdapterAgent {
  readonly id: string;
  readonly version: string;
  run(context: AdapterContext): unknown;
}

/** An adapter's agents as one agent of ours. */
export interface AgentMaker {
  readonly id: string;
  readonly version: string;
  readonly agent: Agent;
}

/** Texts that tools really answered, so that a cut one is told from them. */
export type Texts = Set<string>;

/**
 * Calls the factory once, for the agent's id and version; that first agent works the first trial, and every further trial has a
 * fresh one. E_ADAPTER_AGENT when the factory throws or gives no agent.
 */
export async function openAgents(adapter: Adapter, texts: Texts): Promise<AgentMaker> {
  const given = new WeakSet<object>();
  const make = async (): Promise<AdapterAgent> => {
    const agent = checkAgent(await created(adapter));
    if (given.has(agent)) throw wrongAgent("it gave an agent that it gave before");
    given.add(agent);
    return agent;
  };
  const first = await make();
  let waiting: AdapterAgent | undefined = first;
  const agent = async (task: Json, context: AgentContext): Promise<unknown> => {
    const mine = waiting ?? (await make());
    waiting = undefined;
    texts.clear();
    if (mine.id !== first.id || mine.version !== first.version)
      throw wrongAgent(
        `it gave an agent ${naming(mine)} after one ${naming(first)}; all trials must be of one agent`,
      );
    return checkCompletion(await mine.run(contextFor(task, context, texts)));
  };
  return { id: first.id, version: first.version, agent };
}

async function created({ createAgent }: Adapter): Promise<unknown> {
  try {
    return await createAgent();
  } catch (cause) {
    throw wrongAgent(`createAgent threw: ${causeOf(cause)}`, cause);
  }
}

function wrongAgent(because: string, cause?: unknown): Error {
  return failure("E_ADAPTER_AGENT", {
    to: "make the agent of the adapter",
    because,
    fix: "createAgent must give a new { id, version, run(context) } at each call",
    ...(cause === undefined ? {} : { cause }),
  });
}

function checkAgent(made: unknown): AdapterAgent {
  if (typeof made !== "object" || made === null)
    throw wrongAgent(`createAgent gave a value of type ${made === null ? "null" : typeof made}`);
  const { id, version, run } = made as Partial<Record<keyof AdapterAgent, unknown>>;
  for (const [field, value] of Object.entries({ id, version }))
    if (typeof value !== "string" || value.trim() === "")
      throw wrongAgent(`the agent's ${field} is no text`);
  if (typeof run !== "function") throw wrongAgent("the agent has no function run");
  return made as AdapterAgent;
}

function naming({ id, version }: AdapterAgent): string {
  return `${JSON.stringify(oneLine(id, 60))} of version ${JSON.stringify(oneLine(version, 60))}`;
}

function contextFor(task: Json, context: AgentContext, texts: Texts): AdapterContext {
  const { clock, recorder } = context;
  return Object.freeze({
    task,
    get signal() {
      return context.signal;
    },
    clock: Object.freeze({ now: () => clock.now(), sleep: (ms: number) => clock.sleep(ms) }),
    async call(tool: string, args: Readonly<Record<string, unknown>> = {}) {
      try {
        const data = await context.call(tool, args);
        return isCut(data, texts) ? data : { ok: true, data };
      } catch (thrown) {
        if (isRefusal(thrown)) throw thrown;
        return { ok: false, error: errorOf(thrown) };
      }
    },
    recordModel({ detail, payload }: { readonly detail: string; readonly payload?: unknown }) {
      recorder.model(payload === undefined ? detail : { detail, payload });
    },
  });
}

/** A malformed reply is the whole answer, not its data: a text that begins as JSON and is none, and that no tool gave. */
function isCut(data: unknown, texts: Texts): data is string {
  if (typeof data !== "string" || texts.has(data) || !/^\s*["[{]/.test(data)) return false;
  try {
    JSON.parse(data);
    return false;
  } catch {
    return true;
  }
}

/** A tool's error as a plain object: code, message, retryable and what else the tool said. */
function errorOf(thrown: unknown): JsonObject {
  if (typeof thrown !== "object" || thrown === null)
    return { code: "ERROR", message: String(thrown), retryable: false };
  const { code, name, message, retryable } = thrown as Record<string, unknown>;
  return {
    ...Object.fromEntries<Json>(Object.entries(thrown)),
    code: typeof code === "string" ? code : typeof name === "string" ? name : "ERROR",
    message: typeof message === "string" ? message : "",
    retryable: retryable === true,
  };
}

const STATUSES: ReadonlySet<unknown> = new Set(["completed", "blocked"]);

/** An adapter's agent must say how it ended; a value that does not is its error, named by the field. */
function checkCompletion(value: unknown): unknown {
  const wrong = (because: string): Error =>
    failure("E_ADAPTER_COMPLETION", {
      to: "take the agent's completion",
      because,
      fix: 'Return { status: "completed" or "blocked", message, output? }',
    });
  if (typeof value !== "object" || value === null)
    throw wrong(
      `the agent returned ${value === undefined ? "nothing" : `a value of type ${value === null ? "null" : typeof value}`}`,
    );
  const { status, message } = value as { status?: unknown; message?: unknown };
  if (!STATUSES.has(status)) throw wrong("its status is neither completed nor blocked");
  if (typeof message !== "string") throw wrong("its message is no text");
  const extra = Object.keys(value).find((key) => !["status", "message", "output"].includes(key));
  if (extra !== undefined) throw wrong(`it has a field ${JSON.stringify(oneLine(extra, 60))}`);
  return value;
}
