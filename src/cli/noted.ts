import type { Ingested, Noted } from "../generate/ingest.ts";
import { oneLine } from "../shared/text.ts";

const MOST_NOTICES = 20;

/** One line for each record that could not be read: place, code, reason; notices are cut when there are many. */
export function notedLines(
  read: Pick<Ingested, "broken" | "skipped" | "warnings">,
  { red, yellow, dim }: Paint,
): string[] {
  const notices = [
    ...read.skipped.map((one) => dim(`skipped  ${lineOf(one)}`)),
    ...read.warnings.map((one) => yellow(`odd      ${lineOf(one)}`)),
  ];
  const more = notices.length - MOST_NOTICES;
  return [
    ...read.broken.map((one) => red(`broken   ${lineOf(one)}`)),
    ...notices.slice(0, MOST_NOTICES),
    ...(more > 0 ? [dim(`and ${more} more notices; --json has them all`)] : []),
  ];
}

interface Paint {
  readonly red: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly dim: (text: string) => string;
}

/** Problems name their place themselves; a warning has it put before it. */
function lineOf({ file, line, record, code, message }: Noted): string {
  if (code !== undefined) return `${oneLine(message, 600)} [${code}]`;
  return `${oneLine(file, 300)}${line === undefined ? `, record ${record}` : `:${line}`}: ${oneLine(message, 300)}`;
}
