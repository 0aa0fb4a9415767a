import * as fc from "fast-check";
import { expect, test } from "vitest";
import { madeReport, type Went } from "../testing/reports.ts";
import { compareReports, type CompareOptions } from "./compare-reports.ts";

const broken: Went = { failing: "one-booking" };
const went = fc.constantFrom<Went>(
  "passed",
  broken,
  { failing: "honest" },
  { issue: "agent_hung" },
);
const scenarios = fc.dictionary(
  fc.constantFrom("a", "b", "c"),
  fc.array(went, { minLength: 2, maxLength: 2 }),
  {
    minKeys: 1,
  },
);

function lost(base: readonly Went[], candidate: readonly Went[], options: CompareOptions = {}) {
  const [before, after] = [base, candidate].map((trials) =>
    madeReport({ scenarios: { lost: trials } }),
  );
  const comparison = compareReports(before, after, options);
  return { status: comparison.status, ...comparison.scenarios[0] };
}

test("no report has regressed against itself", () => {
  fc.assert(
    fc.property(scenarios, fc.boolean(), (all, statistics) => {
      const report = madeReport({ scenarios: all });
      const { status, scenarios: compared } = compareReports(report, report, { statistics });
      expect(status).toBe("no_regressions");
      expect(compared.every(({ change }) => change === "unchanged")).toBe(true);
    }),
  );
});

test("what one side has regressed to, the other has improved to", () => {
  fc.assert(
    fc.property(fc.array(went, { minLength: 3, maxLength: 3 }), (trials) => {
      const good: Went[] = ["passed", "passed", "passed"];
      const fell = trials.some((one) => one !== "passed");
      expect(lost(good, trials).change).toBe(fell ? "regressed" : "unchanged");
      expect(lost(trials, good).change).toBe(fell ? "improved" : "unchanged");
    }),
  );
});

test("a good base and three failed trials are a regression that counts them and names the check", () => {
  const compared = lost(["passed", "passed", "passed"], [broken, broken, broken]);
  expect(compared).toMatchObject({
    status: "regressed",
    failures: { base: 0, candidate: 3 },
    reason: "label of one-booking: more failures than before",
  });
  expect(compared.regressed?.map(({ what }) => what)).toEqual(["trials", "check:one-booking"]);
});

test("a failure that was there before is no regression, and one that is gone is an improvement", () => {
  expect(lost([broken], [broken])).toMatchObject({ status: "no_regressions", change: "unchanged" });
  expect(lost([broken], ["passed"])).toMatchObject({
    status: "no_regressions",
    change: "improved",
  });
});

test("another check that fails in as many trials is a regression that names it", () => {
  const compared = lost([broken], [{ failing: "honest" }]);
  expect(compared.status).toBe("regressed");
  expect(compared.regressed).toEqual([
    { what: "check:honest", label: "label of honest", base: 0, candidate: 1 },
  ]);
});

test("an issue that was not there before is a regression that names it", () => {
  expect(lost([broken], [{ issue: "agent_hung" }]).regressed).toEqual([
    { what: "issue:agent_hung", label: "agent_hung", base: 0, candidate: 1 },
  ]);
});

test("a failed control of the candidate is a regression, and one of the base makes it incomparable", () => {
  const [good, bad] = [madeReport(), madeReport({ control: broken, scenarios: {} })];
  const comparison = compareReports(good, bad);
  expect(comparison).toMatchObject({
    status: "regressed",
    reason: "the candidate's control failed",
  });
  expect(comparison.scenarios).toMatchObject([
    { id: "control", regressed: [{ label: "label of one-booking" }] },
  ]);
  expect(compareReports(bad, good)).toMatchObject({
    status: "incomparable",
    reason: "the base's control did not pass",
  });
});

