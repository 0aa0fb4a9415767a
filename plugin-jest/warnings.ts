import { lineOf, type Row } from "../src/plugin/section.ts";
import { oneLine } from "../src/shared/text.ts";

/** Workflow commands of GitHub for green tests with something to say; Jest's own reporter for it knows only failures. */
export function warningsOf(rows: readonly Row[]): string[] {
  return rows
    .filter(({ verdict }) => !verdict.red && (verdict.known || verdict.listed !== undefined))
    .map(({ file, path, verdict }) => {
      const line = lineOf(path, verdict.repro);
      const place = `file=${property(file)}${line === undefined ? "" : `,line=${line}`}`;
      return `::warning ${place}::${data(oneLine(verdict.message, 300))}`;
    });
}

function data(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function property(text: string): string {
  return data(oneLine(text)).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
