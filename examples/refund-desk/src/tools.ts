import { instrument, toolError } from "twiceshy";
import { orders, type Order } from "./orders.ts";

function find(id: string): Order {
  const order = orders.find((candidate) => candidate.id === id);
  if (order === undefined) throw toolError("NOT_FOUND", `no order ${id}`);
  return order;
}

/** The desk's tools. `instrument` passes straight through until something records or replays. */
export const tools = instrument(
  {
    async searchOrders({ customer }: { customer: string }) {
      return orders.filter((order) => order.customer === customer).map((order) => order.id);
    },
    async getOrder({ id }: { id: string }) {
      return structuredClone(find(id));
    },
    async refund({ id, amount }: { id: string; amount: number }) {
      if (find(id).payment?.open === false) {
        throw toolError("CARD_CLOSED", `the card of order ${id} is closed`, { retryable: false });
      }
      return { refunded: id, amount };
    },
  },
  { writes: ["refund"] },
);

export type Tools = typeof tools;