test.for([
  ["the base report is missing", undefined, madeReport()],
  ["the candidate report is missing", madeReport(), undefined],
  ["the candidate's control is missing", madeReport(), madeReport({ control: "missing" })],
  [
    "the candidate's control is inconclusive",
    madeReport(),
    madeReport({ control: "inconclusive" }),
  ],
  [
    "the agents of the two reports differ",
    madeReport(),
    madeReport({ header: { agent: { id: "other", version: "1" } } }),
  ],
  [
    "the tasks of the two reports differ",
    madeReport(),
    madeReport({ header: { workflow: { id: "booking", task: "x" } } }),
  ],
  [
    "the start states of the two reports differ",
    madeReport(),
    madeReport({ header: { initialState: { bookings: [1] } } }),
  ],
  [
    "the tools of the two reports differ",
    madeReport(),
    madeReport({ header: { tools: [{ name: "reserve_slot", kind: "read" }] } }),
  ],
] as const)("it is incomparable when %s", ([reason, base, candidate]) => {
  expect(compareReports(base, candidate)).toEqual({
    status: "incomparable",
    reason,
    scenarios: [],
  });
});

test("a tool whose code changed makes two reports incomparable", () => {
  const { status, reason } = compareReports(
    madeReport(),
    madeReport({ header: { fingerprint: "fedcba9876543210" } }),
  );
  expect(status).toBe("incomparable");
  expect(reason).toContain("the tools' code");
});

test.for([
  ["trials are missing", madeReport({ planned: 2 }), /the candidate has 1 of 2 trials/],
  [
    "a fault was unreached",
    madeReport({ scenarios: { lost: ["inconclusive"] } }),
    /trial 1 of the candidate is inconclusive/,
  ],
  [
    "it has another number of trials",
    madeReport({ scenarios: { lost: ["passed", "passed"] } }),
    /the numbers of trials differ: 1 of the base, 2/,
  ],
] as const)("a scenario is incomplete when %s", ([, candidate, reason]) => {
  const compared = compareReports(madeReport(), candidate);
  expect(compared).toMatchObject({ status: "incomparable", scenarios: [{ change: "incomplete" }] });
  expect(compared.scenarios[0]?.reason).toMatch(reason);
});

test("another label or title changes nothing, and an added scenario is listed beside the matching part", () => {
  const base = madeReport({ scenarios: { lost: ["passed"], gone: ["passed"], other: ["passed"] } });
  const candidate = madeReport({
    scenarios: { lost: ["passed"], added: [broken], other: [broken] },
    titles: { lost: "Renamed" },
    digests: { other: "new conditions" },
    header: { workflow: { id: "booking", title: "Renamed", task: "Book slot_42" } },
  });
  const { status, scenarios: compared } = compareReports(base, candidate);
  expect(status).toBe("no_regressions");
  expect(compared.map(({ id, change }) => [id, change])).toEqual([
    ["lost", "unchanged"],
    ["added", "added"],
    ["other", "changed"],
    ["gone", "removed"],
  ]);
});

test("a regression weighs more than a scenario that cannot be compared", () => {
  const base = madeReport({ scenarios: { a: ["passed"], b: ["passed"] } });
  const candidate = madeReport({ scenarios: { a: ["inconclusive"], b: [broken] } });
  expect(compareReports(base, candidate).status).toBe("regressed");
});

test("with statistics, one failure more in twenty trials may be chance, and ten more are not", () => {
  const failing = (count: number): Went[] =>
    Array.from({ length: 20 }, (_, at) => (at < count ? broken : "passed"));
  expect(lost(failing(1), failing(2)).status).toBe("regressed");
  expect(lost(failing(1), failing(2), { statistics: true })).toMatchObject({
    status: "no_regressions",
    reason: "the rise may be chance",
  });
  const fell = lost(failing(1), failing(11), { statistics: true });
  expect(fell.status).toBe("regressed");
  expect(fell.regressed?.[0]?.chance).toBeLessThan(0.01);
});

test("with statistics, so few trials that they can show nothing are compared as they are", () => {
  const compared = lost(["passed"], [broken], { statistics: true });
  expect(compared.status).toBe("regressed");
  expect(compared.regressed?.[0]).not.toHaveProperty("chance");
});

test("the commits are those that the caller names, else those of the reports", () => {
  const base = madeReport({ header: { commit: "a".repeat(40) } });
  expect(compareReports(base, base).source).toEqual({
    baseSha: "a".repeat(40),
    headSha: "a".repeat(40),
  });
  expect(compareReports(base, madeReport(), { headSha: "b" }).source).toEqual({
    baseSha: "a".repeat(40),
    headSha: "b",
  });
});
