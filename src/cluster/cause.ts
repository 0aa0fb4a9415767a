import type { Failure } from "../detector/detector.ts";
import { byCodeUnit } from "../shared/json.ts";
import { firstClass, normalize, type Normalized } from "./normalize.ts";
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
  "unknown_tool",
  "invalid_arguments",
  "ignored_error",
  "followed_injection",
  "timeout",
  "budget_exceeded",
  "malformed_output",
  "truncated_output",
  "refused",
  "loop",
  "no_progress",
  "self_contradiction",
  "duplicate_mutation",
  "unsupported_claim",
  "ungrounded_answer",
  "wrong_answer",
  "abandoned",
  "off_track",
];
/** Kinds whose messages quote what the agent said: a name in there is no field name. */
const PROSE = new Set([
  "followed_injection",
  "budget_exceeded",
  "refused",
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

/** Tells the cause of a run by its failures; a message that came before is not read again, and its cause is the same object. */
export function causes(): (failures: readonly ClusterFailure[]) => Cause {
  const read = new Map<string, Read>();
  const gateOf = gates();
  return (failures) => {
    const failure = primary(failures);
    if (failure === undefined)
      return { failure, shown: undefined, gate: "", place: undefined, text: "" };
    const { message, tool } = failure;
    let known = read.get(message);
    while (known !== undefined && !isAlike(known.failure, failure)) known = known.next;
    if (known === undefined) {
      const { text, literals } = readMessage(failure);
      const gate = gateOf(failure.signature, literals);
      known = { failure, shown: failure, gate, place: tool, text, next: read.get(message) };
      read.set(message, known);
    }
    const loop = failure.kind === "timeout" ? failures.find(isLoop) : undefined;
    return loop === undefined
      ? known
      : { ...known, failure, shown: loop, place: tool ?? loop.tool };
  };
}

interface Read extends Cause {
  readonly failure: ClusterFailure;
  /** The same message of another failure. */
  readonly next: Read | undefined;
}

/** Whether failures with equal messages are one cause. */
function isAlike(a: ClusterFailure, b: ClusterFailure): boolean {
  return a.signature === b.signature && a.kind === b.kind && a.tool === b.tool;
}

function isLoop({ kind }: ClusterFailure): boolean {
  return kind === "loop" || kind === "no_progress";
}

/** Gates without literals are most, and few are different. */
function gates(): (signature: string, literals: readonly string[]) => string {
  const bare = new Map<string, string>();
  return (signature, literals) => {
    if (literals.length > 0) return JSON.stringify([signature, literals]);
    const known = bare.get(signature);
    if (known !== undefined) return known;
    const gate = JSON.stringify([signature, literals]);
    bare.set(signature, gate);
    return gate;
  };
}

function readMessage({ kind, message, tool }: ClusterFailure): Normalized {
  const prose = PROSE.has(kind);
  const { text, literals } = normalize(message, { keep: prose ? "nothing" : "names" });
  // Only of one tool: two services that time out are two causes.
  const hasClass = literals.some((literal) => literal.startsWith("<"));
  const named = tool === undefined || !hasClass ? undefined : firstClass(text);
  const decisive = named !== undefined && isDecisive(named);
  return decisive ? { text: named, literals: [named] } : { text, literals };
}
