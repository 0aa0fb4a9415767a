/**
 * I3: "blocked, nothing done" means that there is no effect.
 * Bug: when the second step is refused, the first one is left behind.
 * Smallest schedule: permission for charge_card is revoked.
 */
import { persist } from "../asking.mjs";

const key = "stay of guest_7";
const LOOK = { tool: "look", args: { key }, fits: { reserved: "boolean", charged: "boolean" } };
const said = (outcome, message) => ({ status: "blocked", message, output: { outcome } });
const UNKNOWN = said("unknown", "It is unknown how far the stay was booked; please look.");
const NOTHING = said("nothing", "The stay could not be booked; nothing was done.");
const DONE = { status: "completed", message: "The stay is booked." };

/** @param {boolean} compensates */
const booker = (compensates) => async (_task, desk) => {
  const write = (tool) => persist(desk, { tool, args: { key }, fits: { key: "string" } });
  for (const tool of ["reserve_room", "charge_card"]) {
    const { reply, unsure } = await write(tool);
    if (reply.kind === "answer") continue;
    if (unsure) return UNKNOWN;
    return compensates ? undo(desk, write) : NOTHING;
  }
  return DONE;
};

/** Takes back what is there, and looks whether it is gone. */
async function undo(desk, write) {
  for (let attempt = 1; attempt <= 4; attempt++) {
    const { reply: now } = await persist(desk, LOOK);
    if (now.kind !== "answer") return UNKNOWN;
    if (now.data.charged) return now.data.reserved ? DONE : UNKNOWN;
    if (!now.data.reserved) return NOTHING;
    const { reply } = await write("cancel_room");
    if (reply.kind !== "answer") return UNKNOWN;
  }
  return UNKNOWN;
}

/** Writes one journal entry for a key, once; the last entry of a key counts. */
const entry = (kind) => ({
  kind: "write",
  execute({ key: of }, { journal }) {
    const made = journal.some((line) => line.kind === kind && line.key === of);
    if (!made) journal.push({ kind, key: of });
    return { key: of };
  },
});

const has = (journal, kind, of) => journal.some((line) => line.kind === kind && line.key === of);
const reserved = (journal, of) => has(journal, "reserved", of) && !has(journal, "cancelled", of);

/** @type {import("../zoo.mjs").Animal} */
export const leavesHalfBehind = {
  name: "leaves half behind",
  check: "I3 blocked is no effect",
  schedule: [{ type: "permission_revoked", tool: "charge_card" }],
  task: "Book the stay of guest_7",
  world: {
    name: "hotel",
    state: { journal: [] },
    tools: {
      look: {
        kind: "read",
        execute: ({ key: of }, { journal }) => ({
          reserved: reserved(journal, of),
          charged: has(journal, "charged", of),
        }),
      },
      reserve_room: entry("reserved"),
      charge_card: entry("charged"),
      cancel_room: entry("cancelled"),
    },
  },
  agent: booker(false),
  fixed: booker(true),
  property({ completion, state: { journal } }) {
    if (completion?.output?.outcome !== "nothing") return;
    if (reserved(journal, key) || has(journal, "charged", key))
      throw new Error(`it says that nothing was done: ${JSON.stringify(journal)}`);
  },
};
