import type { AgentContext, AgentRecorder, CatalogEntry } from "../agent/agent.ts";
import { isPromise } from "../boundary/boundary.ts";
import type { Answer, Awaitable, Boundary, Layer, ToolCall } from "../boundary/boundary.ts";
import type { Clock } from "../boundary/clock.ts";
import { describeError } from "../boundary/tool-error.ts";
import { armFaults, type ArmedFaults } from "../fault/schedule.ts";
import type { Json } from "../shared/json.ts";
import { afterTurn, deadline, monotonic } from "../shared/clock.ts";
import type { ToolResult } from "../trace/trace.ts";
import { openWorld, type OpenWorld } from "../world/open.ts";
import { Admission, asJson, lateError, refusalError, type Refusal } from "./admission.ts";
import type { Ending } from "./ending.ts";
import { Evidence } from "./evidence.ts";
import { Life } from "./life.ts";
import { Patience, type Waits } from "./patience.ts";
import { openStage, type Stage, type StageEvent, type StageHost } from "./stage.ts";
import { trialContext, type Side } from "./trial-context.ts";
import type { Mutation, WorldIssue } from "../world/world.ts";
import type { TrialHooks } from "./trial-hooks.ts";
import type { Ready, TrialPlan } from "./trial-plan.ts";

/** An agent that was told that its budget is used up has this long to end by itself. */
const GRACE_MS = 1000;
const MOST_REFUSALS = 100;
/** Of the calls that most trials make: a text of its own for each would be kept with every trial. */
const CALL_IDS: readonly string[] = Array.from({ length: 65 }, (_, n) => `call_${n}`);
const HUNG: Ending = {
  kind: "stopped",
  code: "agent_hung",
  message:
    "the agent waits for ever: nothing in the process can settle what it waits for, no timer, no call and no work; look for a promise that nobody resolves",
};

/** One trial under way: its agent, what stands between the agent and the world, and the evidence. */
export class TrialRun implements StageHost, Waits {
  readonly plan: TrialPlan;
  readonly ready: Ready;
  readonly evidence: Evidence;
  readonly clock: Clock;
  readonly world: OpenWorld;
  readonly faults: ArmedFaults | undefined;
  readonly stage: Stage;
  readonly started = monotonic();
  readonly #admission: Admission;
  readonly #answer: Answer;
  #patience: Patience | undefined;
  #unwatch: (() => void) | undefined;
  #endGrace: (() => void) | undefined;
  #calls = 0;
  #refused = 0;
  #over = false;
  #life: Life | undefined;
  #end: (ending: Ending) => void = () => undefined;

