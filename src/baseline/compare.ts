import type { Verdict } from "../check/verdict.ts";
import type { ReproStatus } from "../repro/repro.ts";
import { byCodeUnit } from "../shared/json.ts";
import { oneLine } from "../shared/text.ts";
import type { BaselineEntry } from "./baseline.ts";

export interface DecideInput {
  readonly repro: { readonly id: string; readonly status: ReproStatus; readonly hash: string };
  /** What was accepted for this repro, when anything was. */
  readonly entry?: BaselineEntry | undefined;
  readonly now: { readonly verdict: Verdict; readonly signatures: readonly string[] };
  /** In CI nothing is ever written, whatever `update` says. */
  readonly ci: boolean;
  /** As the runner's snapshots: `new` writes what is new and better, `all` (`-u`) accepts what is there now. */
  readonly update: "none" | "new" | "all";
  readonly gate: "regression" | "any" | "none";
  /** Whether a pending repro can fail the run. */
  readonly unreviewed: "gate" | "report";
  /** Whether `-u` may also accept a fall from `passes`. */
  readonly acceptRegressions: boolean;
}

export interface Decision {
  readonly red: boolean;
  /** Fails and is green: shown as a known failure. */
  readonly known: boolean;
  /** What a reporter lists beside the result. */
  readonly listed?: "unreviewed" | "improved" | "needs review";
  /** The entry to write in place of the old one. */
  readonly write?: BaselineEntry;
  /** One line for a person: why, and what to do. */
  readonly message: string;
}

/** Where a repro stands against its entry, before gates and updates. */
type Standing =
  | "rejected"
  | "new pass"
  | "new failure"
  | "same pass"
  | "regression"
  | "known failure"
  | "other failure"
  | "improved"
  | "changed";

/** Judges a verdict against the baseline: the table "When a repro's test is red". Pure; the caller writes. */
export function decide(input: DecideInput): Decision {
  const standing = standingOf(input);
  if (standing === "rejected")
    return { red: false, known: false, message: "rejected: makes no test" };
  const write = accepted(input, standing);
  const red = isRed(input, standing, write !== undefined);
  const listed = listedAs(input, standing, write !== undefined);
  return {
    red,
    known: !red && input.now.verdict !== "passes",
    ...(listed === undefined ? {} : { listed }),
    ...(write === undefined ? {} : { write }),
    message: messageFor(input, standing, write !== undefined),
  };
}

function standingOf({ repro, entry, now }: DecideInput): Standing {
  if (repro.status === "rejected") return "rejected";
  const passes = now.verdict === "passes";
  if (entry === undefined) return passes ? "new pass" : "new failure";
  if (entry.hash !== repro.hash) return "changed";
  if (entry.verdict === "passes") return passes ? "same pass" : "regression";
  if (passes) return "improved";
  return sameFailure(entry, now) ? "known failure" : "other failure";
}

function sameFailure(entry: BaselineEntry, now: DecideInput["now"]): boolean {
  if (entry.verdict !== now.verdict) return false;
  // An entry of an earlier tool knows no signatures. We always write which one came back.
  if (entry.verdict === "still_fails" && entry.signatures === undefined) return true;
  return list(entry.signatures ?? []) === list(now.signatures);
}

function list(signatures: readonly string[]): string {
  return JSON.stringify([...new Set(signatures)].sort(byCodeUnit));
}

/** The entry that this run may write, if any. */
function accepted(input: DecideInput, standing: Standing): BaselineEntry | undefined {
  const { entry, now, repro } = input;
  if (input.ci || input.update === "none") return undefined;
  if (standing === "same pass" || standing === "known failure") return undefined;
  const better = standing === "new pass" || standing === "improved";
  const fall = entry?.verdict === "passes" && now.verdict !== "passes";
  if (!better && (input.update !== "all" || (fall && !input.acceptRegressions))) return undefined;
  const signatures = [...new Set(now.signatures)].sort(byCodeUnit);
  const keepsNote = entry?.note !== undefined && sameFailure(entry, now);
  return {
    verdict: now.verdict,
    hash: repro.hash,
    ...(now.verdict === "passes" || signatures.length === 0 ? {} : { signatures }),
    ...(keepsNote ? { note: entry.note } : {}),
  };
}

function isRed(input: DecideInput, standing: Standing, written: boolean): boolean {
  if (input.gate === "none") return false;
  if (standing === "changed")
    return !written || (input.gate === "any" && input.now.verdict !== "passes");
  if (input.repro.status === "pending" && input.unreviewed === "report") return false;
  if (input.gate === "any") return input.now.verdict !== "passes";
  const bad =
    standing === "new failure" || standing === "regression" || standing === "other failure";
  return bad && !written;
}

function listedAs(input: DecideInput, standing: Standing, written: boolean): Decision["listed"] {
  if (standing === "changed" && !written) return "needs review";
  if (input.repro.status === "pending" && input.unreviewed === "report") return "unreviewed";
  return standing === "improved" && !written ? "improved" : undefined;
}

const ACCEPT_FALL = "-u and TWICESHY_ACCEPT_REGRESSIONS=1 (--accept-regressions)";

interface Words {
  readonly before: string;
  readonly now: string;
  /** How to accept what is there now. */
  readonly accept: string;
}

/** Per standing: the sentence when nothing is written, and the one when the entry is. */
const SENTENCES: Readonly<
  Record<Standing, readonly [open: (words: Words) => string, written: (words: Words) => string]>
> = {
  rejected: [() => "rejected: makes no test", () => ""],
  "same pass": [() => "passes, as accepted", () => ""],
  "known failure": [({ now }) => `known failure: ${now}, as accepted`, () => ""],
  "new pass": [() => "passes, not in the baseline yet", () => "passes, now in the baseline"],
  improved: [
    ({ before }) =>
      `improved from ${before} to passes; the entry is stale: run once locally and commit the baseline`,
    ({ before }) => `improved from ${before} to passes, the baseline follows`,
  ],
  "new failure": [
    ({ now, accept }) => `new failure: ${now}. Fix the agent, or accept it with ${accept}`,
    ({ now }) => `new failure, accepted: ${now}`,
  ],
  regression: [
    ({ now, accept }) =>
      `regression: passed before, now ${now}. Fix the agent, or accept it with ${accept}`,
    ({ now }) => `regression, accepted: passed before, now ${now}`,
  ],
  "other failure": [
    ({ now, before, accept }) =>
      `another failure: ${now}; accepted was ${before}. Fix the agent, or accept it with ${accept}`,
    ({ now, before }) => `another failure, accepted: ${now} in place of ${before}`,
  ],
  changed: [
    ({ now, before, accept }) =>
      `changed, needs review: the repro is not the one that was accepted (${before} then, ${now} now). Read its diff, then accept it with ${accept}`,
    ({ now }) => `changed repro, accepted: ${now}`,
  ],
};

function messageFor({ entry, now }: DecideInput, standing: Standing, written: boolean): string {
  const [open, accepted] = SENTENCES[standing];
  const fall = entry?.verdict === "passes" && now.verdict !== "passes";
  const words = {
    before: entry === undefined ? "" : described(entry.verdict, entry.signatures ?? []),
    now: described(now.verdict, now.signatures),
    accept: fall ? ACCEPT_FALL : "-u",
  };
  return written ? accepted(words) : open(words);
}

function described(verdict: Verdict, signatures: readonly string[]): string {
  const names = [...new Set(signatures)]
    .sort(byCodeUnit)
    .map((signature) => oneLine(signature, 80));
  return verdict === "passes" || names.length === 0 ? verdict : `${verdict} (${names.join(", ")})`;
}
