import type { Answer, Awaitable, Layer, ToolCall } from "../boundary/boundary.ts";
import type { Clock } from "../boundary/clock.ts";
import type { Json } from "../shared/json.ts";
import type { ToolResult } from "../trace/trace.ts";
import type { Delivered, Delivery } from "../world/open.ts";

/** Which calls a fault hits. */
export interface Selection {
  readonly tool: string;
  /** The first matching call that it hits, from 1. Default: the type's own, mostly 1. */
  readonly occurrence?: number;
  /** How many matching calls in a row. Default: 1. */
  readonly repeat?: number;
  /** Only calls whose arguments contain these members. */
  readonly match?: Json;
  /** What `occurrence` counts: matching calls of the tool, or those with equal arguments. Default: the type's own, mostly `tool`. */
  readonly per?: "tool" | "arguments";
}

/** A fault as data: its type, which calls it hits, and the type's own fields. */
export interface Fault extends Selection {
  readonly type: string;
  readonly [field: string]: Json | undefined;
}

/**
 * The shape of one of a type's own fields. `code`: a text or a number; `ms`: whole milliseconds, at most a day; `count`: a whole number from 1;
 * `names`: a list of texts; a list: one of its words.
 */
export type FaultField =
  | "json"
  | "string"
  | "code"
  | "boolean"
  | "ms"
  | "count"
  | "tool"
  | "names"
  | readonly string[];

/** When something that was put off is done: after so many more calls were answered (default: 1), or so much later on the clock. */
export interface Later {
  readonly calls?: number;
  readonly ms?: number;
}

/** What a fault type may do in a trial. */
export interface Arena {
  readonly clock: Clock;
  kindOf(tool: string): "read" | "write" | undefined;
  /** Whether a world with state answers; over a cassette only whole deliveries exist. */
  readonly simulated: boolean;
  /**
   * Delivers a call to the tool, as often as it is asked; each delivery is a transaction of its own. It passes `next`, so that the
   * faults further in have their say.
   */
  deliver(call: ToolCall, next: Answer, delivery?: Delivery): Awaitable<Delivered>;
  /** Delivers a call later, at the latest when the agent has ended, before anything is judged. No other fault sees that delivery. */
  deliverLater(call: ToolCall, when: Later, done: (delivered: Delivered) => void): void;
  /** Work that goes on although the agent was answered; it ends before anything is judged. */
  goesOn(call: ToolCall, work: Promise<unknown>): void;
  /** Says that the fault happened to this call; unreached faults make a trial inconclusive. */
  reached(call: ToolCall, about?: { readonly [key: string]: Json }): void;
  /** Says why a call that was hit gave the fault nothing to do: "its result was an error". */
  missed(call: ToolCall, why: string): void;
  /** Keeps, for the evaluator alone, what the tool really answered. */
  hidden(call: ToolCall, result: ToolResult): void;
  /** Another client's change (see `OpenWorld.rival`); without a change, the world's own `rival`. False when there is none. */
  rival(call: ToolCall, change?: Readonly<Record<string, Json>>): boolean;
  /** The agent's process dies here: it never gets an answer, and a fresh one starts on the same world. */
  restart(call: ToolCall): Promise<never>;
  /** Changes what the agent is told of a tool; `reached` is said when it first reads the catalog. */
  describe(tool: string, change: (description: string) => string): void;
}

/** One kind of fault. */
export interface FaultType {
  /** In snake_case, as reports name it. */
  readonly type: string;
  /** What people call it: "lost confirmation". Used in titles and messages, with the tool's name after it. */
  readonly label: string;
  /** What stands between it and the tool in words. Default `of`. */
  readonly before?: "at";
  /** What it does, in one sentence, without the name. */
  readonly summary: string;
  readonly appliesTo: readonly ("read" | "write")[];
  /** Its own fields, from which schemas, builders' types and docs follow. */
  readonly fields: Readonly<Record<string, FaultField>>;
  /** Fields that it cannot be without; of a list, one. */
  readonly required?: readonly (string | readonly string[])[];
  /** Own fields for where somebody asks for the type by its name alone; there when something is required. */
  readonly sample?: Readonly<Record<string, Json>>;
  /** Whether `"matrix"` includes it; else it is there when asked for. `writes`: only ever for writes. `if-rival`: for writes, where the world declares a rival. */
  readonly matrix: boolean | "writes" | "if-rival";
  /** Default of `occurrence`. */
  readonly occurrence?: number;
  readonly per?: "tool" | "arguments";
  /** What is wrong with a fault beyond its fields' shapes, as `"field: why; what to do"`. */
  problems?(fault: Fault): readonly string[];
  /** What becomes of the tool's effect, whatever the agent is told; for titles and docs. */
  readonly commits: "all" | "none" | "part" | "later" | "twice" | "as the tool does";
  /** A layer for one trial; it sees every call of the fault's tools, and asks `selects` which ones it hits. */
  arm(fault: Fault, armed: Armed): Layer;
}

/** What one armed fault works with. */
export interface Armed {
  readonly arena: Arena;
  /**
   * The occurrence (from 1) when the fault hits this call, else undefined. The agent's calls are counted as they are made, whatever other
   * faults do to them.
   */
  readonly selects: (call: ToolCall) => number | undefined;
}

/** What became of one fault in a trial. */
export interface FaultOutcome {
  readonly fault: Fault;
  readonly reached: boolean;
  /** How often it happened. */
  readonly count: number;
  /** For an unreached one, which call was waited for and what came instead, in one sentence. */
  readonly waitedFor?: string;
}
