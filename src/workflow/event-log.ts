import type { ToolCall } from "../boundary/boundary.ts";
import type { SeenCall, SeenMutation } from "../check/check.ts";
import type { Json } from "../shared/json.ts";
import type { ToolResult } from "../trace/trace.ts";
import type { Mutation } from "../world/world.ts";
import { callsOf, type Completed, type Seen } from "./subject.ts";
import type { TrialEvent } from "./trial-result.ts";

/** An event of which there are few, without its id and its time. */
export type Remark = Bare<Exclude<TrialEvent, { kind: "call" | "result" | "hidden" | "mutation" }>>;
type Bare<Event> = Event extends TrialEvent ? Omit<Event, "id" | "at"> : never;

/**
 * What stands in the list before the values of an event, and how many places both take. `told` is a result that is data; a `time` is
 * that of all events after it.
 */
const PLACES = {
  call: 4,
  write: 4,
  told: 3,
  result: 3,
  hidden: 4,
  mutation: 2,
  remark: 2,
  time: 2,
} as const;
type Kind = keyof typeof PLACES;

/**
 * The events of one trial as a list of their values. A search keeps thousands of trials, and an object for each event, with an id and a
 * time of its own, would be most of what the garbage collector has to carry; the events are made of it when somebody looks at them.
 */
export class EventLog implements Seen {
  readonly #values: unknown[] = [];
  readonly #start: number;
  #last: number;
  #length = 0;
  #broke = false;
  #ended = false;
  #completed: Completed | undefined;
  #events: readonly TrialEvent[] | undefined;

  /** In milliseconds on the trial's clock. */
  constructor(start: number) {
    this.#start = start;
    this.#last = start;
  }

  call(at: number, { id, tool, args, write }: ToolCall): void {
    this.#begin(at);
    this.#values.push(write === true ? "write" : "call", id, tool, args);
  }

  result(at: number, { id }: ToolCall, result: ToolResult): void {
    this.#begin(at);
    if (result.ok) this.#values.push("told", id, result.data);
    else this.#values.push("result", id, result);
  }

  hidden(at: number, { id, tool }: ToolCall, result: ToolResult): void {
    this.#begin(at);
    this.#values.push("hidden", id, tool, result);
  }

  mutation(at: number, mutation: Mutation): void {
    this.#begin(at);
    this.#values.push("mutation", mutation);
  }

  remark(at: number, remark: Remark): void {
    this.#begin(at);
    this.#values.push("remark", remark);
    const { kind } = remark;
    if (kind === "completion")
      this.#completed = { completion: remark.completion, evidence: `e${this.#length}` };
    if (kind === "error" || kind === "limit") this.#broke = true;
    if (this.#broke || kind === "completion") this.#ended = true;
  }

  /** Whether an event says that something broke, or that a limit was reached. */
  get broke(): boolean {
    return this.#broke;
  }

  /** When the trial ended; as `endedAt` of the events. */
  get endedAt(): number | undefined {
    return this.#ended ? this.#last : undefined;
  }

  get completed(): Completed | undefined {
    return this.#completed;
  }

  /** The same list as long as nothing more happens. */
  get events(): readonly TrialEvent[] {
    if (this.#events?.length !== this.#length) this.#events = this.#made();
    return this.#events ?? [];
  }

  get calls(): readonly SeenCall[] {
    return callsOf(this.events);
  }

  get mutations(): readonly SeenMutation[] {
    const seen: SeenMutation[] = [];
    const values = this.#values;
    let n = 0;
    for (let i = 0; i < values.length; i += PLACES[values[i] as Kind]) {
      if (values[i] !== "time") n++;
      if (values[i] !== "mutation") continue;
      const { tool, changes, by } = values[i + 1] as Mutation;
      seen.push({ evidence: `e${n}`, tool, changes, by });
    }
    return seen;
  }

  #begin(at: number): void {
    this.#length++;
    if (at === this.#last) return;
    this.#last = at;
    this.#values.push("time", at);
  }

  #made(): TrialEvent[] {
    const events: TrialEvent[] = [];
    const tools = new Map<string, string>();
    const values = this.#values;
    let at = this.#start;
    for (let i = 0; i < values.length;) {
      const kind = values[i] as Kind;
      const next = i + PLACES[kind];
      if (kind === "time") at = values[i + 1] as number;
      else {
        const event = eventOf(kind, values.slice(i + 1, next), tools);
        events.push({ id: `e${events.length + 1}`, at, ...event });
      }
      i = next;
    }
    return events;
  }
}

/** An event without its id and its time; `tools` are those of the calls that were seen. */
function eventOf(
  kind: Exclude<Kind, "time">,
  values: readonly unknown[],
  tools: Map<string, string>,
): Bare<TrialEvent> {
  if (kind === "remark") return values[0] as Remark;
  if (kind === "mutation") {
    const { callId, tool, args, changes, by } = values[0] as Mutation;
    return { kind, callId, tool, args, changes, by };
  }
  const [callId, second, third] = values as [string, unknown, unknown];
  if (kind === "call" || kind === "write") {
    const tool = second as string;
    tools.set(callId, tool);
    const call = { kind: "call", callId, tool, args: third as Json } as const;
    return kind === "write" ? { ...call, write: true } : call;
  }
  if (kind === "hidden")
    return { kind, callId, tool: second as string, result: third as ToolResult };
  const result = kind === "told" ? { ok: true as const, data: second as Json } : second;
  return { kind: "result", callId, tool: tools.get(callId) ?? "", result: result as ToolResult };
}
