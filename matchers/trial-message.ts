import { brief } from "../src/check/brief.ts";
import { sayFault } from "../src/fault/words.ts";
import type { FaultOutcome } from "../src/fault/fault.ts";
import { oneLine } from "../src/shared/text.ts";
import type { ToolResult } from "../src/runtime.ts";
import type { Trial, TrialEvent } from "../src/workflow/trial-result.ts";

/** What was asked of a trial, and what came of it. */
export interface TrialMessageParts {
  /** The hint line, as the test wrote it: `expect(trial).toHaveExactlyOneMutation()`. */
  readonly call: string;
  readonly expected: string;
  readonly received: string;
}

type Mutation = Trial["mutations"][number];
type Change = Mutation["changes"][number];

const SHOWN = 6;
const CHANGES = 3;
const WIDTH = 160;
/** Room for the longest heading. */
const HEADING = 11;

/**
 * Why a test of a trial failed, in a few lines: what was asked, the schedule in words, what was committed, what the agent was told, what
 * it said, and the calls that prove it. Text of the run adds neither a line nor a control character.
 */
export function trialMessage(
  trial: Trial,
  { call, expected, received }: TrialMessageParts,
): string {
  const proof = proofOf(trial);
  return [
    oneLine(call, WIDTH),
    "",
    `Expected: ${oneLine(expected, 2 * WIDTH)}`,
    `Received: ${oneLine(received, 4 * WIDTH)}`,
    "",
    ...section("fault", trial.faults.length === 0 ? ["none"] : trial.faults.map(faultLine)),
    ...section("committed", committed(trial.mutations)),
    ...section("told", told(proof)),
    ...section("said", [saidLine(trial)]),
    ...(trial.issue === undefined
      ? []
      : section("ended", [`${trial.issue.code}: ${oneLine(trial.issue.message, 2 * WIDTH)}`])),
    ...section("calls", callLines(proof)),
    ...section(
      "note",
      trial.notes.map((note) => oneLine(note, 2 * WIDTH)),
    ),
  ].join("\n");
}

/** The faults that did not happen, in one sentence for every failing message; nothing when all did. */
export function unreachedFaults({ faults }: Trial): string | undefined {
  const missed = faults.filter(({ reached }) => !reached);
  if (missed.length === 0) return undefined;
  return `not reached: ${missed.map(({ fault }) => sayFault(fault)).join(", ")}`;
}

function section(heading: string, lines: readonly string[]): string[] {
  const some =
    lines.length <= SHOWN ? lines : [...lines.slice(0, SHOWN), `and ${lines.length - SHOWN} more`];
  return some.map((line, at) => `  ${(at === 0 ? heading : "").padEnd(HEADING)}${line}`);
}

function faultLine({ fault, reached, count, waitedFor }: FaultOutcome): string {
  const words = oneLine(sayFault(fault), WIDTH);
  if (reached) return count > 1 ? `${words} (${count} times)` : words;
  return `NOT REACHED: ${words}${waitedFor === undefined ? "" : `; ${oneLine(waitedFor, 2 * WIDTH)}`}`;
}

function committed(mutations: readonly Mutation[]): string[] {
  if (mutations.length === 0) return ["nothing"];
  const lines = mutations.map(mutationLine);
  return lines.length === 1 ? lines : [`${lines.length} mutations`, ...lines];
}

function mutationLine({ callId, tool, changes, by }: Mutation): string {
  const who = by === "rival" ? `another client, at ${oneLine(callId, 40)},` : oneLine(callId, 40);
  const shown = changes.slice(0, CHANGES).map(changeText);
  const more = changes.length - shown.length;
  const rest = more > 0 ? `, and ${more} more` : "";
  return `${who} ${oneLine(tool, 60)} ${shown.join(", ")}${rest}`;
}

function changeText({ path, before, after }: Change): string {
  const place = path === "" ? "the state" : oneLine(path, 80);
  if (before === undefined) return `added ${place} ${brief(after, 100)}`;
  if (after === undefined) return `removed ${place} ${brief(before, 100)}`;
  return `changed ${place} from ${brief(before, 60)} to ${brief(after, 60)}`;
}

/** A call with all that the evidence holds about it. */
interface Proof {
  readonly call: TrialEvent & { readonly kind: "call" };
  result?: ToolResult;
  hidden?: ToolResult;
  /** Whether a fault happened to it. */
  hit: boolean;
  committed: boolean;
  cancelled: boolean;
}

function proofOf({ events }: Trial): readonly Proof[] {
  const byId = new Map<string, Proof>();
  for (const event of events) {
    if (event.kind === "call") {
      const proof = { call: event, hit: false, committed: false, cancelled: false };
      byId.set(event.callId, proof);
      continue;
    }
    const proof =
      "callId" in event && event.callId !== undefined ? byId.get(event.callId) : undefined;
    if (proof === undefined) continue;
    if (event.kind === "result") proof.result = event.result;
    if (event.kind === "hidden") proof.hidden = event.result;
    if (event.kind === "fault") proof.hit = true;
    if (event.kind === "mutation") proof.committed = true;
    if (event.kind === "cancelled") proof.cancelled = true;
  }
  return [...byId.values()];
}

/** What the agent was told, where it was an error or not the truth. */
function told(proofs: readonly Proof[]): string[] {
  const telling = proofs.filter(
    ({ result, hidden, hit }) => hidden !== undefined || hit || result?.ok === false,
  );
  if (telling.length > 0) return telling.map(toldLine);
  return [proofs.length === 0 ? "nothing: no tool was called" : "no error, and nothing untrue"];
}

function toldLine({ call, result, hidden, cancelled }: Proof): string {
  const heard =
    result === undefined ? (cancelled ? "nothing (cancelled)" : "nothing") : resultText(result);
  const truth = hidden === undefined ? "" : ` (really: ${resultText(hidden)})`;
  return `${oneLine(call.callId, 40)} ${oneLine(call.tool, 60)} -> ${heard}${truth}`;
}

function resultText(result: ToolResult): string {
  if (result.ok) return `ok ${brief(result.data, 100)}`;
  const { code, name, message } = result.error;
  return oneLine(String(code ?? name ?? message), 100);
}

function saidLine({ completion }: Trial): string {
  if (completion === undefined) return "nothing";
  const { status, message, output } = completion;
  // A value that is no completion is its own message.
  const more =
    output === undefined || brief(output) === brief(message) || brief(output) === message
      ? ""
      : ` ${brief(output, 100)}`;
  return `${status}: ${brief(message, WIDTH)}${more}`;
}

/** The calls that committed something or that a fault hit; all of them when none did. */
function callLines(proofs: readonly Proof[]): string[] {
  if (proofs.length === 0) return ["none"];
  const telling = proofs.filter(({ committed, hit, hidden }) => committed || hit || hidden);
  const shown = telling.length > 0 ? telling : proofs;
  const lines = shown.map(
    ({ call }) =>
      `${oneLine(call.callId, 40)} ${oneLine(call.tool, 60)}(${call.args === null ? "" : brief(call.args, 120)})`,
  );
  const rest = proofs.length - shown.length;
  return rest > 0 ? [...lines, `(of ${proofs.length} calls)`] : lines;
}
