import { boundary } from "../boundary/boundary.ts";
import { VirtualClock } from "../boundary/virtual-time.ts";
import type { Fault, FaultOutcome } from "../fault/fault.ts";
import { armFaults } from "../fault/schedule.ts";
import type { Json } from "../shared/json.ts";
import type { ToolResult } from "../trace/trace.ts";
import { openWorld } from "../world/open.ts";
import type { Mutation, World, WorldIssue } from "../world/world.ts";

/** What an agent was told, and when. */
export interface Told {
  readonly callId: string;
  readonly tool: string;
  /** Milliseconds since the start. */
  readonly at: number;
  readonly result: ToolResult;
}

/** What happened in a trial of faults alone, without checks. */
export interface FaultTrial {
  readonly told: readonly Told[];
  readonly reached: readonly {
    readonly n: number;
    readonly callId: string | undefined;
    readonly about: Json | undefined;
  }[];
  readonly hidden: readonly { readonly callId: string; readonly result: ToolResult }[];
  readonly mutations: readonly Mutation[];
  readonly issues: readonly WorldIssue[];
  readonly state: Json;
  readonly outcomes: readonly FaultOutcome[];
  readonly restarts: readonly string[];
  /** Kinds of what happened, in their order: `told call_1`, `mutation call_1`, `hidden call_1`, `fault call_1`. */
  readonly order: readonly string[];
  readonly endMs: number;
}

interface Listed {
  readonly name: string;
  readonly description?: string;
}

/** What a script may do. */
export interface Script {
  readonly call: (tool: string, args?: Json) => Promise<ToolResult>;
  readonly sleep: (ms: number) => Promise<void>;
  readonly catalog: (entries: readonly Listed[]) => readonly Listed[];
}

/** Runs a script against a world under faults, on a virtual clock; a script that dies at a crash is run again. */
export async function faultTrial(
  world: World,
  faults: readonly Fault[],
  script: (script: Script) => Promise<unknown>,
): Promise<FaultTrial> {
  const clock = new VirtualClock({ startMs: 0, budgetMs: 86_400_000 });
  const told: Told[] = [];
  const reached: FaultTrial["reached"][number][] = [];
  const hidden: FaultTrial["hidden"][number][] = [];
  const restarts: string[] = [];
  const order: string[] = [];
  const open = openWorld(world, {
    clock,
    onMutation: ({ callId }) => void order.push(`mutation ${callId}`),
  });
  let die: () => void = () => undefined;
  const armed = armFaults(faults, {
    clock,
    kindOf: (tool) => open.kindOf(tool),
    simulated: true,
    deliver: (call, delivery) => open.deliver(call, delivery),
    rival: (call, change) => {
      if (change !== undefined) return open.rival(change, call) !== undefined;
      return (
        world.rival !== undefined && open.rival((state) => world.rival?.(state), call) !== undefined
      );
    },
    restart: (call) => {
      restarts.push(call.id);
      die();
      return new Promise<never>(() => undefined);
    },
    onReached: (n, _fault, { call, about }) => {
      order.push(`fault ${call?.id ?? "catalog"}`);
      reached.push({ n, callId: call?.id, about });
    },
    onHidden: (call, result) => {
      order.push(`hidden ${call.id}`);
      hidden.push({ callId: call.id, result });
    },
  });
  const around = boundary([armed.layer], open.answer);
  const life = (number: number): Script => ({
    async call(tool, args = {}) {
      const id = around.nextId();
      const result = await around.call({ id, tool, args });
      // A dead agent hears nothing.
      if (restarts.length > number) return new Promise<never>(() => undefined);
      order.push(`told ${id}`);
      told.push({ callId: id, tool, at: clock.now(), result });
      return result;
    },
    sleep: (ms) => clock.sleep(ms),
    catalog: (entries) => armed.catalog(entries),
  });
  for (let alive = true; alive;) {
    const before = restarts.length;
    const death = new Promise<void>((resolve) => {
      die = resolve;
    });
    await Promise.race([script(life(before)), death]);
    alive = restarts.length > before;
  }
  await armed.drain();
  // Copies: what a dead agent has left under way may still come in.
  const { mutations, issues } = open;
  const seen = { told, reached, hidden, restarts, order, mutations, issues };
  const ended = { state: open.snapshot(), outcomes: armed.outcomes(), endMs: clock.now() };
  const trial = structuredClone({ ...seen, ...ended });
  open.close();
  clock.close();
  return trial;
}
