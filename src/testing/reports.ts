import type { Report, ReportHeader, TrialRecord } from "../workflow/report.ts";
import type { TrialVerdict } from "../workflow/trial-result.ts";

/** How a trial of a made report went: its verdict, or the id of the check that did not hold. */
export type Went = TrialVerdict | { readonly failing: string } | { readonly issue: string };

export interface MadeReport {
  readonly header?: Partial<ReportHeader>;
  readonly control?: Went | "missing";
  /** What became of each trial of each scenario. */
  readonly scenarios?: Readonly<Record<string, readonly Went[]>>;
  /** Planned trials of each scenario; by default as many as there are. */
  readonly planned?: number;
  readonly digests?: Readonly<Record<string, string>>;
  readonly titles?: Readonly<Record<string, string>>;
  readonly partial?: string;
}

/** A report as it is read back, of a booking with one check. */
export function madeReport(made: MadeReport = {}): Report {
  const { scenarios = { lost: ["passed"] }, control = "passed", planned } = made;
  const header: ReportHeader = {
    record: "header",
    schemaVersion: "twiceshy.report/1",
    workflow: { id: "booking", title: "Books one slot", task: "Book slot_42" },
    agent: { id: "booker", version: "1.0.0" },
    fingerprint: "0123456789abcdef",
    createdAt: 1_767_225_600_000,
    initialState: { bookings: [] },
    tools: [{ name: "reserve_slot", kind: "write" }],
    scenarios: [
      { id: "control", title: "control", digest: "c", trials: 1 },
      ...Object.entries(scenarios).map(([id, trials]) => ({
        id,
        title: made.titles?.[id] ?? `title of ${id}`,
        digest: made.digests?.[id] ?? `digest of ${id}`,
        trials: planned ?? trials.length,
      })),
    ],
    ...made.header,
  };
  const trials = [
    ...(control === "missing" ? [] : [trialOf("control", 1, control)]),
    ...Object.entries(scenarios).flatMap(([id, went]) =>
      went.map((one, at) => trialOf(id, at + 1, one)),
    ),
  ];
  return {
    header,
    trials,
    notes: [],
    ...(made.partial === undefined ? {} : { partial: made.partial }),
  };
}

function trialOf(scenario: string, number: number, went: Went): TrialRecord {
  const failing = typeof went === "object" && "failing" in went ? went.failing : undefined;
  const issue = typeof went === "object" && "issue" in went ? went.issue : undefined;
  const verdict = typeof went === "object" ? "failed" : went;
  return {
    record: "trial",
    scenario,
    number,
    verdict,
    reason: verdict === "passed" ? "all checks hold" : `because of ${failing ?? issue ?? verdict}`,
    ...(issue === undefined ? {} : { issue: { side: "agent", code: issue, message: issue } }),
    faults: [],
    checks: ["one-booking", "honest"].map((id) => ({
      id,
      label: `label of ${id}`,
      check: { type: "count" },
      passed: id !== failing,
      message: "",
    })),
    events: [],
    toolCalls: 1,
    notes: [],
  };
}
