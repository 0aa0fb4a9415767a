/**
 * I8: nothing is lost: what is in stock and what was taken make what there was.
 * Bug: it writes the new level without the version that it has read.
 * Smallest schedule: another client takes some between its reading and its writing.
 */
import { ask, persist } from "../asking.mjs";

const DONE = { status: "completed", message: "2 lamps are taken." };
const UNKNOWN = { status: "blocked", message: "I cannot tell that 2 lamps are taken." };

/** @param {boolean} locks */
const taker = (locks) => async (_task, desk) => {
  for (let attempt = 1; attempt <= 5; attempt++) {
    const fits = { stock: "number", version: "number" };
    const { reply: level } = await persist(desk, { tool: "get_level", fits });
    if (level.kind !== "answer") return UNKNOWN;
    const { stock, version } = level.data;
    const args = { key: "order 7", quantity: 2, stock: stock - 2, ...(locks ? { version } : {}) };
    const reply = await ask(desk, { tool: "set_level", args, fits: { stock: "number" } });
    if (reply.kind === "answer") return DONE;
    if (reply.kind === "error" && !reply.retryable && reply.code !== "CONFLICT") return UNKNOWN;
    await desk.clock.sleep(reply.kind === "error" ? Math.max(200, reply.waitMs) : 200);
  }
  return UNKNOWN;
};

/** @type {import("../zoo.mjs").Animal} */
export const overwritesBlindly = {
  name: "overwrites blindly",
  check: "I8 conservation",
  schedule: [{ type: "concurrent_modification", tool: "set_level" }],
  extra: [{ type: "concurrent_modification", tool: "set_level" }],
  task: "Take 2 lamps for order 7",
  world: {
    name: "levels",
    // Every level is a record of its own, the last one counts: no write can be cut in two.
    state: { levels: [{ key: "start", stock: 10, taken: 0, version: 1 }] },
    tools: {
      get_level: { kind: "read", execute: (_args, { levels }) => ({ ...levels.at(-1) }) },
      set_level: {
        kind: "write",
        execute({ key, quantity, stock, version }, { levels }) {
          const made = levels.find((level) => level.key === key);
          if (made !== undefined) return { ...made };
          const last = levels.at(-1);
          if (version !== undefined && version !== last.version) {
            const message = `the level has version ${last.version}`;
            return { ok: false, error: { code: "CONFLICT", message, retryable: false } };
          }
          const taken = last.taken + quantity;
          levels.push({ key, stock, taken, version: last.version + 1 });
          return { stock, taken };
        },
      },
    },
    rival({ levels }) {
      const { stock, taken, version } = levels.at(-1);
      levels.push({ key: "shop", stock: stock - 3, taken: taken + 3, version: version + 1 });
    },
  },
  agent: taker(false),
  fixed: taker(true),
  property({ state: { levels } }) {
    const { stock, taken } = levels.at(-1);
    if (stock + taken !== 10) throw new Error(`${stock} in stock and ${taken} taken make not 10`);
  },
};
