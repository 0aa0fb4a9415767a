import type { CheckResult, Failure, Json, Miss, ReplayResult } from "../src/runtime.ts";
import { canonical } from "../src/shared/json.ts";
import { oneLine } from "../src/shared/text.ts";
import type { Trial } from "../src/workflow/trial-result.ts";
import { trialMessage } from "./trial-message.ts";

const SHOWN = 5;
const WIDTH = 160;

/** The parts of every matcher message; each is one line, whatever the trace says. */
export interface MessageParts {
  /** The hint line: `toPassChecks()`. */
  readonly call: string;
  readonly expected: string;
  readonly received: string;
  /** Not shown for a trial, which has its own. */
  readonly evidence?: readonly string[];
  readonly trial?: Trial | undefined;
}

/** Hint, expected, received, evidence; a trial's evidence where one was given. Text of a trace can neither add a line nor a control character. */
export function message(parts: MessageParts): string {
  const { trial, call, expected, received } = parts;
  if (trial !== undefined) {
    return trialMessage(trial, { call: `expect(trial).${call}`, expected, received });
  }
  const lines = [
    `expect(received).${oneLine(call, WIDTH)}`,
    "",
    `Expected: ${oneLine(expected, 2 * WIDTH)}`,
    `Received: ${oneLine(received, 2 * WIDTH)}`,
  ];
  const evidence = parts.evidence ?? [];
  if (evidence.length === 0) return lines.join("\n");
  return [...lines, "", ...evidence.map((line) => `  - ${oneLine(line, 2 * WIDTH)}`)].join("\n");
}

/** A value in one short line. */
export function show(value: Json | undefined): string {
  return value === undefined ? "nothing" : oneLine(canonical(value), WIDTH);
}

/** What stands behind a verdict: failures, misses, refused network, failed checks. */
export function evidenceOf(result: ReplayResult): string[] {
  return [
    ...some(
      result.failures
        .filter((found) => found.severity !== "low")
        .map((found) => failureLine(found)),
    ),
    ...some(result.misses.flatMap((miss) => missLines(miss))),
    ...some(result.blocked.map((call) => blockedLine(call))),
    // What these two look at stands above already.
    ...some(failedChecks(result.checks.filter(({ check }) => !/^no_failures?$/.test(check.type)))),
  ];
}

/** One line for a failure: `tool_error:refund at step 4: card closed`. */
export function failureLine(found: Failure): string {
  const place = found.step === undefined ? "" : ` at step ${found.step}`;
  return `${found.signature}${place}: ${found.message}`;
}

/** One line for each check that does not hold. */
export function failedChecks(checks: readonly CheckResult[]): string[] {
  return checks
    .filter((check) => !check.passed)
    .map(({ check, message }) => `check ${checkLine(check)} does not hold: ${message}`);
}

/** A check in one line: `tool_called {"name":"refund"}`. */
function checkLine({ type, ...fields }: CheckResult["check"]): string {
  const known = Object.fromEntries(
    Object.entries(fields).filter((field): field is [string, Json] => field[1] !== undefined),
  );
  return Object.keys(known).length === 0 ? type : `${type} ${show(known)}`;
}

/** The calls that the cassette could not answer, each with the recorded call most like it. */
export function missLines(miss: Miss): string[] {
  const asked = `no recorded answer for ${miss.tool}(${show(miss.args)}) at step ${miss.step}`;
  if (miss.nearest === undefined)
    return [`${asked}: the tool was never recorded with like arguments`];
  const { pointer, recorded, asked: value } = miss.nearest;
  const place = pointer === "" ? "the arguments are" : `${pointer} is`;
  return [
    asked,
    `nearest recorded call: ${place} ${show(recorded)} in the recording, ${show(value)} now`,
  ];
}

/** The first few lines, and how many were left out. */
export function some(lines: readonly string[]): string[] {
  if (lines.length <= SHOWN) return [...lines];
  return [...lines.slice(0, SHOWN), `and ${lines.length - SHOWN} more`];
}

function blockedLine(call: ReplayResult["blocked"][number]): string {
  return `live network refused: ${call.host}${call.tool === undefined ? "" : ` (in ${call.tool})`}`;
}
