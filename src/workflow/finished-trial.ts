import type { Completion } from "../agent/agent.ts";
import type { FaultOutcome } from "../fault/fault.ts";
import type { Json } from "../shared/json.ts";
import type { Trace } from "../trace/trace.ts";
import type { OpenWorld } from "../world/open.ts";
import type { Mutation } from "../world/world.ts";
import type { EventLog } from "./event-log.ts";
import type { Validate } from "./judge-checks.ts";
import { traceOf, type TraceAbout } from "./trace-of.ts";
import { asTrial } from "./trial-result.ts";
import type { CheckOutcome, Trial, TrialEvent, TrialIssue, TrialVerdict } from "./trial-result.ts";

/** What a trial that has ended is made of, before it is judged. */
interface TrialParts {
  readonly scenario: Trial["scenario"];
  readonly issue: TrialIssue | undefined;
  readonly faults: readonly FaultOutcome[];
  readonly log: EventLog;
  readonly world: OpenWorld;
  readonly completion: Completion | undefined;
  readonly about: TraceAbout;
  readonly toolCalls: number;
  readonly clock: Trial["clock"];
  readonly notes: readonly string[];
  readonly validate: Validate | undefined;
}

/** What Node's printer asks of any object. */
const INSPECT: unique symbol = Symbol.for("nodejs.util.inspect.custom") as never;

/** A trial that has ended. What costs something is made when it is asked for. */
export class FinishedTrial implements Trial {
  readonly scenario: Trial["scenario"];
  verdict: TrialVerdict = "inconclusive";
  reason = "the trial is not judged yet";
  declare readonly issue?: TrialIssue;
  readonly faults: readonly FaultOutcome[];
  checks: readonly CheckOutcome[] = [];
  declare readonly events: readonly TrialEvent[];
  declare readonly completion?: Completion;
  readonly tools: readonly string[];
  readonly toolCalls: number;
  declare readonly clock?: { readonly startMs: number; readonly endMs: number };
  notes: readonly string[];
  /** What its checks of JSON Schemas were judged by, for whoever judges them again. */
  readonly validate: Validate | undefined;
  readonly #log: EventLog;
  readonly #world: OpenWorld;
  readonly #about: TraceAbout;
  #state: { readonly value: Json } | undefined;
  #initial: { readonly value: Json } | undefined;
  #trace: Trace | undefined;

  /** An own member, as for any other value. One function for all trials: a function for each would cost each a shape. */
  static readonly #EVENTS: PropertyDescriptor = {
    get(this: FinishedTrial) {
      return this.#log.events;
    },
    enumerable: true,
    configurable: true,
  };

  constructor(parts: TrialParts) {
    this.scenario = parts.scenario;
    if (parts.issue !== undefined) this.issue = parts.issue;
    this.faults = parts.faults;
    this.#log = parts.log;
    Object.defineProperty(this, "events", FinishedTrial.#EVENTS);
    if (parts.completion !== undefined) this.completion = parts.completion;
    this.tools = parts.about.tools;
    this.toolCalls = parts.toolCalls;
    if (parts.clock !== undefined) this.clock = parts.clock;
    this.notes = parts.notes;
    this.validate = parts.validate;
    this.#world = parts.world;
    this.#about = parts.about;
  }

  get mutations(): readonly Mutation[] {
    return this.#world.mutations;
  }

  get state(): Json {
    return (this.#state ??= { value: this.#world.snapshot() }).value;
  }

  get initialState(): Json {
    return (this.#initial ??= { value: this.#world.initial("") ?? null }).value;
  }

  get trace(): Trace {
    return (this.#trace ??= traceOf(this.#about, this.events));
  }

  read(pointer: string): Json | undefined {
    return this.#world.read(pointer);
  }

  initial(pointer: string): Json | undefined {
    return this.#world.initial(pointer);
  }

  /** So that whoever prints a trial sees its events. */
  [INSPECT](): this {
    Object.defineProperty(this, "events", { value: this.events, enumerable: true });
    return this;
  }
}

// One mark for all of them: a guard finds it on the prototype, too.
asTrial(FinishedTrial.prototype);

/** What a trial's checks of JSON Schemas were judged by; undefined when there was none. */
export function validateOf(trial: Trial): Validate | undefined {
  return "validate" in trial ? (trial as FinishedTrial).validate : undefined;
}
