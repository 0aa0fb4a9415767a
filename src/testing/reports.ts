import type { Report, ReportHeader, TrialRecord } from "../workflow/report.ts";
import type { TrialVerdict } from "../workflow/trial-result.ts";

/** How a trial of a made report went: its verdict, or the id of the check that did not hold. */
export type Went = TrialVerdict | { readonly failing: string } | { readonly issue: string };

export interface MadeReport {
  readonly header?: Partial<Omit<ReportHeader, "workflow">> & {
    readonly workflow?: Partial<ReportHeader["workflow"]>;
  };
  readonly control?: Went | "missing";
  /** What became of each trial of each scenario. */
  readonly scenarios?: Readonly<Record<string, readonly Went[]>>;
  /** Planned trials of each scenario; by default as many as there are. */
  readonly planned?: number;
  readonly digests?: Readonly<Record<string, string>>;
  readonly titles?: Readonly<Record<string, string>>;
  readonly partial?: string;
}

const LIMITS = { toolCalls: 50, repeatedCalls: null, ms: 30_000 } as const;
const CONDITIONS = { faults: [], checks: [], limits: LIMITS };

/** A report as it is read back, of a booking with one check. */
export function madeReport(made: MadeReport = {}): Report {
  const { scenarios = { lost: ["passed"] }, control = "passed", planned } = made;
  const header: ReportHeader = {
    record: "header",
    schemaVersion: "twiceshy.report/1",
    agent: { id: "booker", version: "1.0.0" },
    fingerprint: "0123456789abcdef",
    createdAt: 1_767_225_600_000,
    world: { digest: "0123456789abcdef", initialState: "0123456789abcdef" },
    initialState: { bookings: [] },
    tools: [{ name: "reserve_slot", kind: "write" }],
    scenarios: [
      { id: "control", title: "control", digest: "c", trials: 1, ...CONDITIONS },
      ...Object.entries(scenarios).map(([id, trials]) => ({
        id,
        title: made.titles?.[id] ?? `title of ${id}`,
        digest: made.digests?.[id] ?? `digest of ${id}`,
        trials: planned ?? trials.length,
        faults: [],
        checks: [],
        limits: LIMITS,
      })),
    ],
    ...made.header,
    workflow: {
      id: "booking",
      title: "Books one slot",
      task: "Book slot_42",
      limits: LIMITS,
      clock: { startMs: 0, budgetMs: 1 },
      checks: [],
      ...made.header?.workflow,
    },
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
