import type { Config } from "../config/config.ts";
import { AHEAD, tallyOf, type Judged } from "../generate/judge-stored.ts";
import { judging, type Opinion } from "../generate/judging.ts";
import { inOrder } from "../shared/in-order.ts";
import { openStore } from "../store/store.ts";
import type { Io } from "./io.ts";
import { openJudge } from "./open-judge.ts";
import { progress } from "./progress.ts";
import type { RecordReport, Reported } from "./record-report.ts";

/** A judge of the traces in files. */
export interface FileJudge {
  /** The same records, with what the judge says of their traces. */
  over(reports: Iterable<Reported>): AsyncIterable<Reported>;
  /** What it said of all so far. */
  total(): Judged;
  close(): Promise<void>;
}

/** The configured judge, for files that are in no store; its answers are kept in the project's store all the same. */
export async function openFileJudge(
  config: Config,
  configured: NonNullable<Config["judge"]>,
  io: Io,
): Promise<FileJudge> {
  const judge = await openJudge(config, configured, io);
  const store = openStore(config.store);
  const opinion = judging(judge, store);
  const tally = tallyOf(judge);
  const shown = progress(io, "judging trace");
  const judged = async ({ item, report }: Reported): Promise<Reported> => {
    if (!("trace" in item)) return { item, report };
    const found = await opinion(item.trace);
    shown.tick();
    tally.add(item.trace.id, found, report.failing);
    return { item, report: withOpinion(report, found, judge.gate) };
  };
  return {
    over: (reports) => inOrder(reports, judge.concurrency * AHEAD, judged),
    total: () => tally.total(),
    async close() {
      shown.done();
      store.close();
      await judge.close();
    },
  };
}

function withOpinion(report: RecordReport, found: Opinion, gate: boolean): RecordReport {
  if (found.unjudged !== undefined) return { ...report, unjudged: found.unjudged.message };
  if (found.failure === undefined) return report;
  const { kind, severity, step, message } = found.failure;
  const failing = report.failing || (gate && severity !== "low");
  const shown = { kind, severity, step: step ?? null, message, detector: "judge" as const };
  return { ...report, failing, failures: [...report.failures, shown] };
}