  constructor(plan: TrialPlan, ready: Ready, hooks: TrialHooks) {
    this.plan = plan;
    this.ready = ready;
    const { clock, network, limits } = plan;
    this.stage = openStage(this, { time: clock, ms: limits.ms, network });
    this.clock = this.stage.clock;
    this.evidence = new Evidence(this.clock);
    this.world = (hooks.open ?? openWorld)(ready.world, {
      clock: this.clock,
      onMutation: (mutation: Mutation) => this.evidence.mutation(mutation),
      onIssue: ({ side, code, message }: WorldIssue) =>
        this.evidence.error(side, { name: "WorldIssue", code, message }),
    });
    this.#admission = new Admission(plan.limits);
    const { faults } = plan.scenario;
    const world = this.world.answer;
    this.faults = faults.length === 0 ? undefined : this.#armed();
    this.#answer = layered(
      hooks.layer?.(() => this.stage.hold()),
      layered(this.faults?.layer, world),
    );
  }

  get ms(): number {
    return this.plan.limits.ms;
  }

  get signal(): AbortSignal {
    return this.#life?.signal ?? new AbortController().signal;
  }

  /** What the agent said by `recorder.output`, the last time. */
  get said(): unknown {
    return this.#life?.said;
  }

  /** Starts the agent; resolves when it has ended or was ended. Never rejects. */
  start(): Promise<Ending> {
    const ended = new Promise<Ending>((resolve) => {
      this.#end = resolve;
    });
    this.#patience = new Patience(this);
    const { signal } = this.plan;
    if (signal !== undefined) this.#watch(signal);
    if (signal?.aborted !== true) this.#begin();
    return ended;
  }

  /** From now on calls are refused, no call is told anything, and what still runs is told to stop. */
  over(): void {
    this.#over = true;
    this.#patience?.end();
    this.#unwatch?.();
    this.#endGrace?.();
    this.#life?.end();
  }

  stalled(): WeakRef<object> | undefined {
    return this.stage.idle && this.world.pending().length === 0 ? this.#life?.waiting : undefined;
  }

  onHung(): void {
    this.#end(HUNG);
  }

  /** A loop that was ended from outside is told of a turn later than the timer. */
  onTime(): void {
    afterTurn(() => this.#end(this.#timedOut()));
  }

  /** Why the trial's real time is up. */
  #timedOut(): Ending {
    const { ms } = this.plan.limits;
    const [waiting] = this.world.pending();
    if (waiting === undefined) {
      const message = `the agent had not ended after ${ms} ms of real time; look for something that it waits for and that never comes, or raise limits.ms`;
      return { kind: "stopped", code: "timed_out", message };
    }
    const tool = this.evidence.toolOf(waiting);
    const message = `the tool ${tool} had not answered ${waiting} after ${ms} ms of real time; correct the tool, or raise limits.ms`;
    return { kind: "stopped", code: "timed_out", message, side: "tool" };
  }

  /** Starts the agent, or a fresh one after a crash. */
  #begin(): void {
    const life = new Life(this.evidence);
    this.#life = life;
    const side = new AgentSide(this, life);
    const { agent, freshTask } = this.plan;
    const run = agent as (task: unknown, context: unknown) => unknown;
    this.stage.start(side.boundary, () =>
      life.run(() => run(freshTask(), trialContext(side)), this.#end),
    );
  }

  nextId(): string {
    this.#calls++;
    return CALL_IDS[this.#calls] ?? `call_${this.#calls}`;
  }

  /** A call that the agent makes while it lives. */
  call(life: Life, asked: ToolCall): Awaitable<ToolResult> {
    if (this.#over || life.over) throw lateError(asked.tool);
    const call = asJson(asked, this.world.kindOf(asked.tool) === "write");
    const refusal = this.#admission.refusal(call);
    this.evidence.call(call);
    if (refusal !== undefined) return this.#refuse(life, call, refusal);
    const answered = this.#answer(call);
    if (isPromise(answered)) return answered.then((result) => this.#told(life, call, result));
    return this.#told(life, call, answered);
  }

  /** What the agent is told; nothing any more when it has ended. */
  #told(life: Life, call: ToolCall, result: ToolResult): Awaitable<ToolResult> {
    if (this.#over || life.over) return new Promise<never>(() => undefined);
    this.evidence.result(call, result);
    return result;
  }

  #refuse(life: Life, { id }: ToolCall, { code, message }: Refusal): never {
    this.#refused += 1;
    this.evidence.limit({ code, message, callId: id });
    if (this.#refused === 1) {
      life.abort();
      this.#endGrace = deadline(GRACE_MS, () => this.#end({ kind: "refused" }));
    }
    if (this.#refused >= MOST_REFUSALS) this.#end({ kind: "refused" });
    throw refusalError({ code, message });
  }

  #armed(): ArmedFaults {
    const { world, evidence } = this;
    return armFaults(this.plan.scenario.faults, {
      clock: this.clock,
      kindOf: (tool) => world.kindOf(tool),
      simulated: true,
      deliver: (call, delivery) => world.deliver(call, delivery),
      rival: (call, change) => {
        const own = this.ready.world;
        if (change === undefined && own.rival === undefined) return false;
        return world.rival(change ?? ((state: never) => own.rival?.(state)), call) !== undefined;
      },
      restart: (call) => this.#restart(call),
      onReached: (n, { tool, type }, { call, about }) =>
        evidence.fault({ n, type, tool: call?.tool ?? tool, callId: call?.id, about }),
      onHidden: (call, result) => evidence.hidden(call, result),
    });
  }

  /** The agent's process dies: it never hears anything any more, and a fresh one begins. */
  #restart(call: ToolCall): Promise<never> {
    if (!this.#over) {
      this.evidence.restart(call);
      this.#life?.end();
      queueMicrotask(() => {
        if (!this.#over) this.#begin();
      });
    }
    return new Promise<never>(() => undefined);
  }

  #watch(signal: AbortSignal): void {
    const abort = (): void => {
      const message = "the trial was ended from outside before the agent had ended";
      this.#end({ kind: "stopped", code: "cancelled", message, side: "runner" });
    };
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    this.#unwatch = () => signal.removeEventListener("abort", abort);
  }

  tell(event: StageEvent): void {
    if ("thrown" in event) this.evidence.error("agent", describeError(event.thrown), event.code);
    else this.evidence.limit(event);
    // A tool that catches the error must not commit any more; it is known to the world when its own code gives way.
    if (!this.#over) queueMicrotask(() => this.world.close());
    this.#end({ kind: "refused" });
  }
}

/** What one life of the agent has of its trial. */
class AgentSide implements Side {
  readonly boundary: Boundary;
  whole: AgentContext | undefined;
  readonly #run: TrialRun;
  readonly #life: Life;

  constructor(run: TrialRun, life: Life) {
    this.#run = run;
    this.#life = life;
    this.boundary = {
      // Whoever calls by another way than `context.call` is told by a promise in any case.
      call: async (call) => run.call(life, call),
      nextId: () => run.nextId(),
      runs: "replay",
    };
  }

  get clock(): Clock {
    return this.#run.clock;
  }

  get recorder(): AgentRecorder {
    return this.#life;
  }

  get tools(): readonly string[] {
    return this.#run.ready.tools;
  }

  get writes(): readonly string[] {
    return this.#run.ready.writes;
  }

  get signal(): AbortSignal {
    return this.#life.signal;
  }

  get catalog(): readonly CatalogEntry[] {
    const { faults, ready } = this.#run;
    return faults?.catalog(ready.catalog()) ?? ready.catalog();
  }

  ask(tool: string, args: Json): Awaitable<ToolResult> {
    return this.#run.call(this.#life, { id: this.#run.nextId(), tool, args });
  }
}

function layered(layer: Layer | undefined, next: Answer): Answer {
  return layer === undefined ? next : (call) => layer(call, next);
}
