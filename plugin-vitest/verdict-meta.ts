import type { Decision, ReplayResult, Verdict } from "../src/runtime.ts";
import { isVerdict } from "../src/check/verdict.ts";
import { isObject } from "../src/shared/json.ts";
import { oneLine } from "../src/shared/text.ts";

/** What a test leaves in `task.meta.twiceshy` for reporters: plain data, every text printable on one line. */
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

declare module "vitest" {
  interface TaskMeta {
    twiceshy?: VerdictMeta;
  }
}

export function record(
  meta: object,
  result: ReplayResult,
  about: { readonly decision: Decision; readonly regressed: boolean },
): void {
  const { decision, regressed } = about;
  const kept: VerdictMeta = {
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
  Reflect.set(meta, "twiceshy", kept);
}

/** Reads it back; another process or an older version may have written it. */
export function verdictIn(meta: unknown): VerdictMeta | undefined {
  const kept = isObject(meta) ? meta["twiceshy"] : undefined;
  return isObject(kept) && isVerdict(kept["verdict"]) && typeof kept["repro"] === "string"
    ? (kept as unknown as VerdictMeta)
    : undefined;
}
