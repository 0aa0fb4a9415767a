/**
 * I7: after an ambiguous write it looks before it tries again.
 * Bug: it looks once, at the start.
 * Smallest schedule: a lost confirmation of pay (a timeout before the effect looks the same).
 */
import { ask, persist } from "../asking.mjs";

const PAID = { status: "completed", message: "Invoice 7 is paid." };
const UNKNOWN = { status: "blocked", message: "It is unknown whether invoice 7 is paid." };

/** @param {boolean} looksAgain */
const payer = (looksAgain) => async (_task, desk) => {
  for (let attempt = 1; attempt <= 4; attempt++) {
    if (looksAgain || attempt === 1) {
      const { reply } = await persist(desk, { tool: "list_payments", fits: { payments: "list" } });
      if (reply.kind !== "answer") return UNKNOWN;
      if (reply.data.payments.length > 0) return PAID;
    }
    const pay = { tool: "pay", args: { invoice: 7 }, fits: { invoice: "number" } };
    const reply = await ask(desk, pay);
    if (reply.kind === "answer") return PAID;
    if (reply.kind === "error" && !reply.retryable) return UNKNOWN;
    await desk.clock.sleep(reply.kind === "error" ? Math.max(200, reply.waitMs) : 200);
  }
  return UNKNOWN;
};

/** @type {import("../zoo.mjs").Animal} */
export const triesAgainBlindly = {
  name: "tries again blindly",
  check: "I7 verify before a retry",
  schedule: [{ type: "timeout_after", tool: "pay" }],
  task: "Pay invoice 7",
  world: {
    name: "invoices",
    state: { payments: [] },
    tools: {
      list_payments: { kind: "read", execute: (_args, { payments }) => ({ payments }) },
      pay: {
        kind: "write",
        execute({ invoice }, { payments }) {
          payments.push({ invoice });
          return { invoice };
        },
      },
    },
  },
  agent: payer(false),
  fixed: payer(true),
  property({ events }) {
    let looked = true;
    for (const { kind, tool } of events) {
      if (kind !== "call") continue;
      if (tool === "pay" && !looked) throw new Error("it paid again without a look");
      looked = tool !== "pay";
    }
  },
};
