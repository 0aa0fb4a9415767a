import type { Clock } from "../boundary/clock.ts";
import type { Json } from "../shared/json.ts";
import type { Usage } from "../trace/trace.ts";

/**
 * Tools by name, as the agent calls them: functions in a plain object, or the methods of a class. An interface has no
 * index signature, so the type is wide; a member of a plain object that is no function is refused when it is wrapped.
 */
export type Tools = object;

/** The agent's own words in the trace; all of it optional. */
export interface AgentRecorder {
  /** A model's response, with its prompt and token usage when known. */
  model(
    response: unknown,
    about?: { readonly prompt?: unknown; readonly model?: string; readonly usage?: Usage },
  ): void;
  reasoning(text: string): void;
  /** The answer, when it is known before the agent returns; the last one counts. */
  output(value: unknown): void;
}

/** What a model is told of one tool. */
export interface CatalogEntry {
  readonly name: string;
  readonly description?: string;
  /** JSON Schema of the arguments. */
  readonly parameters?: Json;
}

/** What an agent is given beside its task. */
export interface AgentContext<T = Record<string, (...args: unknown[]) => unknown>> {
  /** Tools that pass the boundary. */
  readonly tools: T;
  /** Calls a tool by name with named arguments; resolves to its data, rejects with its error. */
  readonly call: (tool: string, args?: object) => Promise<unknown>;
  /** Aborted when a budget ends. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** The tools as a model would be told of them. In a capture or a replay only their names are known. */
  readonly catalog: readonly CatalogEntry[];
  readonly recorder: AgentRecorder;
}

/** The user's program under test. It returns anything, or a completion. */
export type Agent = (task: never, context: never) => unknown;

/** What an agent may return to say how it ended. */
export interface Completion {
  readonly status: "completed" | "blocked";
  readonly message: string;
  readonly output?: Json;
}
