import { failure } from "../src/shared/error.ts";

/** One line of a snapshot file as Vitest writes it, with its source kept. */
export interface ScriptEntry {
  readonly key: string;
  readonly value: string;
  readonly source: string;
}

const LINE = /\s*(exports\[`([^`\\]*(?:\\[\s\S][^`\\]*)*)`\] = `([^`\\]*(?:\\[\s\S][^`\\]*)*)`;)/y;

/**
 * Reads "exports[`key`] = `value`;" lines without evaluating them.
 * @throws E_SNAPSHOT_FORMAT when the text has anything else in it
 */
export function parseScript(text: string, path: string): ScriptEntry[] {
  const entries: ScriptEntry[] = [];
  const pattern = new RegExp(LINE);
  pattern.lastIndex = /^(?:\/\/[^\n]*(?:\n|$))?/.exec(text)?.[0].length ?? 0;
  let end = pattern.lastIndex;
  for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
    entries.push({
      source: found[1] ?? "",
      key: unescape(found[2] ?? ""),
      value: unescape(found[3] ?? ""),
    });
    end = pattern.lastIndex;
  }
  if (text.slice(end).trim() === "") return entries;
  throw failure("E_SNAPSHOT_FORMAT", {
    to: `read the snapshots for ${path}`,
    because: "the runner wrote them in a form that is not known here",
    fix: "Use a version of vitest that package.json of twiceshy names as its peer",
  });
}

/** The line for one entry, in the runner's own form. */
export function scriptLine(key: string, value: string): string {
  return `exports[${backtick(key)}] = ${backtick(value)};`;
}

function backtick(text: string): string {
  if (!/`|\\|\$\{/.test(text)) return `\`${text}\``;
  return `\`${text.replaceAll(/`|\\|\$\{/g, String.raw`\$&`)}\``;
}

function unescape(text: string): string {
  return text.replaceAll(/\\([\s\S])/g, "$1");
}
