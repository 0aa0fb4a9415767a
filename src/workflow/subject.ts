import type { SeenCall, SeenMutation, TrialSubject } from "../check/check.ts";
import type { Completion } from "../agent/agent.ts";
import type { Json } from "../shared/json.ts";
import type { ToolResult } from "../trace/trace.ts";
import type { TrialEvent } from "./trial-result.ts";

/** Where the state of a trial is read, by JSON Pointers. */
export interface States {
  read(pointer: string): Json | undefined;
  initial(pointer: string): Json | undefined;
}

/** The completion of a trial, and the event that shows it. */
export interface Completed {
  readonly completion: Completion;
  readonly evidence: string;
}

/** What checks look for in the evidence. */
export interface Seen {
  readonly completed: Completed | undefined;
  readonly calls: readonly SeenCall[];
  readonly mutations: readonly SeenMutation[];
}

/** What checks see of a trial: nothing but its evidence, so that a report can be checked again. Made when a check asks. */
export function subjectOf(
  evidence: readonly TrialEvent[] | Seen,
  states: States,
  tools: readonly string[],
): TrialSubject {
  return new SeenTrial(
    "completed" in evidence ? evidence : new SeenEvents(evidence),
    states,
    tools,
  );
}

/** A class, as getters of an object's own would cost each trial a shape. */
class SeenTrial implements TrialSubject {
  readonly tools: readonly string[];
  declare readonly completion?: Completion;
  declare readonly completionEvidence?: string;
  readonly #seen: Seen;
  readonly #states: States;
  #calls: readonly SeenCall[] | undefined;
  #mutations: readonly SeenMutation[] | undefined;

  constructor(seen: Seen, states: States, tools: readonly string[]) {
    this.#seen = seen;
    this.#states = states;
    this.tools = tools;
    const { completed } = seen;
    if (completed === undefined) return;
    this.completion = completed.completion;
    this.completionEvidence = completed.evidence;
  }

  state(pointer: string): Json | undefined {
    return this.#states.read(pointer);
  }

  initial(pointer: string): Json | undefined {
    return this.#states.initial(pointer);
  }

  get calls(): readonly SeenCall[] {
    return (this.#calls ??= this.#seen.calls);
  }

  get mutations(): readonly SeenMutation[] {
    return (this.#mutations ??= this.#seen.mutations);
  }
}

class SeenEvents implements Seen {
  readonly #events: readonly TrialEvent[];

  constructor(events: readonly TrialEvent[]) {
    this.#events = events;
  }

  get completed(): Completed | undefined {
    const end = this.#events.findLast(({ kind }) => kind === "completion");
    if (end?.kind !== "completion") return undefined;
    return { completion: end.completion, evidence: end.id };
  }

  get calls(): readonly SeenCall[] {
    return callsOf(this.#events);
  }

  get mutations(): readonly SeenMutation[] {
    const seen: SeenMutation[] = [];
    for (const event of this.#events) {
      if (event.kind !== "mutation") continue;
      const { id, tool, changes, by } = event;
      seen.push({ evidence: id, tool, changes, by });
    }
    return seen;
  }
}

/** The calls, each with what the agent was told. */
export function callsOf(events: readonly TrialEvent[]): readonly SeenCall[] {
  const seen: SeenCall[] = [];
  const results = new Map<string, ToolResult>();
  for (const event of events) if (event.kind === "result") results.set(event.callId, event.result);
  for (const event of events) {
    if (event.kind !== "call") continue;
    const { id, callId, tool, args } = event;
    const result = results.get(callId);
    seen.push(
      result === undefined ? { evidence: id, tool, args } : { evidence: id, tool, args, result },
    );
  }
  return seen;
}
