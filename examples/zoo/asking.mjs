/**
 * What an agent of the zoo is given: the tools by name, and a clock.
 *
 * @typedef {{ call(tool: string, args?: object): Promise<any>, clock: { sleep(ms: number): Promise<void> } }} Desk
 */

/**
 * One call: the tool, its arguments, and the members that its answer must have.
 *
 * @typedef {{ tool: string, args?: object, fits: Record<string, "string" | "number" | "boolean" | "list" | "optional"> }} Question
 */

/**
 * What one call told. An odd answer has another shape than asked for: whether anything happened is not known.
 *
 * @typedef {{ kind: "answer", data: any } | { kind: "odd", data: any } | { kind: "error", code: string, retryable: boolean, waitMs: number }} Reply
 */

/**
 * Asks once, and never throws for what a tool does.
 *
 * @param {Desk} desk
 * @param {Question} question
 * @returns {Promise<Reply>}
 */
export async function ask(desk, { tool, args = {}, fits }) {
  try {
    const data = await desk.call(tool, args);
    return { kind: isLike(data, fits) ? "answer" : "odd", data };
  } catch (error) {
    const { code = "UNKNOWN", retryable = false, retryAfterMs = 0 } = /** @type {any} */ (error);
    return { kind: "error", code, retryable, waitMs: retryAfterMs };
  }
}

/**
 * Asks until there is an answer or a refusal, at most five times: waits longer each time, and as long as the service says.
 * `unsure` says that an attempt may have had its effect although nothing confirmed it.
 *
 * @param {Desk} desk
 * @param {Question} question
 * @returns {Promise<{ reply: Reply, unsure: boolean }>}
 */
export async function persist(desk, question) {
  let unsure = false;
  /** @type {Reply} */
  let reply = { kind: "odd", data: undefined };
  for (let attempt = 0; attempt < 5; attempt++) {
    reply = await ask(desk, question);
    if (reply.kind === "answer" || (reply.kind === "error" && !reply.retryable)) break;
    unsure = true;
    await desk.clock.sleep(Math.max(200 * 2 ** attempt, reply.kind === "error" ? reply.waitMs : 0));
  }
  return { reply, unsure };
}

/** @param {any} data @param {Question["fits"]} fits */
function isLike(data, fits) {
  if (typeof data !== "object" || data === null || data.isError === true || data.error)
    return false;
  return Object.entries(fits).every(([name, kind]) => {
    if (kind === "list") return Array.isArray(data[name]);
    if (kind === "optional") return data[name] === null || typeof data[name] === "string";
    return typeof data[name] === kind;
  });
}
