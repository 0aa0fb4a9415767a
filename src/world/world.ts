import type { Clock } from "../boundary/clock.ts";
import type { Json, JsonObject } from "../shared/json.ts";

/** What a tool of a world is given beside its arguments and its draft of the state. */
export interface ToolContext {
  readonly clock: Clock;
  /** Aborted when nobody waits for the tool any more: the trial has ended. */
  readonly signal: AbortSignal;
  /** Calls another tool of the same world, inside of this one's transaction. Resolves to its data, rejects with its error. */
  call(tool: string, args?: Readonly<Record<string, unknown>>): Promise<unknown>;
}

/** A schema of any library that speaks Standard Schema (zod 3.24 and newer, valibot, arktype). */
export interface StandardSchema<Value = unknown> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => unknown;
    readonly types?: { readonly input: unknown; readonly output: Value } | undefined;
  };
}

/** One tool of a world. */
export interface WorldTool<State = never, Args = never> {
  /** A `read` must change nothing. */
  readonly kind: "read" | "write";
  /** What a model is told. */
  readonly description?: string;
  /** A Standard Schema (zod) or a JSON Schema of the arguments; a call that breaks it is a tool error, and runs nothing. */
  readonly parameters?: StandardSchema<Args> | JsonObject;
  /** What becomes of the draft when the tool answers with an error. Default: `discard`; `keep` models a partial write. */
  readonly onError?: "discard" | "keep";
  /**
   * Changes the draft in place. Returns the data, or `{ ok: true, data }` or `{ ok: false, error }`; throws
   * `toolError(code, message)` for an answer that is an error.
   */
  execute(args: Args, state: State, context: ToolContext): unknown;
}

/** A simulated service: tools over a state that only committed transactions change. Made by `defineWorld`. */
export interface World<State = unknown> {
  readonly name: string;
  /** The start state, frozen: JSON. */
  readonly state: State;
  readonly tools: Readonly<Record<string, WorldTool>>;
  /** Whether transactions may overlap. Default: one after the other, in the order of the calls. */
  readonly overlap: boolean;
  /** A change that another client makes, for the fault `concurrent_modification`. */
  rival?(state: State): void;
  /** Digest of the start state and of the tools' kinds, parameters and code: 16 hex digits. */
  readonly digest: string;
}

/** One value that a transaction changed. `before` is missing for what was added, `after` for what was removed. */
export interface Change {
  /** JSON Pointer into the state. */
  readonly path: string;
  readonly before?: Json;
  readonly after?: Json;
}

/** A committed change to a world's state: one for each transaction that changed something. */
export interface Mutation {
  /** The call that it belongs to; a call that is delivered twice has two. */
  readonly callId: string;
  readonly tool: string;
  readonly args: Json;
  readonly changes: readonly Change[];
  /** Milliseconds on the trial's clock. */
  readonly at: number;
  /** `agent` for what the agent's call did, also when it was told otherwise; `rival` for what another client did. */
  readonly by: "agent" | "rival";
}

/** Something that is wrong with the simulation itself, not with the agent. */
export interface WorldIssue {
  readonly side: "tool" | "world";
  /** `E_TOOL_READ_MUTATES`, `E_TOOL_CRASHED`, `E_TOOL_RESULT`, `E_WORLD_STATE`, ... */
  readonly code: string;
  readonly tool?: string;
  /** What was asked, the field, why not, and what to do. */
  readonly message: string;
}
