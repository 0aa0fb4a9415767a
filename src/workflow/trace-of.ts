import type { Json } from "../shared/json.ts";
import { taskIdOf, traceIdOf } from "../trace/identity.ts";
import type { Step, ToolStep, Trace, TRACE_VERSION, TraceStatus } from "../trace/trace.ts";
import type { TrialEvent, TrialIssue } from "./trial-result.ts";

/** The compiler keeps it equal to the schema's; importing that value would load the schema library. */
const VERSION: typeof TRACE_VERSION = "twiceshy.trace/1";

/** What a trial's trace is made of beside its evidence. */
export interface TraceAbout {
  readonly task: Json;
  readonly agent: string;
  readonly agentVersion: string;
  readonly tools: readonly string[];
  readonly issue?: TrialIssue | undefined;
}

/**
 * A trial as a trace: what the agent did and was told, without the faults and what only the evaluator knows. The same evidence gives
 * the same trace, id and all.
 */
export function traceOf(about: TraceAbout, events: readonly TrialEvent[]): Trace {
  const steps = new Steps(about.task);
  for (const event of events) steps.add(event);
  const end = events.findLast(({ kind }) => kind === "completion");
  const trace: Omit<Trace, "id"> = {
    schemaVersion: VERSION,
    taskId: taskIdOf(about.task),
    task: about.task,
    agent: about.agent,
    agentVersion: about.agentVersion,
    source: "trial",
    status: statusOf(about.issue, end !== undefined),
    steps: steps.all,
    tools: [...about.tools].sort(),
    ...(end?.kind === "completion" ? { output: end.completion as unknown as Json } : {}),
  };
  return { id: traceIdOf(trace), ...trace };
}

const TIME: ReadonlySet<string> = new Set([
  "call_limit",
  "repeated_calls",
  "timed_out",
  "time_budget",
  "agent_hung",
  "agent_blocked",
]);

function statusOf(issue: TrialIssue | undefined, completed: boolean): TraceStatus {
  if (issue === undefined) return completed ? "ok" : "incomplete";
  if (TIME.has(issue.code)) return "timeout";
  return issue.code === "cancelled" ? "incomplete" : "error";
}

/** Steps from events. Calls that were under way together are one batch. */
class Steps {
  readonly all: Step[] = [];
  readonly #open = new Map<string, ToolStep>();
  #first: ToolStep | undefined;
  #settled = 0;

  constructor(task: Json) {
    this.all.push({ index: 0, kind: "input", content: task });
  }

  add(event: TrialEvent): void {
    const common = { index: this.all.length, at: event.at };
    switch (event.kind) {
      case "call":
        return this.#call(event);
      case "result":
        return this.#result(event);
      case "model":
      case "reasoning":
        this.all.push({ ...common, kind: event.kind, content: event.content });
        return;
      case "completion":
        this.all.push({
          ...common,
          kind: "output",
          content: event.completion as unknown as Json,
        });
        return;
      case "error":
        if (event.side === "agent") this.all.push({ ...common, kind: "error", error: event.error });
        return;
      case "limit": {
        const { code, message } = event;
        this.all.push({ ...common, kind: "error", error: { name: "LimitReached", code, message } });
        return;
      }
      case "restart":
        this.#open.delete(event.callId);
        return;
      case "hidden":
      case "mutation":
      case "fault":
      case "cancelled":
        return;
    }
  }

  #call({ at, callId, tool, args, write }: TrialEvent & { kind: "call" }): void {
    const step: ToolStep = {
      index: this.all.length,
      at,
      kind: "tool",
      id: callId,
      name: tool,
      args,
      ...(write === undefined ? {} : { write }),
    };
    if (this.#open.size === 0 || this.#first === undefined) this.#first = step;
    else {
      this.#first.batch = this.#first.index;
      step.batch = this.#first.index;
    }
    this.#open.set(callId, step);
    this.all.push(step);
  }

  #result({ callId, result }: TrialEvent & { kind: "result" }): void {
    const step = this.#open.get(callId);
    if (step === undefined) return;
    this.#open.delete(callId);
    step.result = result;
    step.settled = this.#settled++;
  }
}
