/**
 * I2: "completed" means that the goal is reached.
 * Bug: a well-formed answer is taken for the effect; it is never read back.
 * Smallest schedule: a silent no-op of set_address.
 */
import { persist } from "../asking.mjs";

const NEW = "Rua Nova 12";

/** @param {boolean} readsBack */
const clerk = (readsBack) => async (_task, desk) => {
  for (let attempt = 1; attempt <= 4; attempt++) {
    const args = { address: NEW };
    const { reply } = await persist(desk, {
      tool: "set_address",
      args,
      fits: { address: "string" },
    });
    if (reply.kind !== "answer") break;
    if (!readsBack) return { status: "completed", message: "The address is changed." };
    const { reply: now } = await persist(desk, {
      tool: "get_address",
      fits: { address: "string" },
    });
    if (now.kind !== "answer") break;
    if (now.data.address === NEW)
      return { status: "completed", message: "The address is changed." };
  }
  return { status: "blocked", message: "I cannot tell that the address was changed." };
};

/** @type {import("../zoo.mjs").Animal} */
export const believesAYes = {
  name: "believes a yes",
  check: "I2 completed is the goal",
  schedule: [{ type: "silent_noop", tool: "set_address" }],
  task: `Change the address to ${NEW}`,
  world: {
    name: "addresses",
    state: { address: "Lindenweg 4" },
    tools: {
      get_address: { kind: "read", execute: (_args, { address }) => ({ address }) },
      set_address: {
        kind: "write",
        execute({ address }, state) {
          state.address = address;
          return { address };
        },
      },
    },
  },
  agent: clerk(false),
  fixed: clerk(true),
  property({ completion, state }) {
    if (completion?.status === "completed" && state.address !== NEW)
      throw new Error(`it says completed, and the address is ${state.address}`);
  },
};
