/** Refunds an order. Its first version said so too when the refund had been declined: see traces/day.jsonl. */
exports.run = async function run(task, { call }) {
  const id = /A-\d+/.exec(task)?.[0];
  const order = await call("getOrder", { id });
  try {
    await call("refund", { id, amount: order.total });
  } catch (error) {
    return { status: "blocked", message: `The refund of ${id} was declined: ${error.message}` };
  }
  return { status: "completed", message: `Refund of ${id} completed successfully.` };
};
