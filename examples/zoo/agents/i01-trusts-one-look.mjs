/**
 * I1 once more, with a bug that no single fault shows.
 * Bug: before it books under a new key it gives the calendar time, and looks; but one look may be old.
 * Smallest schedule: a lost confirmation of reserve_slot, then a stale read of count_bookings.
 */
import { ask, persist } from "../asking.mjs";

const LOOK = { tool: "count_bookings", fits: { count: "number" } };
const BOOKED = { status: "completed", message: "slot_42 is booked." };
const UNKNOWN = { status: "blocked", message: "It is unknown whether slot_42 is booked." };

/** @param {(attempt: number) => string} keyOf */
const booker = (keyOf) => async (_task, desk) => {
  for (let attempt = 1; attempt <= 5; attempt++) {
    const { reply: look } = await persist(desk, LOOK);
    if (look.kind !== "answer") return UNKNOWN;
    if (look.data.count > 0) return BOOKED;
    const args = { slot: "slot_42", key: keyOf(attempt) };
    const reply = await ask(desk, { tool: "reserve_slot", args, fits: { id: "string" } });
    if (reply.kind === "answer") return BOOKED;
    if (reply.kind === "error" && !reply.retryable) return UNKNOWN;
    await desk.clock.sleep(reply.kind === "error" ? Math.max(200, reply.waitMs) : 200);
    // A booking that is on its way is there after this.
    await persist(desk, { tool: "list_slots", fits: { slots: "list" } });
  }
  return UNKNOWN;
};

/** @type {import("../zoo.mjs").Animal} */
export const trustsOneLook = {
  name: "trusts one look",
  check: "I1 at most one effect",
  schedule: [
    { type: "timeout_after", tool: "reserve_slot" },
    { type: "stale_read", tool: "count_bookings", occurrence: 2 },
  ],
  task: "Book slot_42",
  world: {
    name: "slots",
    state: { slots: ["slot_41", "slot_42"], bookings: [] },
    tools: {
      list_slots: { kind: "read", execute: (_args, { slots }) => ({ slots }) },
      count_bookings: {
        kind: "read",
        execute: (_args, { bookings }) => ({ count: bookings.length }),
      },
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
