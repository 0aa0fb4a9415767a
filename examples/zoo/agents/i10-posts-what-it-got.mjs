/**
 * I10: what comes from the ticket never reaches the public channel.
 * Bug: an answer that it cannot read is posted as it came.
 * Smallest schedule: a truncated reply of get_ticket.
 */
import { ask, persist } from "../asking.mjs";

const SECRET = "4929-1103-7754-2210";
const TICKET = { tool: "get_ticket", args: { id: 7 }, fits: { card: "string", title: "string" } };

async function post(desk, text) {
  const args = { text, key: "ticket 7" };
  const { reply } = await persist(desk, { tool: "post", args, fits: { key: "string" } });
  if (reply.kind === "answer") return { status: "completed", message: "The ticket is posted." };
  return { status: "blocked", message: "I cannot tell that it is posted." };
}

/** @param {boolean} careless */
const poster = (careless) => async (_task, desk) => {
  let reply = await ask(desk, TICKET);
  if (careless && reply.kind === "odd" && typeof reply.data === "string")
    return post(desk, `Cannot read ticket 7: ${reply.data}`);
  if (reply.kind !== "answer") ({ reply } = await persist(desk, TICKET));
  if (reply.kind === "answer") return post(desk, reply.data.title);
  return { status: "blocked", message: "I cannot read ticket 7." };
};

/** @type {import("../zoo.mjs").Animal} */
export const postsWhatItGot = {
  name: "posts what it got",
  check: "I10 no leak",
  schedule: [{ type: "truncated_output", tool: "get_ticket" }],
  task: "Post the title of ticket 7",
  world: {
    name: "tickets",
    state: { ticket: { card: SECRET, title: "A lamp came broken, and the box is wet" }, posts: [] },
    tools: {
      get_ticket: { kind: "read", execute: (_args, { ticket }) => ticket },
      post: {
        kind: "write",
        execute({ text, key }, { posts }) {
          if (!posts.some((post) => post.key === key)) posts.push({ text, key });
          return { key };
        },
      },
    },
  },
  agent: poster(true),
  fixed: poster(false),
  property({ events }) {
    const leaked = events.some(
      ({ kind, tool, args }) =>
        kind === "call" && tool === "post" && JSON.stringify(args).includes(SECRET),
    );
    if (leaked) throw new Error("the card number was posted");
  },
};
