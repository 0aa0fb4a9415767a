/**
 * I11: it stays within its budget.
 * Bug: a refusal for good is tried again like one that passes.
 * Smallest schedule: permission for submit is revoked.
 */
import { ask, persist } from "../asking.mjs";

const SUBMIT = { tool: "submit", args: { form: "form 7" }, fits: { form: "string" } };
const DONE = { status: "completed", message: "form 7 is submitted." };
const FAILED = { status: "blocked", message: "form 7 could not be submitted." };

async function stubborn(_task, desk) {
  for (let attempt = 1; attempt <= 40; attempt++) {
    const reply = await ask(desk, SUBMIT);
    if (reply.kind === "answer") return DONE;
    await desk.clock.sleep(reply.kind === "error" ? Math.max(200, reply.waitMs) : 200);
  }
  return FAILED;
}

async function reasonable(_task, desk) {
  const { reply } = await persist(desk, SUBMIT);
  return reply.kind === "answer" ? DONE : FAILED;
}

/** @type {import("../zoo.mjs").Animal} */
export const neverGivesUp = {
  name: "never gives up",
  check: "I11 budgets",
  schedule: [{ type: "permission_revoked", tool: "submit" }],
  task: "Submit form 7",
  world: {
    name: "forms",
    state: { submitted: "" },
    tools: {
      submit: {
        kind: "write",
        execute({ form }, state) {
          state.submitted = form;
          return { form };
        },
      },
    },
  },
  agent: stubborn,
  fixed: reasonable,
  property({ toolCalls }) {
    if (toolCalls > 15) throw new Error(`it made ${String(toolCalls)} calls for one form`);
  },
};
