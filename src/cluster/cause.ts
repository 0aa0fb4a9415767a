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
  "followed_injection",
  "timeout",
  "malformed_output",
  "truncated_output",
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
  "followed_injection",
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
  if (failures.length < 2) return failures[0];
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

/** Tells the cause of a run by its failures; a message that came before is not read again. */
export function causes(): (failures: readonly ClusterFailure[]) => Cause {
  const read = new Map<string, Read[]>();
  return (failures) => {
    const failure = primary(failures);
    if (failure === undefined)
      return { failure, shown: undefined, gate: "", place: undefined, text: "" };
    const before = read.get(failure.message) ?? [];
    let known = before.find((each) => isAlike(each.failure, failure));
    if (known === undefined) {
      known = { failure, ...readMessage(failure) };
      if (before.push(known) === 1) read.set(failure.message, before);
    }
    const { gate, text } = known;
    const loop =
      failure.kind === "timeout"
        ? failures.find(({ kind }) => kind === "loop" || kind === "no_progress")
        : undefined;
    return { failure, shown: loop ?? failure, gate, place: failure.tool ?? loop?.tool, text };
  };
}

interface Read extends Pick<Cause, "gate" | "text"> {
  readonly failure: ClusterFailure;
}

/** Whether equal messages of two failures are read alike. */
function isAlike(a: ClusterFailure, b: ClusterFailure): boolean {
  return (
    a.signature === b.signature &&
    a.kind === b.kind &&
    (a.tool === undefined) === (b.tool === undefined)
  );
}

function readMessage({
  kind,
  signature,
  message,
  tool,
}: ClusterFailure): Pick<Cause, "gate" | "text"> {
  const prose = PROSE.has(kind);
  const { text, literals } = normalize(message, { keep: prose ? "nothing" : "names" });
  // Only of one tool: two services that time out are two causes.
  const named = tool === undefined || prose ? undefined : firstClass(text);
  const decisive = named !== undefined && isDecisive(named);
  return {
    gate: JSON.stringify([signature, decisive ? [named] : literals]),
    text: decisive ? named : text,
  };
}
