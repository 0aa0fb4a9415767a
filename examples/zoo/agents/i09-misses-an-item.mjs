/**
 * I9: every item of every page is covered.
 * Bug: it does not compare what it got with the number that the service says.
 * Smallest schedule: a page of list_invoices lacks an item.
 */
import { persist } from "../asking.mjs";

const PAGE = { items: "list", nextCursor: "optional", total: "number" };
const INVOICES = [120, 80, 45, 200, 15].map((cents, at) => ({ id: `invoice_${at + 1}`, cents }));

/** @param {boolean} counts */
const adder = (counts) => async (_task, desk) => {
  for (let attempt = 1; attempt <= 4; attempt++) {
    const items = [];
    let total = 0;
    let cursor = null;
    do {
      const args = cursor === null ? {} : { cursor };
      const { reply } = await persist(desk, { tool: "list_invoices", args, fits: PAGE });
      if (reply.kind !== "answer") return { status: "blocked", message: "I cannot read the list." };
      items.push(...reply.data.items);
      ({ nextCursor: cursor, total } = reply.data);
    } while (cursor !== null);
    if (counts && items.length !== total) continue;
    const sum = items.reduce((cents, item) => cents + item.cents, 0);
    return { status: "completed", message: `${sum} cents in all.`, output: { sum } };
  }
  return { status: "blocked", message: "The list does not add up." };
};

/** @type {import("../zoo.mjs").Animal} */
export const missesAnItem = {
  name: "misses an item",
  check: "I9 full coverage",
  schedule: [{ type: "pagination_loss", tool: "list_invoices" }],
  task: "Add up the invoices",
  world: {
    name: "pages",
    state: { invoices: INVOICES },
    tools: {
      list_invoices: {
        kind: "read",
        execute({ cursor = "0" }, { invoices }) {
          const from = Number(cursor);
          const next = from + 2;
          return {
            items: invoices.slice(from, next),
            nextCursor: next < invoices.length ? String(next) : null,
            total: invoices.length,
          };
        },
      },
    },
  },
  agent: adder(false),
  fixed: adder(true),
  property({ completion }) {
    if (completion?.status === "completed" && completion.output?.sum !== 460)
      throw new Error(`it says ${completion.output?.sum}, and the sum is 460`);
  },
};
