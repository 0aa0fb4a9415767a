import type { runCLI } from "jest";

/** What Jest tells a reporter at the end of a run. */
export type AggregatedResult = Awaited<ReturnType<typeof runCLI>>["results"];

/** The results of one test file. */
export type TestResult = AggregatedResult["testResults"][number];
