import type { Failure } from "../detector/detector.ts";
import { byCodeUnit } from "../shared/json.ts";
import { firstClass, normalize } from "./normalize.ts";
import { isDecisive } from "./synonyms.ts";

/** What clustering reads of a failure; the failures of a trace and of a repro both have it. */
export interface ClusterFailure extends Pick<
  Failure,
  "kind" | "severity" | "signature" | "message"
> {
  readonly step?: number | undefined;
  readonly tool?: string | undefined;
}

/** Why a run failed, as far as its failures tell. Items of one cause have equal `gate` and alike `text`. */
export interface Cause {
  readonly failure: ClusterFailure | undefined;
  /** What a person is shown: a loop tells more than the budget that it used up. */
  readonly shown: ClusterFailure | undefined;
  /** What must be equal: signature and literals. */
  readonly gate: string;
  /** Where a failure of the whole run shows itself, when another finding tells. */
  readonly place: string | undefined;
  readonly text: string;
}

/** Nearest to the cause first: what comes later in the list is often only a consequence of what comes before. */
const ROOT_FIRST = [
  "exception",
  "tool_error",
  "timeout",
  "malformed_output",
  "loop",
  "no_progress",
  "self_contradiction",
  "unsupported_claim",
  "ungrounded_answer",
  "wrong_answer",
  "abandoned",
  "off_track",
];
/** Kinds whose messages quote what the agent said: a name in there is no field name. */
const PROSE = new Set([
  "loop",
  "no_progress",
  "self_contradiction",
  "unsupported_claim",
  "ungrounded_answer",
  "wrong_answer",
  "abandoned",
  "off_track",
]);

/** The failure that stands for the cause of a run: further findings beside it change nothing. */
export function primary(failures: readonly ClusterFailure[]): ClusterFailure | undefined {
  const real = failures.filter((failure) => failure.severity !== "low");
  return [...(real.length > 0 ? real : failures)].sort(
    (a, b) =>
      rank(a) - rank(b) ||
      (a.step ?? Infinity) - (b.step ?? Infinity) ||
      byCodeUnit(a.signature, b.signature) ||
      byCodeUnit(a.message, b.message),
  )[0];
}

function rank({ kind }: ClusterFailure): number {
  const place = ROOT_FIRST.indexOf(kind);
  return place === -1 ? ROOT_FIRST.length : place;
}

/** The cause of a run by its failures. */
export function causeOf(failures: readonly ClusterFailure[]): Cause {
  const failure = primary(failures);
  if (failure === undefined) {
    return { failure, shown: undefined, gate: "", place: undefined, text: "" };
  }
  const prose = PROSE.has(failure.kind);
  const { text, literals } = normalize(failure.message, { keep: prose ? "nothing" : "names" });
  const loop =
    failure.kind === "timeout"
      ? failures.find(({ kind }) => kind === "loop" || kind === "no_progress")
      : undefined;
  const place = failure.tool ?? loop?.tool;
  // Only of one tool: two services that time out are two causes.
  const named = failure.tool === undefined || prose ? undefined : firstClass(text);
  const decisive = named !== undefined && isDecisive(named);
  return {
    failure,
    shown: loop ?? failure,
    gate: JSON.stringify([failure.signature, decisive ? [named] : literals]),
    place,
    text: decisive ? named : text,
  };
}
