import type { Judged, OffTrack, Unjudged } from "../generate/judge-stored.ts";
import { oneLine } from "../shared/text.ts";
import { EXIT } from "./command.ts";
import { colours, type Io, note, say } from "./io.ts";
import { counted } from "./table.ts";

const MOST_SHOWN = 20;

/** Prints what a judge found, and which traces it did not judge; in full what it alone found, when nothing else is asked for. */
export function printJudged(io: Io, judged: Judged, shown?: readonly OffTrack[]): void {
  const { dim, red } = colours(io);
  const alone = judged.offTrack.filter(({ failing }) => !failing);
  const listed = shown ?? alone;
  for (const one of listed.slice(0, MOST_SHOWN))
    say(io, (one.failure.severity === "low" ? dim : red)(lineOf(one)));
  const more = listed.length - MOST_SHOWN;
  if (more > 0) say(io, dim(`and ${more} more off track; --json has them all`));
  const counts = alone.filter(({ failure }) => failure.severity !== "low").length;
  const effect = judged.gate
    ? "; each counts as failing, and its repro waits for an expected answer"
    : "; listed only: no repro is made of what a model alone says (judge.gate)";
  const others = judged.offTrack.length - alone.length;
  const seen = `${counts} off track that no detector found${others === 0 ? "" : ` (and ${others} that one did)`}`;
  const traces = `${counted(judged.traces, "trace")} judged by ${oneLine(judged.model, 80)}`;
  say(io, `${traces}: ${seen}${counts === 0 ? "" : effect}`);
  printUnjudged(io, judged.unjudged);
}

/** Says which traces were not judged, and why. */
export function printUnjudged(io: Io, { problems }: Unjudged): void {
  const { yellow } = colours(io, io.stderr);
  for (const { traces, message, code } of problems)
    note(
      io,
      yellow(
        `unjudged ${counted(traces, "trace")} not judged, so neither on track nor off: ${oneLine(message, 600)} [${code}]`,
      ),
    );
}

/** A trace that was not judged is neither a pass nor a failure. */
export function unjudgedCode({ traces }: Unjudged): number {
  return traces > 0 ? EXIT.incomplete : EXIT.passed;
}

function lineOf({ trace, failing, failure: { severity, step, message } }: OffTrack): string {
  const at = step === undefined ? "" : ` at step ${step}`;
  const known = failing ? " (a detector found the trace failing, too)" : "";
  return `${severity.padEnd(6)} off_track in ${oneLine(trace, 80)}${at}: ${oneLine(message, 320)}${known}`;
}
