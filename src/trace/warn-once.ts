import process from "node:process";

const SAID: unique symbol = Symbol.for("twiceshy.warnings") as never;
const MOST = 100;

/** Tells whoever runs the process what nobody asked to hear of, as Node tells of its own; each message once. */
export function warnOnce(message: string): void {
  const shared = globalThis as { [SAID]?: Set<string> };
  const said = (shared[SAID] ??= new Set());
  if (said.has(message) || said.size >= MOST) return;
  said.add(message);
  process.emitWarning(message, { type: "TwiceshyWarning" });
}
