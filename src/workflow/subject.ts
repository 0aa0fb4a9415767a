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

/** What checks see of a trial: nothing but its evidence, so that a report can be checked again. Made when a check asks. */
export function subjectOf(
  events: readonly TrialEvent[],
  states: States,
  tools: readonly string[],
): TrialSubject {
  return new SeenTrial(events, states, tools);
}

/** A class, as getters of an object's own would cost each trial a shape. */
class SeenTrial implements TrialSubject {
  readonly tools: readonly string[];
  declare readonly completion?: Completion;
  declare readonly completionEvidence?: string;
  readonly #events: readonly TrialEvent[];
  readonly #states: States;
  #calls: readonly SeenCall[] | undefined;
  #mutations: readonly SeenMutation[] | undefined;

  constructor(events: readonly TrialEvent[], states: States, tools: readonly string[]) {
    this.#events = events;
    this.#states = states;
    this.tools = tools;
    const end = events.findLast(({ kind }) => kind === "completion");
    if (end?.kind !== "completion") return;
    this.completion = end.completion;
    this.completionEvidence = end.id;
  }

  state(pointer: string): Json | undefined {
    return this.#states.read(pointer);
  }

  initial(pointer: string): Json | undefined {
    return this.#states.initial(pointer);
  }

  get calls(): readonly SeenCall[] {
    return (this.#calls ??= callsOf(this.#events));
  }

  get mutations(): readonly SeenMutation[] {
    return (this.#mutations ??= mutationsOf(this.#events));
  }
}

function mutationsOf(events: readonly TrialEvent[]): readonly SeenMutation[] {
  const seen: SeenMutation[] = [];
  for (const event of events) {
    if (event.kind !== "mutation") continue;
    const { id, tool, changes, by } = event;
    seen.push({ evidence: id, tool, changes, by });
  }
  return seen;
}

function callsOf(events: readonly TrialEvent[]): readonly SeenCall[] {
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
