/** What the agent is given: tools by name, and a clock. */
interface Context {
  call(tool: string, args?: Record<string, unknown>): Promise<unknown>;
  clock: { sleep(ms: number): Promise<void> };
}

interface Event {
  id: string;
  customerId: string;
  creditCents: number;
}

interface Wallet {
  creditedCents: number;
  credits: { eventId: string; operationKey: string }[];
}

/** A call that was refused, or whose reply told nothing in five attempts. */
class Stopped extends Error {}

/** Applies one event to a customer's wallet: looks it up, credits it under one key, and reads it back. */
export async function applyEvent(task: string, context: Context): Promise<object> {
  const [, eventId = "", customerId = ""] = /(event_\d+) to (customer_\d+)/.exec(task) ?? [];
  const operationKey = `apply ${eventId}`;
  let asked = false;
  try {
    const event = (await events(context)).find(({ id }) => id === eventId);
    if (event === undefined) return blocked("nothing", "there is no such event");
    const { creditCents } = event;
    const look = { tool: "get_wallet", args: { customerId }, fits: isWallet };
    const args = { eventId, customerId, creditCents, operationKey };
    const apply = { tool: "apply_webhook", args, fits: isReceipt };
    for (let attempt = 1; attempt <= 3; attempt++) {
      const wallet = await persist(context, look);
      if (wallet.credits.some((credit) => credit.operationKey === operationKey)) {
        const message = `${eventId} is applied: ${creditCents} cents to ${customerId}.`;
        return { status: "completed", message, output: { outcome: "done", eventId, creditCents } };
      }
      await persist(context, apply, () => (asked = true));
    }
    return blocked("unknown", "it was confirmed, and cannot be seen");
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
    return blocked(asked ? "unknown" : "nothing", error.message);
  }
}

/** Every page of the events; again from the start when one was lost on the way. */
async function events(context: Context): Promise<Event[]> {
  for (let attempt = 1; attempt <= 3; attempt++) {
    const found: Event[] = [];
    let cursor: string | null = null;
    let total: number;
    do {
      const args: Record<string, unknown> = cursor === null ? {} : { cursor };
      const page: Page = await persist(context, { tool: "list_events", args, fits: isPage });
      found.push(...page.items);
      ({ nextCursor: cursor, total } = page);
    } while (cursor !== null);
    if (found.length === total) return found;
  }
  throw new Stopped("the events do not add up");
}

interface Page {
  items: Event[];
  nextCursor: string | null;
  total: number;
}

interface Question<T> {
  tool: string;
  args: Record<string, unknown>;
  fits: (data: unknown) => data is T;
}

/** Asks until the reply makes sense; waits longer each time, and as long as the service says. */
async function persist<T>(
  context: Context,
  { tool, args, fits }: Question<T>,
  onUnsure: () => void = () => {},
): Promise<T> {
  for (let attempt = 1; attempt <= 5; attempt++) {
    let waitMs = 200 * 2 ** attempt;
    try {
      const data = await context.call(tool, args);
      if (fits(data)) return data;
    } catch (error) {
      const { code, retryable, retryAfterMs } = error as Record<string, unknown>;
      if (retryable !== true) throw new Stopped(`${tool} was refused (${String(code)})`);
      if (typeof retryAfterMs === "number") waitMs = Math.max(waitMs, retryAfterMs);
    }
    onUnsure();
    await context.clock.sleep(waitMs);
  }
  throw new Stopped(`${tool} gave no reply that makes sense`);
}

function isEvent(data: unknown): data is Event {
  const { id, customerId, creditCents } = Object(data) as Partial<Event>;
  const texts = typeof id === "string" && typeof customerId === "string";
  return texts && typeof creditCents === "number";
}

function isPage(data: unknown): data is Page {
  const { items, nextCursor, total } = Object(data) as Partial<Page>;
  if (!Array.isArray(items) || !items.every(isEvent)) return false;
  return typeof total === "number" && (nextCursor === null || typeof nextCursor === "string");
}

function isWallet(data: unknown): data is Wallet {
  const { creditedCents, credits } = Object(data) as Partial<Wallet>;
  if (typeof creditedCents !== "number" || !Array.isArray(credits)) return false;
  return credits.every((credit) => typeof credit.operationKey === "string");
}

function isReceipt(data: unknown): data is { eventId: string } {
  return typeof (Object(data) as { eventId?: unknown }).eventId === "string";
}

function blocked(outcome: "nothing" | "unknown", why: string): object {
  const said =
    outcome === "nothing" ? "Nothing was applied" : "It is unknown whether it was applied";
  return { status: "blocked", message: `${said}: ${why}.`, output: { outcome } };
}
