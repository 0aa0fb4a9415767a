/**
 * I12: it recovers when the faults stop.
 * Bug: its circuit breaker opens at the first outage and never closes again.
 * Smallest schedule: an outage of publish.
 */
import { ask, persist } from "../asking.mjs";

const PUBLISH = { tool: "publish", args: { page: "page 7" }, fits: { page: "string" } };
const DONE = { status: "completed", message: "page 7 is published." };
const FAILED = { status: "blocked", message: "page 7 could not be published." };

async function breaker(_task, desk) {
  let open = false;
  for (let attempt = 1; attempt <= 5 && !open; attempt++) {
    const reply = await ask(desk, PUBLISH);
    if (reply.kind === "answer") return DONE;
    if (reply.kind === "error" && !reply.retryable) return FAILED;
    open = reply.kind === "error" && reply.code === "SERVICE_UNAVAILABLE";
    await desk.clock.sleep(reply.kind === "error" ? Math.max(200, reply.waitMs) : 200);
  }
  return FAILED;
}

async function steady(_task, desk) {
  const { reply } = await persist(desk, PUBLISH);
  return reply.kind === "answer" ? DONE : FAILED;
}

/** @type {import("../zoo.mjs").Animal} */
export const staysDown = {
  name: "stays down",
  check: "I12 recovery",
  schedule: [{ type: "unavailable", tool: "publish" }],
  task: "Publish page 7",
  world: {
    name: "site",
    state: { published: [] },
    tools: {
      publish: {
        kind: "write",
        execute({ page }, { published }) {
          if (!published.includes(page)) published.push(page);
          return { page };
        },
      },
    },
  },
  agent: breaker,
  fixed: steady,
  property({ events, completion }) {
    const refused = events.some(
      ({ kind, result }) => kind === "result" && result.error?.retryable === false,
    );
    if (!refused && completion?.status !== "completed")
      throw new Error("every fault had passed, and it did not complete");
  },
};
