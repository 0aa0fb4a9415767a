import * as fc from "fast-check";
import { expect, test } from "vitest";
import { VERDICTS, type Verdict } from "../check/verdict.ts";
import type { BaselineEntry } from "./baseline.ts";
import { decide, type DecideInput } from "./compare.ts";

/** The table "When a repro's test is red", row by row: status, entry, verdict now, local run, CI run. */
interface Row {
  readonly status: "confirmed" | "pending" | "rejected";
  readonly entry: "none" | "passes" | "a failure" | "of other content";
  readonly now: "passes" | "the accepted failure" | "another failure";
  readonly local: string;
  readonly ci: string;
}

const TABLE: readonly Row[] = [
  { status: "confirmed", entry: "none", now: "passes", local: "green, entry written", ci: "green" },
  { status: "confirmed", entry: "none", now: "another failure", local: "red", ci: "red" },
  { status: "confirmed", entry: "passes", now: "passes", local: "green", ci: "green" },
  { status: "confirmed", entry: "passes", now: "another failure", local: "red", ci: "red" },
  {
    status: "confirmed",
    entry: "a failure",
    now: "the accepted failure",
    local: "green, known",
    ci: "green, known",
  },
  { status: "confirmed", entry: "a failure", now: "another failure", local: "red", ci: "red" },
  {
    status: "confirmed",
    entry: "a failure",
    now: "passes",
    local: "green, entry written",
    ci: "green, improved",
  },
  {
    status: "confirmed",
    entry: "of other content",
    now: "passes",
    local: "red, needs review",
    ci: "red, needs review",
  },
  {
    status: "confirmed",
    entry: "of other content",
    now: "the accepted failure",
    local: "red, needs review",
    ci: "red, needs review",
  },
  {
    status: "confirmed",
    entry: "of other content",
    now: "another failure",
    local: "red, needs review",
    ci: "red, needs review",
  },
  {
    status: "pending",
    entry: "none",
    now: "passes",
    local: "green, entry written",
    ci: "green, unreviewed",
  },
  {
    status: "pending",
    entry: "none",
    now: "another failure",
    local: "red",
    ci: "green, known, unreviewed",
  },
  { status: "pending", entry: "passes", now: "passes", local: "green", ci: "green, unreviewed" },
  {
    status: "pending",
    entry: "passes",
    now: "another failure",
    local: "red",
    ci: "green, known, unreviewed",
  },
  {
    status: "pending",
    entry: "a failure",
    now: "the accepted failure",
    local: "green, known",
    ci: "green, known, unreviewed",
  },
  {
    status: "pending",
    entry: "a failure",
    now: "another failure",
    local: "red",
    ci: "green, known, unreviewed",
  },
  {
    status: "pending",
    entry: "a failure",
    now: "passes",
    local: "green, entry written",
    ci: "green, unreviewed",
  },
  {
    status: "pending",
    entry: "of other content",
    now: "passes",
    local: "red, needs review",
    ci: "red, needs review",
  },
  { status: "rejected", entry: "none", now: "another failure", local: "green", ci: "green" },
];

const ACCEPTED: BaselineEntry = {
  verdict: "still_fails",
  hash: "h1",
  signatures: ["loop:search", "timeout"],
};
const ENTRIES: Record<Row["entry"], BaselineEntry | undefined> = {
  none: undefined,
  passes: { verdict: "passes", hash: "h1" },
  "a failure": ACCEPTED,
  "of other content": { ...ACCEPTED, hash: "h0" },
};
const NOW: Record<Row["now"], DecideInput["now"]> = {
  passes: { verdict: "passes", signatures: [] },
  "the accepted failure": { verdict: "still_fails", signatures: ["timeout", "loop:search"] },
  "another failure": { verdict: "fails_differently", signatures: ["exception:TypeError"] },
};

function input(over: Partial<DecideInput> = {}): DecideInput {
  const ci = over.ci ?? false;
  return {
    repro: { id: "3f2a91c4", status: "confirmed", hash: "h1" },
    now: NOW.passes,
    ci,
    update: ci ? "none" : "new",
    gate: "regression",
    unreviewed: ci ? "report" : "gate",
    acceptRegressions: false,
    ...over,
  };
}

