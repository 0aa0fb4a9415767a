import { sha256 } from "../shared/hash.ts";
import { canonical, type Json, type JsonObject } from "../shared/json.ts";
import type { Recording, Repro } from "./repro.ts";

/**
 * Identity of a failed run: 64 hex digits over agent, task, the failed run's recordings and the real signatures. A later
 * success does not change it. A repro's id is its first 8 digits, more where two in one file begin alike.
 */
export function reproDigest(
  agent: string,
  repro: Pick<Repro, "task" | "cassette" | "signatures">,
): string {
  const cassette = repro.cassette.filter((recording) => !isRetry(recording));
  // Members in order, here and below: so they need not be sorted.
  const content = { agent, cassette, signatures: repro.signatures, task: repro.task };
  return sha256(canonical(content as Json));
}

/** Digest of everything that a replay is judged by: 16 hex digits. A baseline entry holds for this content only. */
export function contentHash(repro: Repro, blobs: Readonly<Record<string, Json>> = {}): string {
  const used = repro.cassette.flatMap(({ blob }) => (blob === undefined ? [] : [blob]));
  const content = {
    blobs: [...new Set(used)]
      .sort()
      .map((key) => [key, Object.hasOwn(blobs, key) ? (blobs[key] ?? null) : null]),
    cassette: repro.cassette,
    checks: repro.checks,
    expected: repro.expected ?? null,
    ...(repro.limits === undefined ? {} : { limits: repro.limits }),
    outputSchema: repro.outputSchema ?? null,
    signatures: repro.signatures,
    task: repro.task,
  };
  return sha256(canonical(content as Json), 16);
}

/** Members that change without a person: the digest of what we wrote leaves them out. */
const KEPT_BY_US: ReadonlySet<string> = new Set(["written", "status", "cluster", "seen"]);

/** Digest of what was written by us; another one than `repro.written` says that a person edited the repro. */
export function writtenDigest(repro: Repro): string {
  const content = Object.fromEntries(
    Object.entries(repro).filter(([key, value]) => !KEPT_BY_US.has(key) && value !== undefined),
  );
  return sha256(canonical(content as JsonObject), 16);
}

/** Whether a person edited the repro since we wrote it; so it is when nothing is known. */
export function isHandEdited(repro: Repro): boolean {
  return repro.written !== writtenDigest(repro);
}

export function isRetry(recording: Recording): boolean {
  return recording.from === "retry";
}
