import type { Answer, Awaitable, ToolCall } from "../boundary/boundary.ts";
import type { Clock } from "../boundary/clock.ts";
import type { Json } from "../shared/json.ts";
import type { ToolResult } from "../trace/trace.ts";
import { OpenedWorld } from "./opened.ts";
import type { Mutation, World, WorldIssue } from "./world.ts";

/** How a fault has a call delivered. */
export interface Delivery {
  /** What of the tool's changes is committed: all of them, none, or the first so many. Default: `all`. */
  readonly commit?: "all" | "none" | { readonly first: number };
}

/** What a delivery did. */
export interface Delivered {
  readonly result: ToolResult;
  /** Empty when nothing was committed. */
  readonly mutations: readonly Mutation[];
  /** How many of the tool's changes were left out of the commit. Missing when none was. */
  readonly cut?: number;
}

/** A world during one trial: its own state, cheap to open whatever the state's size. */
export interface OpenWorld {
  /** Answers each call by one transaction; never throws. */
  readonly answer: Answer;
  /** The same, as a fault wants it done. */
  deliver(call: ToolCall, delivery?: Delivery): Awaitable<Delivered>;
  /** Another client's change, as a transaction of its own; values by JSON Pointer (null removes nothing: it is a value), or a function over a draft. */
  rival(
    change: Readonly<Record<string, Json>> | ((state: never) => void),
    about: ToolCall,
  ): Mutation | undefined;
  /** The committed value at a JSON Pointer, frozen, without a copy of what has not changed; undefined where there is none. */
  read(pointer: string): Json | undefined;
  /** The same of the start state. */
  initial(pointer: string): Json | undefined;
  /** A plain copy of the whole committed state: costs what the state's size costs. */
  snapshot(): Json;
  readonly mutations: readonly Mutation[];
  readonly issues: readonly WorldIssue[];
  kindOf(tool: string): "read" | "write" | undefined;
  /** Ids of the calls that are waiting or running. */
  pending(): readonly string[];
  /** Ends it: calls that wait or run are cancelled (signal aborted, draft discarded), and nothing commits any more. Idempotent. */
  close(): void;
}

/** What a world is opened with. */
export interface OpenOptions {
  readonly clock: Clock;
  /** Told of every commit as it happens, before the tool's answer is returned. */
  readonly onMutation?: (mutation: Mutation) => void;
  readonly onIssue?: (issue: WorldIssue) => void;
}

/**
 * Opens a world for one trial. Costs the same whatever the state's size. Throws `E_WORLD_FOREIGN` for what `defineWorld`
 * has not made.
 */
export function openWorld(world: World, options: OpenOptions): OpenWorld {
  return new OpenedWorld(world, options);
}
