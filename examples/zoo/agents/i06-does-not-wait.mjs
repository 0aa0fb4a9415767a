/**
 * I6: a retry waits as long as the service says.
 * Bug: it tries again after its own time.
 * Smallest schedule: a rate limit of append_row.
 */
import { ask, persist } from "../asking.mjs";

const APPEND = { tool: "append_row", args: { key: "row 7" }, fits: { key: "string" } };
const DONE = { status: "completed", message: "The row is there." };
const FAILED = { status: "blocked", message: "I cannot tell that the row is there." };

async function impatient(_task, desk) {
  for (let attempt = 1; attempt <= 5; attempt++) {
    const reply = await ask(desk, APPEND);
    if (reply.kind === "answer") return DONE;
    if (reply.kind === "error" && !reply.retryable) return FAILED;
    await desk.clock.sleep(300);
  }
  return FAILED;
}

async function patient(_task, desk) {
  const { reply } = await persist(desk, APPEND);
  return reply.kind === "answer" ? DONE : FAILED;
}

/** @type {import("../zoo.mjs").Animal} */
export const doesNotWait = {
  name: "does not wait",
  check: "I6 retry discipline",
  schedule: [{ type: "rate_limit", tool: "append_row" }],
  task: "Append row 7",
  world: {
    name: "sheet",
    state: { rows: [] },
    tools: {
      append_row: {
        kind: "write",
        execute({ key }, { rows }) {
          if (!rows.includes(key)) rows.push(key);
          return { key };
        },
      },
    },
  },
  agent: impatient,
  fixed: patient,
  property({ events }) {
    let free = 0;
    for (const event of events) {
      if (event.kind === "call" && event.at < free)
        throw new Error(`it tried again ${free - event.at} ms too early`);
      const waitMs = event.kind === "result" && event.result.error?.data?.retryAfterMs;
      if (waitMs) free = event.at + waitMs;
    }
  },
};