function described(of: DecideInput): string {
  const { red, known, listed, write } = decide(of);
  return [
    red ? "red" : "green",
    known ? "known" : "",
    listed ?? "",
    write === undefined ? "" : "entry written",
  ]
    .filter((part) => part !== "")
    .join(", ");
}

for (const [index, row] of TABLE.entries()) {
  for (const place of ["local", "ci"] as const) {
    test(`row ${String(index + 1)}: ${row.status}, entry ${row.entry}, now ${row.now}: ${place} ${row[place]}`, () => {
      const repro = { id: "3f2a91c4", status: row.status, hash: "h1" };
      const entry = ENTRIES[row.entry];
      expect(described(input({ repro, entry, now: NOW[row.now], ci: place === "ci" }))).toBe(
        row[place],
      );
    });
  }
}

const anyEntry = fc.option(
  fc.record({
    verdict: fc.constantFrom(...VERDICTS),
    hash: fc.constantFrom("h0", "h1"),
    signatures: fc.subarray(["a", "b"]),
  }),
  { nil: undefined },
);
const anyInput: fc.Arbitrary<DecideInput> = fc.record({
  repro: fc.record({
    id: fc.constant("3f2a91c4"),
    status: fc.constantFrom("pending", "confirmed", "rejected"),
    hash: fc.constant("h1"),
  }),
  entry: anyEntry,
  now: fc.record({ verdict: fc.constantFrom(...VERDICTS), signatures: fc.subarray(["a", "b"]) }),
  ci: fc.boolean(),
  update: fc.constantFrom("none", "new", "all"),
  gate: fc.constantFrom("regression", "any", "none"),
  unreviewed: fc.constantFrom("gate", "report"),
  acceptRegressions: fc.boolean(),
});

test("in CI nothing is ever written, whatever the flags", () => {
  fc.assert(
    fc.property(anyInput, (of) => {
      expect(decide({ ...of, ci: true }).write).toBeUndefined();
    }),
  );
});

test("a verdict never falls from passes by -u alone", () => {
  fc.assert(
    fc.property(anyInput, (of) => {
      const { write } = decide({
        ...of,
        entry: { verdict: "passes", hash: "h1" },
        acceptRegressions: false,
      });
      expect(write?.verdict ?? "passes").toBe("passes");
    }),
  );
});

test("what was written is accepted by the next run", () => {
  fc.assert(
    fc.property(anyInput, (of) => {
      const { write } = decide(of);
      fc.pre(write !== undefined && of.gate === "regression");
      const next = decide({ ...of, entry: write });
      expect(next.red).toBe(false);
      expect(next.write).toBeUndefined();
    }),
  );
});

test("a failing verdict is red or shown as known, never silently green", () => {
  fc.assert(
    fc.property(anyInput, (of) => {
      fc.pre(of.repro.status !== "rejected" && of.now.verdict !== "passes");
      const { red, known } = decide(of);
      expect(red !== known).toBe(true);
    }),
  );
});

test("unreplayable is a failing verdict, not a skip", () => {
  expect(decide(input({ now: { verdict: "unreplayable", signatures: [] } })).red).toBe(true);
  expect(
    decide(input({ entry: ENTRIES.passes, now: { verdict: "unreplayable", signatures: [] } })).red,
  ).toBe(true);
});

test("a failure is the accepted one only when verdict and signatures are equal", () => {
  const entry = ENTRIES["a failure"];
  const now = (verdict: Verdict, signatures: string[]): boolean =>
    decide(input({ entry, now: { verdict, signatures } })).red;
  expect(now("still_fails", ["loop:search", "timeout"])).toBe(false);
  expect(now("still_fails", ["timeout"])).toBe(true);
  expect(now("fails_differently", ["loop:search", "timeout"])).toBe(true);
});

test("an earlier tool's still_fails, which knows no signatures, is a known failure, and its passes a regression", () => {
  const now = { verdict: "still_fails", signatures: ["loop:search"] } as const;
  const { hash } = input().repro;
  expect(decide(input({ entry: { verdict: "still_fails", hash }, now }))).toMatchObject({
    red: false,
    known: true,
  });
  expect(decide(input({ entry: { verdict: "passes", hash }, now })).red).toBe(true);
  const other = { verdict: "fails_differently", signatures: ["timeout:-"] } as const;
  expect(decide(input({ entry: { verdict: "still_fails", hash }, now: other })).red).toBe(true);
});

