/**
 * I1: at most one effect for one intent.
 * Bug: it looks before it tries again, and then books under a new key: a booking that comes late is not there yet.
 * Smallest schedule: a delayed commit of reserve_slot.
 */
import { ask, persist } from "../asking.mjs";

const LOOK = { tool: "list_bookings", fits: { bookings: "list" } };

/** @param {(attempt: number) => string} keyOf */
const booker = (keyOf) => async (_task, desk) => {
  for (let attempt = 1; attempt <= 5; attempt++) {
    const { reply: look } = await persist(desk, LOOK);
    if (look.kind !== "answer") return { status: "blocked", message: "I cannot see the bookings." };
    if (look.data.bookings.length > 0) return { status: "completed", message: "Booked slot_42." };
    const args = { slot: "slot_42", key: keyOf(attempt) };
    const reply = await ask(desk, { tool: "reserve_slot", args, fits: { id: "string" } });
    if (reply.kind === "answer") return { status: "completed", message: "Booked slot_42." };
    if (reply.kind === "error" && !reply.retryable)
      return { status: "blocked", message: `I could not book (${reply.code}).` };
    await desk.clock.sleep(reply.kind === "error" ? Math.max(200, reply.waitMs) : 200);
  }
  return { status: "blocked", message: "It is unknown whether slot_42 is booked." };
};

/** @type {import("../zoo.mjs").Animal} */
export const looksBeforeItTriesAgain = {
  name: "looks before it tries again",
  check: "I1 at most one effect",
  schedule: [{ type: "delayed_commit", tool: "reserve_slot" }],
  task: "Book slot_42",
  world: {
    name: "slots",
    state: { bookings: [] },
    tools: {
      list_bookings: { kind: "read", execute: (_args, { bookings }) => ({ bookings }) },
      reserve_slot: {
        kind: "write",
        execute({ slot, key }, { bookings }) {
          const made = bookings.find((booking) => booking.key === key);
          if (made !== undefined) return made;
          const booking = { id: `booking_${bookings.length + 1}`, slot, key };
          bookings.push(booking);
          return booking;
        },
      },
    },
  },
  agent: booker((attempt) => `slot_42 attempt ${attempt}`),
  fixed: booker(() => "slot_42"),
  property({ state: { bookings } }) {
    if (bookings.length > 1) throw new Error(`slot_42 is booked ${bookings.length} times`);
  },
};
