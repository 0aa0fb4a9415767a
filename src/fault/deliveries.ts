import type { Answer, Awaitable, ToolCall } from "../boundary/boundary.ts";
import type { ToolResult } from "../trace/trace.ts";
import type { Delivered, Delivery } from "../world/open.ts";
import type { Mutation } from "../world/world.ts";
import { after } from "./after.ts";

/** One delivery that a fault asked for, on its way through the faults further in. */
interface Order {
  readonly commit: Commit;
  readonly outer: Order | undefined;
  readonly mutations: Mutation[];
  cut: number;
}

type Commit = NonNullable<Delivery["commit"]>;

/** How the world is asked. */
type Deliver = (call: ToolCall, delivery?: Delivery) => Awaitable<Delivered>;

/** Carries deliveries from the fault that asks for them to the world, through the faults between. */
export class Deliveries {
  readonly #deliver: Deliver;
  #orders: WeakMap<ToolCall, Order> | undefined;

  constructor(deliver: Deliver) {
    this.#deliver = deliver;
  }

  /** Asks for a delivery by what is further in. */
  ask(call: ToolCall, next: Answer, delivery: Delivery = {}): Awaitable<Delivered> {
    const orders = (this.#orders ??= new WeakMap());
    const outer = orders.get(call);
    const commit = stricter(delivery.commit ?? "all", outer?.commit ?? "all");
    const order: Order = { commit, outer, mutations: [], cut: 0 };
    const handed = { ...call };
    orders.set(handed, order);
    return after(next(handed), (result) => ({
      result,
      mutations: order.mutations,
      ...(order.cut > 0 ? { cut: order.cut } : {}),
    }));
  }

  /** What stands innermost: a call that no fault had delivered goes on as it is. */
  innermost(call: ToolCall, next: Answer): Awaitable<ToolResult> {
    const order = this.#orders?.get(call);
    if (order === undefined) return next(call);
    return after(this.#deliver(call, { commit: order.commit }), (delivered) => {
      for (let at: Order | undefined = order; at !== undefined; at = at.outer) {
        at.mutations.push(...delivered.mutations);
        at.cut += delivered.cut ?? 0;
      }
      return delivered.result;
    });
  }
}

function stricter(a: Commit, b: Commit): Commit {
  if (a === "all") return b;
  if (b === "all") return a;
  if (a === "none" || b === "none") return "none";
  return { first: Math.min(a.first, b.first) };
}
