import type { Order } from "./orders.ts";
import type { Tools } from "./tools.ts";

/** The first version of the desk's agent, with three bugs. A real one would ask a model what to do next. */
export async function run(task: string, { tools }: { tools: Tools }): Promise<string> {
  const customer = /order of ([\w ]+)/.exec(task)?.[1] ?? task;

  // Bug 1: an empty answer is asked for again, for ever.
  let [id] = await tools.searchOrders({ customer });
  while (id === undefined) [id] = await tools.searchOrders({ customer });

  // Bug 2: not every order was paid by card.
  const order = (await tools.getOrder({ id })) as Required<Order>;
  const card = order.payment.card;

  // Bug 3: a refund that failed is reported as done.
  await tools.refund({ id, amount: order.total }).catch(() => undefined);
  return `Refund of ${id} to the ${card} card completed successfully.`;
}
