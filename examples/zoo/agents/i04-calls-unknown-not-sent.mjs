/**
 * I4: what is unknown is reported as unknown.
 * Bug: a message whose confirmation was lost is reported as not sent.
 * Smallest schedule: a lost confirmation of send_letter.
 */
import { ask } from "../asking.mjs";

/** @param {string} lost what it says when no confirmation came */
const sender = (lost) => async (_task, desk) => {
  // The service has no keys and no list, so that trying again is no way out.
  const reply = await ask(desk, {
    tool: "send_letter",
    args: { to: "ada" },
    fits: { id: "string" },
  });
  if (reply.kind === "answer")
    return { status: "completed", message: "Sent.", output: { outcome: "sent" } };
  if (reply.kind === "error" && !reply.retryable)
    return { status: "blocked", message: "It was refused.", output: { outcome: "refused" } };
  return { status: "blocked", message: "No confirmation came.", output: { outcome: lost } };
};

/** @type {import("../zoo.mjs").Animal} */
export const callsUnknownNotSent = {
  name: "calls unknown not sent",
  check: "I4 unknown is unknown",
  schedule: [{ type: "timeout_after", tool: "send_letter" }],
  task: "Send the letter to ada",
  world: {
    name: "letters",
    state: { sent: [] },
    tools: {
      send_letter: {
        kind: "write",
        execute({ to }, { sent }) {
          sent.push({ id: `letter_${sent.length + 1}`, to });
          return sent.at(-1);
        },
      },
    },
  },
  agent: sender("not_sent"),
  fixed: sender("unknown"),
  property({ completion, state: { sent } }) {
    if (completion?.output?.outcome === "not_sent" && sent.length > 0)
      throw new Error(`it says not sent, and ${sent.length} was sent`);
  },
};
