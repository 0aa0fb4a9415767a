import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { VERDICTS } from "../check/verdict.ts";
import { journalOf, journalRun, takeWaiting, waitingRuns } from "./journal.ts";
import { openStore, type Run } from "./store.ts";

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "twiceshy-journal-"));
  path = join(folder, "twiceshy.db");
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const run: Run = {
  agent: "desk",
  agentVersion: "1.2.0",
  at: 1_700_000_000_000,
  verdicts: [{ repro: "3f2a91c4", verdict: "passes", regressed: false, reason: "no failure" }],
};
const anyRun: fc.Arbitrary<Run> = fc.record({
  agent: fc.string({ unit: "binary" }),
  agentVersion: fc.string(),
  at: fc.nat({ max: 2 ** 42 }),
  verdicts: fc.array(
    fc.record({
      repro: fc.string({ unit: "binary" }),
      verdict: fc.constantFrom(...VERDICTS),
      regressed: fc.boolean(),
      reason: fc.string({ unit: "binary" }),
    }),
  ),
});

test("what is handed over is what was kept, in the order of the times, and only once", () => {
  fc.assert(
    fc.property(fc.array(anyRun, { maxLength: 5 }), (runs) => {
      const store = join(mkdtempSync(join(folder, "run-")), "store.db");
      for (const one of runs) journalRun(store, one);
      expect(waitingRuns(store)).toBe(runs.length);
      const taken: Run[] = [];
      takeWaiting(store, (found) => taken.push(...found));
      expect(taken.map(({ at }) => at)).toEqual(runs.map(({ at }) => at).toSorted((a, b) => a - b));
      expect(new Set(taken.map((one) => JSON.stringify(one)))).toEqual(
        new Set(runs.map((one) => JSON.stringify(one))),
      );
      takeWaiting(store, () => expect.unreachable());
      expect(waitingRuns(store)).toBe(0);
    }),
    { numRuns: 30 },
  );
});

test("a store hands out the runs that waited beside it, newest first, and takes none twice", () => {
  journalRun(path, run);
  const store = openStore(path);
  try {
    store.addRun({ ...run, agentVersion: "1.1.0", at: run.at - 1 });
    expect(store.runs().map(({ agentVersion }) => agentVersion)).toEqual(["1.2.0", "1.1.0"]);
    expect(store.stats().latestRun).toEqual(run);
    // As after a process that ended between taking a run and forgetting its file.
    journalRun(path, run);
    expect(store.runs()).toHaveLength(2);
  } finally {
    store.close();
  }
});

test("a file that holds no run stays, and hides no other", () => {
  journalRun(path, run);
  const stray = join(journalOf(path), "1700000000001-0123456789ab.json");
  for (const text of [
    "",
    "{",
    "{}",
    '{"formatVersion":2}',
    '{"formatVersion":1,"agent":"a","agentVersion":"1","at":1,"verdicts":[["id","well",false,""]]}',
  ]) {
    writeFileSync(stray, text);
    const taken: Run[] = [];
    takeWaiting(path, (runs) => taken.push(...runs));
    expect(readdirSync(journalOf(path))).toEqual(["1700000000001-0123456789ab.json"]);
    journalRun(path, run);
    expect(taken).toEqual([run]);
  }
});

test("what cannot be taken waits on", () => {
  journalRun(path, run);
  expect(() =>
    takeWaiting(path, () => {
      throw new Error("the store is locked");
    }),
  ).toThrow("locked");
  expect(waitingRuns(path)).toBe(1);
});

test("a store without a journal has no runs, and no folder is made for them", () => {
  takeWaiting(path, () => expect.unreachable());
  expect(waitingRuns(path)).toBe(0);
  expect(readdirSync(folder)).toEqual([]);
});
