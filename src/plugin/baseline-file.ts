import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isObject } from "../shared/json.ts";

const SPEC = /(\.agent)?\.(?:spec|test)\.[cm]?[jt]sx?$/;
/** After the id: runners sort these names letter by letter, again and again. */
const SUFFIX = " - twiceshy baseline";

/** The name under which the runner's snapshot state keeps word of a baseline that cannot be read. */
export const BROKEN = "twiceshy baseline that cannot be read";

/** `support-bot.baseline.json` beside `support-bot.agent.spec.ts`; a hand-written `x.test.ts` has `x.agent.baseline.json`. */
export function baselineFileOf(testFile: string): string {
  const name = basename(testFile);
  const generated = SPEC.exec(name)?.[1] !== undefined;
  const stem = name.replace(SPEC, "");
  return join(
    dirname(testFile),
    generated ? `${stem}.baseline.json` : `${stem}.agent.baseline.json`,
  );
}

/** The agent that the repros beside a new baseline belong to; the file's own name when there are none. */
export function agentOf(baseline: string): string {
  const stem = baseline.replace(/\.baseline\.json$/, "");
  const repros = `${stem}.repros.json`;
  if (existsSync(repros)) {
    const file: unknown = JSON.parse(readFileSync(repros, "utf8"));
    if (isObject(file) && typeof file["agent"] === "string") return file["agent"];
  }
  return basename(stem);
}

/** The name under which the runner's snapshot state knows an entry: a renamed test changes nothing. */
export function stateName(id: string): string {
  return `${id}${SUFFIX}`;
}

/** The state's key for a name: Vitest counts the snapshots of one name from 1. */
export function keyOf(name: string): string {
  return `${name} 1`;
}

/** The repro that a key of the state stands for. */
export function idOfKey(key: string): string | undefined {
  const end = keyOf(SUFFIX);
  return key.endsWith(end) ? key.slice(0, -end.length) : undefined;
}

/** The repro id at the end of a test's title: "refund the order [3f2a91c4]". */
export function idOfTitle(title: string): string | undefined {
  return /\[([0-9a-f]{8,64})\]$/.exec(title)?.[1];
}
