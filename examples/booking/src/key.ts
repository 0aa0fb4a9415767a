/** By this key the calendar knows a booking again. Try `crypto.randomUUID()`: then every attempt is a new booking. */
export function operationKey(customerId: string, slot: string): string {
  return `book ${slot} for ${customerId}`;
}
