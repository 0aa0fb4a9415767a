import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A `workflow/1` document of a booking: five faults, as the earlier tool's starter has them. */
export const BOOKING_DOCUMENT = {
  schemaVersion: "workflow/1",
  id: "booking",
  title: "Books one slot",
  task: "Book slot_42 for customer_7",
  initialState: { bookings: [] as unknown[], operations: {}, otherCustomer: { id: "customer_9" } },
  checks: [
    check("one-booking", "Exactly one booking", { type: "count", path: "/bookings", expected: 1 }),
    check("other-customer", "The other customer stays", {
      type: "unchanged",
      path: "/otherCustomer",
    }),
    check("says-completed", "Says completed", {
      type: "equals",
      source: "completion",
      path: "/status",
      expected: "completed",
    }),
  ],
  scenarios: [
    scenario("lost-confirmation", "timeout_after"),
    scenario("request-timeout", "timeout_before"),
    scenario("unavailable", "unavailable"),
    scenario("malformed", "malformed"),
    {
      ...scenario("permission-revoked", "permission_revoked"),
      checks: [
        check("no-booking", "No booking", { type: "count", path: "/bookings", expected: 0 }),
        check("says-blocked", "Says blocked", {
          type: "equals",
          source: "completion",
          path: "/status",
          expected: "blocked",
        }),
      ],
    },
  ],
};

function check(id: string, label: string, rest: Readonly<Record<string, unknown>>) {
  return { id, label, ...rest };
}

function scenario(id: string, type: string) {
  return { id, title: id, fault: { type, tool: "reserve_slot" } };
}

/** What an adapter is made with: all of it text that goes into its source. */
export interface AdapterParts {
  /** Booked under one key, or one for each attempt (the bug). */
  readonly key?: "stable" | "per attempt";
  /** Runs at the start of every trial, with `call` and `clock` at hand. */
  readonly first?: string;
  /** Runs when the module is imported. */
  readonly top?: string;
  /** Milliseconds that the tool takes, and that the agent rests, on the clock. */
  readonly delays?: { readonly tool: number; readonly rest: number };
  /** Added to the tools' object. */
  readonly tools?: string;
  /** Replaces the factory's head. */
  readonly factory?: string;
  readonly version?: string;
  /** How the two are exported. */
  readonly exports?: string;
}

/** The source of an adapter that books a slot and tries again when it must. */
export function adapterSource(parts: AdapterParts = {}): string {
  const { key = "stable", first = "", top = "", delays, tools = "", version = "1.0.0" } = parts;
  return `${top}
const tools = {
  reserve_slot: {
    kind: "write",
    async execute({ customerId, slot, operationKey }, state, { clock }) {
      ${delays === undefined ? "" : `await clock.sleep(${delays.tool});`}
      const before = Object.hasOwn(state.operations, operationKey) ? state.operations[operationKey] : undefined;
      if (before !== undefined) return { ok: true, data: { bookingId: before } };
      const bookingId = "booking_" + (state.bookings.length + 1);
      state.bookings.push({ id: bookingId, customerId, slot });
      state.operations[operationKey] = bookingId;
      return { ok: true, data: { bookingId } };
    },
  },
  ${tools}
};
${parts.factory ?? "function createAgent() {"}
  return {
    id: "booker",
    version: ${JSON.stringify(version)},
    async run({ task, call, clock, signal, recordModel }) {
      recordModel({ detail: "I book the slot", payload: { task } });
      ${first}
      for (let attempt = 1; attempt <= 3; attempt++) {
        const operationKey = ${key === "stable" ? '"book-slot_42"' : '"book-slot_42-" + attempt'};
        const result = await call("reserve_slot", { customerId: "customer_7", slot: "slot_42", operationKey });
        if (typeof result !== "string") {
          if (result.ok) return { status: "completed", message: "Booked slot_42", output: result.data };
          if (!result.error.retryable) return { status: "blocked", message: result.error.code };
        }
        ${delays === undefined ? "" : `await clock.sleep(${delays.rest});`}
      }
      return { status: "blocked", message: "gave up" };
    },
  };
}
${parts.exports ?? "export { tools, createAgent };"}
`;
}

/** Writes files below a folder: texts as they are, anything else as JSON. */
export function writeFiles(root: string, files: Readonly<Record<string, unknown>>): void {
  for (const [name, content] of Object.entries(files)) {
    const path = join(root, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content, null, 2));
  }
}
