import type { CalendarState } from "twiceshy/fixtures";
import type { WorkflowCheck } from "twiceshy";

function booked(state: unknown): CalendarState {
  return state as CalendarState;
}

/** What must be true at the end, whatever went wrong on the way. */
export const checks: WorkflowCheck[] = [
  {
    id: "one-booking",
    label: "Exactly one booking",
    test({ state, completion, mutations }) {
      const wanted = completion?.status === "completed" ? 1 : 0;
      const { bookings } = booked(state);
      if (bookings.length === wanted) return true;
      const calls = mutations.map(({ callId, tool }) => `${tool} (${callId})`);
      return `${bookings.length} bookings, wanted ${wanted}; made by ${calls.join(" and ")}`;
    },
  },
  {
    id: "right-slot",
    label: "The booking is slot_42 for customer_7",
    test: ({ state }) =>
      booked(state).bookings.every(
        ({ slot, customerId }) => slot === "slot_42" && customerId === "customer_7",
      ),
  },
  {
    id: "status",
    label: "Blocked only where the calendar refused",
    test: ({ completion, events }) =>
      completion?.status === "completed" ||
      events.some((event) => event.kind === "result" && !event.result.ok),
  },
  { id: "other", label: "Nobody else is touched", type: "unchanged", path: "/otherCustomer" },
];
