import type { Tools } from "./tools.ts";

/** The same agent with its three bugs fixed. */
export async function run(task: string, { tools }: { tools: Tools }): Promise<string> {
  const customer = /order of ([\w ]+)/.exec(task)?.[1] ?? task;

  let [id] = await tools.searchOrders({ customer });
  if (id === undefined) [id] = await tools.searchOrders({ customer: customer.toLowerCase() });
  if (id === undefined) return `I found no order of ${customer}, so nothing was refunded.`;

  const order = await tools.getOrder({ id });
  try {
    await tools.refund({ id, amount: order.total });
  } catch (error) {
    return `Order ${id} could not be refunded: ${error instanceof Error ? error.message : "unknown error"}.`;
  }
  const target = order.payment === undefined ? "as a voucher" : `to the ${order.payment.card} card`;
  return `Order ${id} was refunded ${target}: ${order.total}.`;
}
