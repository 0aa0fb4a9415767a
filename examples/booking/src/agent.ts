import { operationKey } from "./key.ts";

/** What the agent is given: tools by name, and a clock. */
interface Context {
  call(tool: string, args?: Record<string, unknown>): Promise<unknown>;
  clock: { sleep(ms: number): Promise<void> };
}

interface Slot {
  id: string;
  seats: number;
  bookings: { id: string; customerId: string }[];
}

type Reply = { data: unknown } | { code: string; retryable: boolean; waitMs: number };

const ATTEMPTS = 5;

/** Books a slot. It tries again what may pass, under one key: the calendar never books a key twice. */
export const bookSlot = makeBooker(operationKey);

/** The same agent with any way to name an operation; one is made for each attempt. */
export function makeBooker(keyOf: typeof operationKey) {
  return async (task: string, context: Context): Promise<object> => {
    const [, wanted = "", customerId = ""] = /(slot_\d+) for (customer_\d+)/.exec(task) ?? [];
    const before = await readSlot(context, wanted);
    if (typeof before === "string") return blocked(before);
    if (before.bookings.length >= before.seats) return blocked("it is full");

    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const args = { customerId, slot: wanted, operationKey: keyOf(customerId, wanted) };
      const reply = await ask(context, "reserve_slot", args);
      if ("code" in reply && !reply.retryable) return blocked(reply.code);
      const id = "data" in reply ? idOf(reply.data) : undefined;
      if (id !== undefined) {
        // A yes is no booking yet: it counts when it can be read back.
        const after = await readSlot(context, wanted);
        if (typeof after === "string") return unknown(after);
        if (after.bookings.some((booking) => booking.id === id))
          return { status: "completed", message: `Booked ${wanted} as ${id}.`, output: { id } };
      }
      await context.clock.sleep("waitMs" in reply ? reply.waitMs : 250 * 2 ** attempt);
    }
    return unknown("no confirmation came");
  };
}

/** The slot, or why it could not be read. */
async function readSlot(context: Context, slot: string): Promise<Slot | string> {
  let why = "the calendar makes no sense";
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const reply = await ask(context, "get_slot", { slot });
    if ("data" in reply && isSlot(reply.data)) return reply.data;
    if ("code" in reply) why = reply.code;
    if ("code" in reply && !reply.retryable) return why;
    await context.clock.sleep("waitMs" in reply ? reply.waitMs : 250 * 2 ** attempt);
  }
  return why;
}

async function ask(context: Context, tool: string, args: Record<string, unknown>): Promise<Reply> {
  try {
    return { data: await context.call(tool, args) };
  } catch (error) {
    const { code, retryable, retryAfterMs } = error as Record<string, unknown>;
    return {
      code: String(code),
      retryable: retryable === true,
      waitMs: typeof retryAfterMs === "number" ? retryAfterMs : 500,
    };
  }
}

function isSlot(data: unknown): data is Slot {
  const { id, seats, bookings } = Object(data) as Partial<Slot>;
  return typeof id === "string" && typeof seats === "number" && Array.isArray(bookings);
}

/** The id of a booking, when the reply is one. */
function idOf(data: unknown): string | undefined {
  const { id, slot, customerId } = Object(data) as Record<string, unknown>;
  if (typeof slot !== "string" || typeof customerId !== "string") return undefined;
  return typeof id === "string" ? id : undefined;
}

function blocked(why: string): object {
  return { status: "blocked", message: `Nothing was booked: ${why}.` };
}

function unknown(why: string): object {
  return { status: "blocked", message: `It is unknown whether the slot is booked: ${why}.` };
}
