import { expect, test } from "vitest";
import { detect } from "../detector/detector.ts";
import { call, crash, traceOf } from "../testing/traces.ts";
import { toRepro } from "./convert.ts";
import { contentHash, isHandEdited, reproDigest } from "./hash.ts";
import type { Repro } from "./repro.ts";

const trace = traceOf([call("read", {}, "x".repeat(9000)), crash("boom", "KeyError")]);
const conversion = toRepro(trace, detect(trace), { agent: "bot" });
const { repro, blobs } = conversion as { repro: Repro; blobs: Record<string, unknown> };
const hash = (changed: Partial<Repro> = {}, by: object = blobs): string =>
  contentHash({ ...repro, ...changed }, by as never);

test("the content hash changes with everything that a replay is judged by", () => {
  const [key = ""] = Object.keys(blobs);
  expect(hash()).toMatch(/^[0-9a-f]{16}$/);
  expect(hash({ task: "other" })).not.toBe(hash());
  expect(hash({ cassette: [] })).not.toBe(hash());
  expect(hash({ checks: [] })).not.toBe(hash());
  expect(hash({ signatures: ["loop:x"] })).not.toBe(hash());
  expect(hash({ expected: { contains: "x" } })).not.toBe(hash());
  expect(hash({ outputSchema: {} })).not.toBe(hash());
  expect(hash({}, { [key]: { ok: true, data: "edited" } })).not.toBe(hash());
});

test("the content hash does not change with status, title, cluster, notes, count, source or other blobs", () => {
  const rest = {
    status: "confirmed",
    title: "t",
    cluster: "c",
    notes: "n",
    seen: 9,
    written: "w",
    source: { ...repro.source, trace: "x" },
  } as const;
  expect(hash(rest)).toBe(hash());
  expect(hash({}, { ...blobs, other: 1 })).toBe(hash());
});

test("an edit by hand is seen, a change of status, cluster or count is none", () => {
  expect(isHandEdited(repro)).toBe(false);
  expect(isHandEdited({ ...repro, status: "confirmed", cluster: "c2", seen: 4 })).toBe(false);
  expect(isHandEdited({ ...repro, checks: [] })).toBe(true);
  expect(isHandEdited({ ...repro, expected: { contains: "42" } })).toBe(true);
  expect(isHandEdited({ ...repro, notes: "looked at it" })).toBe(true);
});

test("a later success does not change the digest of the failed run", () => {
  const retry = { tool: "read", args: {}, from: "retry" } as const;
  expect(reproDigest("bot", { ...repro, cassette: [...repro.cassette, retry] })).toBe(
    reproDigest("bot", repro),
  );
});
