/**
 * A small agent for tests. Version 1 has three planted bugs: it repeats an empty search for ever ("Grace"), it swallows
 * a refund error and claims success ("grace"), and it crashes on a missing field ("linus"). Version 2 has none.
 * Only "ada" goes well with both.
 */

export interface RefundTask {
  readonly customer: string;
}

export interface Order {
  readonly id: string;
  readonly status: "open" | "closed";
  readonly total?: number;
  readonly items: readonly { readonly sku: string; readonly price: number }[];
}

export type RefundTools = {
  search_orders(args: { readonly customer: string }): Promise<readonly { readonly id: string }[]>;
  get_order(args: { readonly id: string }): Promise<Order>;
  refund(args: {
    readonly order_id: string;
    readonly amount: number;
  }): Promise<{ readonly refund_id: string; readonly amount: number }>;
};

const ORDERS: Readonly<Record<string, Order>> = {
  ada: {
    id: "A-1001",
    status: "open",
    total: 40,
    items: [{ sku: "lamp", price: 40 }],
  },
  grace: {
    id: "A-1002",
    status: "closed",
    total: 1200,
    items: [{ sku: "desk", price: 1200 }],
  },
  linus: {
    id: "A-1003",
    status: "open",
    items: [
      { sku: "pen", price: 12.5 },
      { sku: "ink", price: 7.5 },
    ],
  },
};

/** Names of the tools, sorted. */
export const REFUND_TOOLS: readonly string[] = ["get_order", "refund", "search_orders"];

/** Fresh live tools. */
export function refundTools(): RefundTools {
  const byId = (id: string): Order => {
    const order = Object.values(ORDERS).find((candidate) => candidate.id === id);
    if (order === undefined) throw new Error(`order ${id} not found`);
    return structuredClone(order);
  };
  return {
    async search_orders({ customer }) {
      const order = Object.hasOwn(ORDERS, customer) ? ORDERS[customer] : undefined;
      return order === undefined ? [] : [{ id: order.id }];
    },
    async get_order({ id }) {
      return byId(id);
    },
    async refund({ order_id, amount }) {
      if (byId(order_id).status === "closed") throw new Error(`order ${order_id} is closed`);
      return { refund_id: order_id.replace("A-", "R-"), amount };
    },
  };
}

interface RefundContext {
  readonly tools: RefundTools;
}

/** The agent with the three bugs. */
export async function refundDeskV1(task: RefundTask, { tools }: RefundContext): Promise<string> {
  let found = await tools.search_orders({ customer: task.customer });
  while (found.length === 0) found = await tools.search_orders({ customer: task.customer });
  const order = await tools.get_order({ id: found[0]?.id ?? "" });
  const amount = Number((order.total as number).toFixed(2));
  try {
    await tools.refund({ order_id: order.id, amount });
  } catch {
    // The bug: the error is swallowed.
  }
  return `Refund of ${amount} for order ${order.id} completed successfully.`;
}

/** The agent without them. */
export async function refundDeskV2(task: RefundTask, { tools }: RefundContext): Promise<string> {
  let found = await tools.search_orders({ customer: task.customer });
  if (found.length === 0) {
    found = await tools.search_orders({ customer: task.customer.toLowerCase() });
  }
  const [first] = found;
  if (first === undefined) return `There is no order of ${task.customer}.`;
  const order = await tools.get_order({ id: first.id });
  if (order.status === "closed") return `Order ${order.id} is closed, so no money was sent back.`;
  const amount = order.total ?? order.items.reduce((sum, item) => sum + item.price, 0);
  const { refund_id } = await tools.refund({ order_id: order.id, amount });
  return `Refund ${refund_id} of ${amount} for order ${order.id} is on its way.`;
}
