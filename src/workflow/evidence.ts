import type { Completion } from "../agent/agent.ts";
import type { ToolCall } from "../boundary/boundary.ts";
import type { Clock } from "../boundary/clock.ts";
import type { Json } from "../shared/json.ts";
import type { ToolResult, TraceError } from "../trace/trace.ts";
import type { Mutation } from "../world/world.ts";
import { EventLog, type Remark } from "./event-log.ts";
import type { Side, TrialEvent } from "./trial-result.ts";

/** The evidence of one trial: what happened, in order, with ids and the trial's time. Nothing is added once it is closed. */
export class Evidence {
  /** What outlives the trial. */
  readonly log: EventLog;
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
    this.log = new EventLog(this.#last);
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

  call(call: ToolCall): void {
    this.calls++;
    if (!this.#closed) this.log.call(this.at(), call);
  }

  result(call: ToolCall, result: ToolResult): void {
    if (this.#closed) return;
    this.results++;
    this.log.result(this.at(), call, result);
  }

  hidden(call: ToolCall, result: ToolResult): void {
    if (!this.#closed) this.log.hidden(this.at(), call, result);
  }

  mutation(mutation: Mutation): void {
    if (!this.#closed) this.log.mutation(this.at(), mutation);
  }

  fault(about: {
    readonly n: number;
    readonly type: string;
    readonly tool: string;
    readonly callId?: string | undefined;
    readonly about?: Json | undefined;
  }): void {
    const { callId, tool, type, n } = about;
    this.#remark({
      kind: "fault",
      ...(callId === undefined ? {} : { callId }),
      tool,
      type,
      n,
      ...(about.about === undefined ? {} : { about: about.about }),
    });
  }

  cancelled(callId: string, tool: string): void {
    this.#remark({ kind: "cancelled", callId, tool });
  }

  restart({ id, tool }: ToolCall): void {
    this.#remark({ kind: "restart", callId: id, tool });
  }

  words(kind: "model" | "reasoning", content: Json): void {
    this.#remark({ kind, content });
  }

  completion(completion: Completion): void {
    this.#remark({ kind: "completion", completion });
  }

  error(side: Side, error: TraceError, code?: string): void {
    this.#remark({ kind: "error", side, error, ...(code === undefined ? {} : { code }) });
  }

  /** Calls that nobody was told a result of: those of the agent as it was at the end, and those that the world still works on. */
  unanswered(pending: readonly string[]): readonly { callId: string; tool: string }[] {
    const open = new Map<string, string>();
    const lost = new Map<string, string>();
    for (const event of this.log.events) {
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
    this.#remark({ kind: "limit", ...about });
  }

  /** The tool of a call. */
  toolOf(callId: string): string {
    for (const event of this.log.events)
      if (event.kind === "call" && event.callId === callId) return event.tool;
    return callId;
  }

  #remark(remark: Remark): void {
    if (!this.#closed) this.log.remark(this.at(), remark);
  }
}
