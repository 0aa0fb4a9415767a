// Records the runs of the first version: node src/record.js
const { instrument, record, toolError, traceLines } = require("twiceshy");

const tools = instrument(
  {
    async getOrder({ id }) {
      return { id, total: id === "A-1" ? 42.5 : 19.99 };
    },
    async refund({ id, amount }) {
      if (id === "A-2") throw toolError("CARD_CLOSED", "the card is closed", { retryable: false });
      return { refunded: id, amount };
    },
  },
  { writes: ["refund"] },
);

async function first(task, { call }) {
  const id = /A-\d+/.exec(task)?.[0];
  const order = await call("getOrder", { id });
  await call("refund", { id, amount: order.total }).catch(() => undefined);
  return { status: "completed", message: `Refund of ${id} completed successfully.` };
}

async function main() {
  const sink = traceLines("traces/day.jsonl");
  for (const task of ["Refund the order A-1", "Refund the order A-2"])
    await record(first, task, { tools, agent: "refunds", agentVersion: "1.0.0", sink });
}

void main();
