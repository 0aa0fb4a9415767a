const ATTEMPTS = 5;

/** Books a slot. It tries again what may pass, under one key: the calendar never books a key twice. */
export async function bookSlot(task, { call, clock }) {
  const [, slot, customerId] = /(slot_\d+) for (customer_\d+)/.exec(task) ?? [];
  const operationKey = `book ${slot} for ${customerId}`;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    try {
      const booking = await call("reserve_slot", { customerId, slot, operationKey });
      if (typeof booking?.id === "string")
        return { status: "completed", message: `Booked ${slot} as ${booking.id}.` };
    } catch (error) {
      if (error.retryable === false)
        return { status: "blocked", message: `Not booked: ${error.message}` };
    }
    await clock.sleep(250 * 2 ** attempt);
  }
  return { status: "blocked", message: "It is unknown whether the slot is booked." };
}
