import type { Completion } from "../agent/agent.ts";
import type { ToolCall } from "../boundary/boundary.ts";
import type { Clock } from "../boundary/clock.ts";
import type { Json } from "../shared/json.ts";
import type { ToolResult, TraceError } from "../trace/trace.ts";
import type { Mutation } from "../world/world.ts";
import type { Side, TrialEvent } from "./trial-result.ts";

/** The evidence of one trial: what happened, in order, with ids and the trial's time. Nothing is added once it is closed. */
export class Evidence {
  readonly events: TrialEvent[] = [];
  /** Calls that were admitted or refused. */
  calls = 0;
  /** Those of them that were refused. */
  refusals = 0;
  /** Calls that the agent was told a result of. */
  results = 0;
  readonly #clock: Pick<Clock, "now">;
  #last: number;
  #closed = false;

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
    this.#last = clock.now();
  }

  /** Time never goes backwards in evidence, also where the real clock does. */
  at(): number {
    const at = this.#clock.now();
    if (at > this.#last) this.#last = at;
    return this.#last;
  }

  close(): void {
    this.#closed = true;
  }

  call({ id, tool, args, write }: ToolCall): void {
    this.calls++;
    const eventId = this.#id();
    const at = this.at();
    this.#add(
      write === true
        ? { id: eventId, at, kind: "call", callId: id, tool, args, write }
        : { id: eventId, at, kind: "call", callId: id, tool, args },
    );
  }

  result({ id, tool }: ToolCall, result: ToolResult): void {
    if (this.#closed) return;
    this.results++;
    this.#add({ id: this.#id(), at: this.at(), kind: "result", callId: id, tool, result });
  }

  hidden({ id, tool }: ToolCall, result: ToolResult): void {
    this.#add({ id: this.#id(), at: this.at(), kind: "hidden", callId: id, tool, result });
  }

  mutation({ callId, tool, args, changes, by }: Mutation): void {
    const id = this.#id();
    const at = this.at();
    this.#add({ id, at, kind: "mutation", callId, tool, args, changes, by });
  }

  fault(about: {
    readonly n: number;
    readonly type: string;
    readonly tool: string;
    readonly callId?: string | undefined;
    readonly about?: Json | undefined;
  }): void {
    const { callId, tool, type, n } = about;
    this.#add({
      id: this.#id(),
      at: this.at(),
      kind: "fault",
      ...(callId === undefined ? {} : { callId }),
      tool,
      type,
      n,
      ...(about.about === undefined ? {} : { about: about.about }),
    });
  }

  cancelled(callId: string, tool: string): void {
    this.#add({ id: this.#id(), at: this.at(), kind: "cancelled", callId, tool });
  }

  restart({ id, tool }: ToolCall): void {
    this.#add({ id: this.#id(), at: this.at(), kind: "restart", callId: id, tool });
  }

  words(kind: "model" | "reasoning", content: Json): void {
    this.#add({ id: this.#id(), at: this.at(), kind, content });
  }

  completion(completion: Completion): void {
    this.#add({ id: this.#id(), at: this.at(), kind: "completion", completion });
  }

  error(side: Side, error: TraceError, code?: string): void {
    const event = { id: this.#id(), at: this.at(), kind: "error", side, error } as const;
    this.#add(code === undefined ? event : { ...event, code });
  }

  /** Calls that nobody was told a result of: those of the agent as it was at the end, and those that the world still works on. */
  unanswered(pending: readonly string[]): readonly { callId: string; tool: string }[] {
    const open = new Map<string, string>();
    const lost = new Map<string, string>();
    for (const event of this.events) {
      if (event.kind === "call") open.set(event.callId, event.tool);
      else if (event.kind === "result") open.delete(event.callId);
      else if (event.kind === "limit" && event.callId !== undefined) open.delete(event.callId);
      else if (event.kind === "restart") {
        for (const [callId, tool] of open) lost.set(callId, tool);
        open.clear();
      }
    }
    for (const callId of pending) {
      const tool = lost.get(callId);
      if (tool !== undefined) open.set(callId, tool);
    }
    return [...open].map(([callId, tool]) => ({ callId, tool }));
  }

  limit(about: Omit<Extract<TrialEvent, { kind: "limit" }>, "id" | "at" | "kind">): void {
    if (about.callId !== undefined) this.refusals++;
    this.#add({ id: this.#id(), at: this.at(), kind: "limit", ...about });
  }

  /** The tool of a call. */
  toolOf(callId: string): string {
    for (const event of this.events)
      if (event.kind === "call" && event.callId === callId) return event.tool;
    return callId;
  }

  #id(): string {
    return `e${this.events.length + 1}`;
  }

  #add(event: TrialEvent): void {
    if (!this.#closed) this.events.push(event);
  }
}
