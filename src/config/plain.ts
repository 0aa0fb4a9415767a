import type { UserConfig } from "./config.ts";

type Guard = (value: unknown) => boolean;

const text: Guard = (value) => typeof value === "string" && value.length > 0;
const texts: Guard = (value) => Array.isArray(value) && value.every(text);
const agentSpec: Guard = (value) =>
  typeof value === "string" && /^[\w./@-]+#[A-Za-z_$][\w$]*$/.test(value);
const modelName: Guard = (value) => text(value) && !String(value).includes("#");
const isFlag: Guard = (value) => typeof value === "boolean";
const whole: Guard = (value) => Number.isSafeInteger(value) && Number(value) > 0;
const oneOf =
  (...words: string[]): Guard =>
  (value) =>
    typeof value === "string" && words.includes(value);
const membersOf =
  (guards: Readonly<Record<string, Guard>>): Guard =>
  (value) =>
    isPlain(value) &&
    Object.entries(value).every(([key, one]) => Object.hasOwn(guards, key) && guards[key]?.(one));

/**
 * For each option the values that are right beyond doubt. Loading zod costs every start of the runner 0.1 s; it is spared
 * when all options are plain. The schema stays the truth: this table has its keys by type, and a law in the tests holds that the
 * schema takes whatever is plain. What is not plain is not wrong, it is only left to the schema.
 */
const PLAIN: { readonly [Option in keyof Required<UserConfig>]: Guard } = {
  agent: agentSpec,
  agents: (value) =>
    isPlain(value) && Object.entries(value).every(([name, one]) => name !== "" && agentSpec(one)),
  agentVersion: text,
  traces: (value) => text(value) || texts(value),
  store: text,
  specs: (value) => text(value) || membersOf({ dir: text, per: oneOf("agent", "cluster") })(value),
  repros: membersOf({ most: whole }),
  gate: oneOf("regression", "any", "none"),
  unreviewed: oneOf("gate", "report"),
  matching: oneOf("keyed", "loose"),
  volatile: texts,
  limits: membersOf({ toolCalls: whole, ms: whole }),
  network: (value) => value === "refuse" || texts(value),
  redact: isFlag,
  detect: membersOf({
    loopRepeat: (value) => whole(value) && value !== 1,
    budgetMs: whole,
    output: oneOf("required", "optional"),
  }),
  judge: (value) =>
    isFlag(value) || modelName(value) || membersOf({ model: modelName, gate: isFlag })(value),
  runner: oneOf("vitest", "jest"),
  threshold: (value) => typeof value === "number" && value >= 0 && value <= 1,
};

/** Whether options are right beyond doubt, so that no schema need look at them. */
export function isPlainlyValid(options: unknown): options is UserConfig {
  return membersOf(PLAIN)(options);
}

/** Every option's name, for messages. */
export const OPTION_NAMES: readonly string[] = Object.keys(PLAIN);

function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return (
    prototype === null ||
    prototype === Object.prototype ||
    Object.getPrototypeOf(prototype) === null
  );
}
