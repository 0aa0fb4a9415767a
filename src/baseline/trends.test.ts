import { expect, test } from "vitest";
import { madeReport, type MadeReport } from "../testing/reports.ts";
import { workflowTrends } from "./trends.ts";

const [A, B] = ["a".repeat(40), "b".repeat(40)];

function at(commit: string, made: MadeReport = {}, createdAt = 1) {
  return madeReport({ ...made, header: { commit, createdAt, ...made.header } });
}

test("a scenario that passed at one commit and failed at the next is one series of two points", () => {
  const good = at(A, { scenarios: { lost: ["passed", "passed"] } }, 1);
  const bad = at(
    B,
    { scenarios: { lost: [{ failing: "one-booking" }, { failing: "one-booking" }] } },
    2,
  );
  const { series, unlabelled, duplicates } = workflowTrends([bad, good, good]);
  expect({ unlabelled, duplicates }).toEqual({ unlabelled: 0, duplicates: 1 });
  expect(series).toHaveLength(1);
  expect(series[0]).toMatchObject({ workflow: "booking", agent: "booker", scenario: "lost" });
  expect(series[0]?.points).toMatchObject([
    { commit: A, executions: 1, planned: 2, passRate: 100 },
    { commit: B, executions: 1, planned: 2, failed: 2, passRate: 0 },
  ]);
});

test("runs of one commit are added up", () => {
  const { series } = workflowTrends([
    at(A, { scenarios: { lost: ["passed"] } }, 1),
    at(A, { scenarios: { lost: ["passed", { failing: "honest" }] } }, 2),
  ]);
  expect(series[0]?.points).toEqual([
    {
      commit: A,
      recordedAt: 2,
      executions: 2,
      planned: 3,
      passed: 2,
      failed: 1,
      incomplete: 0,
      passRate: (2 / 3) * 100,
    },
  ]);
});

test.for([
  ["a control is missing", { control: "missing" }],
  ["a control did not pass", { control: { failing: "honest" } }],
  ["1 of 2 trials are missing or inconclusive", { planned: 2 }],
  ["1 of 1 trials are missing or inconclusive", { scenarios: { lost: ["inconclusive"] } }],
] as const satisfies readonly (readonly [string, MadeReport])[])(
  "there is a gap in place of a guess where %s",
  ([reason, made]) => {
    const point = workflowTrends([at(A, made)]).series[0]?.points[0];
    expect(point).toMatchObject({ passRate: null, reason });
  },
);

test("reports without a commit are counted and belong to no series", () => {
  expect(workflowTrends([madeReport()])).toEqual({ series: [], unlabelled: 1, duplicates: 0 });
});

test("a changed task starts new series", () => {
  const changed = { fingerprint: "fedcba9876543210" };
  const { series } = workflowTrends([
    at(A),
    at(B, { header: { fingerprint: changed.fingerprint } }),
  ]);
  expect(series.map(({ points }) => points.length)).toEqual([1, 1]);
});

test("a scenario whose faults or checks changed starts a new series", () => {
  const { series } = workflowTrends([at(A), at(B, { digests: { lost: "other" } })]);
  expect(series.map(({ points }) => points.length)).toEqual([1, 1]);
});

test.for([
  ["the agent's version differs", { agent: { id: "booker", version: "2" } }],
  ["the conditions differ", { fingerprint: "fedcba9876543210" }],
] as const)("a commit at which %s between reports has no rate", ([reason, header]) => {
  const { series } = workflowTrends([at(A), at(A, { header })]);
  for (const { points } of series)
    expect(points).toMatchObject([
      { passRate: null, reason: `${reason} between reports of this commit` },
    ]);
});
