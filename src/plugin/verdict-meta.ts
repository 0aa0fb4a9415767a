import type { Decision, ReplayResult, Verdict } from "../runtime.ts";
import { isVerdict } from "../check/verdict.ts";
import { isObject } from "../shared/json.ts";
import { oneLine } from "../shared/text.ts";

/** What a test leaves for reporters (in Vitest as `task.meta.twiceshy`): plain data, every text printable on one line. */
export interface VerdictMeta {
  readonly repro: string;
  readonly agent: string;
  readonly verdict: Verdict;
  readonly reason: string;
  readonly signatures: readonly string[];
  /** Green although it fails. */
  readonly known: boolean;
  readonly red: boolean;
  /** Whether an accepted `passes` was lost. */
  readonly regressed: boolean;
  /** Why the reporter lists it, beside being known. */
  readonly listed?: "unreviewed" | "improved" | "needs review";
  /** The baseline's sentence: why, and what to do. */
  readonly message: string;
}

export function verdictMeta(
  result: ReplayResult,
  about: { readonly decision: Decision; readonly regressed: boolean },
): VerdictMeta {
  const { decision, regressed } = about;
  return {
    repro: result.repro.id ?? "",
    agent: oneLine(result.trace.agent, 80),
    verdict: result.verdict,
    reason: oneLine(result.reason, 300),
    signatures: result.signatures.map((signature) => oneLine(signature, 80)),
    known: decision.known,
    red: decision.red,
    regressed,
    ...(decision.listed === undefined ? {} : { listed: decision.listed }),
    message: oneLine(decision.message, 300),
  };
}

/** Reads it back; another process or an older version may have written it. */
export function verdictIn(meta: unknown): VerdictMeta | undefined {
  const kept = isObject(meta) ? meta["twiceshy"] : undefined;
  return isObject(kept) && isVerdict(kept["verdict"]) && typeof kept["repro"] === "string"
    ? (kept as unknown as VerdictMeta)
    : undefined;
}