test("a repro that changed since it was accepted needs review, whatever its verdict", () => {
  for (const verdict of VERDICTS) {
    const now = { verdict, signatures: ["loop:search", "timeout"] };
    const decision = decide(input({ entry: ENTRIES["of other content"], now }));
    expect(decision).toMatchObject({ red: true, listed: "needs review" });
    expect(decision.write).toBeUndefined();
  }
});

test("-u accepts what is there now, and a regression only with the explicit word", () => {
  const fails = NOW["another failure"];
  const written = { verdict: "fails_differently", hash: "h1", signatures: ["exception:TypeError"] };
  expect(decide(input({ now: fails, update: "all" })).write).toEqual(written);
  expect(decide(input({ now: fails, update: "all", entry: ENTRIES["a failure"] })).write).toEqual(
    written,
  );
  expect(
    decide(input({ now: fails, update: "all", entry: ENTRIES["of other content"] })).write,
  ).toEqual(written);
  const fall = input({ now: fails, update: "all", entry: ENTRIES.passes });
  expect(decide(fall)).toMatchObject({ red: true });
  expect(decide(fall).write).toBeUndefined();
  expect(decide({ ...fall, acceptRegressions: true })).toMatchObject({
    red: false,
    known: true,
    write: written,
  });
});

test("a regression stays red in the second run, for the baseline is not lowered silently", () => {
  const fall = input({ entry: ENTRIES.passes, now: NOW["the accepted failure"], update: "all" });
  const first = decide(fall);
  expect(first.red).toBe(true);
  expect(decide({ ...fall, entry: first.write ?? fall.entry }).red).toBe(true);
});

test("a new repro that fails is red without any baseline", () => {
  expect(decide(input({ now: NOW["another failure"] })).red).toBe(true);
  expect(decide(input({ now: NOW["another failure"], ci: true })).red).toBe(true);
});

test("the gate any makes every verdict but passes red, the gate none makes none red and shows all", () => {
  const known = input({ entry: ENTRIES["a failure"], now: NOW["the accepted failure"] });
  expect(decide({ ...known, gate: "any" }).red).toBe(true);
  expect(decide({ ...known, gate: "any", now: NOW.passes }).red).toBe(false);
  expect(decide(input({ now: NOW["another failure"], gate: "none" }))).toMatchObject({
    red: false,
    known: true,
  });
});

test("a note stays with its entry until the entry changes", () => {
  const noted = { ...ACCEPTED, hash: "h0", note: "waiting for the vendor" };
  const same = decide(input({ entry: noted, now: NOW["the accepted failure"], update: "all" }));
  expect(same.write?.note).toBe("waiting for the vendor");
  const other = decide(input({ entry: noted, now: NOW["another failure"], update: "all" }));
  expect(other.write).not.toHaveProperty("note");
});

test("the message says why and what to do, on one line without control characters", () => {
  const hostile = {
    verdict: "still_fails" as const,
    signatures: ["tool_error:a\n::error::\u001B[2J"],
  };
  expect(decide(input({ entry: ENTRIES.passes, now: hostile })).message).toMatchInlineSnapshot(
    `"regression: passed before, now still_fails (tool_error:a\\n::error::\\x1b[2J). Fix the agent, or accept it with -u and TWICESHY_ACCEPT_REGRESSIONS=1 (--accept-regressions)"`,
  );
  expect(decide(input({ now: NOW["another failure"] })).message).toMatchInlineSnapshot(
    `"new failure: fails_differently (exception:TypeError). Fix the agent, or accept it with -u"`,
  );
  expect(decide(input({ entry: ENTRIES["a failure"], ci: true })).message).toMatchInlineSnapshot(
    `"improved from still_fails (loop:search, timeout) to passes; the entry is stale: run once locally and commit the baseline"`,
  );
  expect(decide(input({ entry: ENTRIES["of other content"] })).message).toMatchInlineSnapshot(
    `"changed, needs review: the repro is not the one that was accepted (still_fails (loop:search, timeout) then, passes now). Read its diff, then accept it with -u"`,
  );
});
