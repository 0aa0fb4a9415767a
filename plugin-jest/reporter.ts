import { writeFileSync } from "node:fs";
import { relative } from "node:path";
import { keepRun, type KeptBy } from "../src/plugin/keep-run.ts";
import {
  obsoleteLines,
  openTests,
  section,
  type NotedTest,
  type Row,
} from "../src/plugin/section.ts";
import type { AggregatedResult, TestResult } from "./results.ts";
import type { KeptResult } from "./runner.ts";
import { isWhole, unseen, type Asked } from "./unseen.ts";
import { warningsOf } from "./warnings.ts";

/** What `withTwiceshy` gives. */
interface ReporterOptions extends KeptBy {
  /** The folder of the generated specs; with it a run that leaves one out fails. */
  readonly specs?: string;
}

/**
 * Lists at the end of a run what is green and still needs a look: known failures, unreviewed repros, stale entries, obsolete ones;
 * in GitHub's actions as warnings too. Keeps the verdicts in the store.
 */
export default class TwiceshyReporter {
  readonly #root: string;
  readonly #asked: Asked;
  readonly #options: ReporterOptions;
  #error: Error | undefined;

  constructor(asked: Asked & { readonly rootDir: string }, options: ReporterOptions = {}) {
    this.#root = asked.rootDir;
    this.#asked = asked;
    this.#options = options;
  }

  /** Asked by Jest when a run is over: an error fails it. */
  getLastError(): Error | undefined {
    return this.#error;
  }

  async onRunComplete(_contexts: unknown, results: AggregatedResult): Promise<void> {
    const files = results.testResults as readonly (TestResult & KeptResult)[];
    const rows = files.flatMap((file) => this.#rowsOf(file));
    const noted = files.flatMap((file) => this.#notedIn(file));
    const lines = [...section(rows), ...openTests(noted), ...this.#obsolete(results)];
    if (lines.length > 0) print(["", ...lines, ""]);
    if (process.env["GITHUB_ACTIONS"] === "true") print(warningsOf(rows));
    report(files);
    const problem = await keepRun(rows, this.#options);
    if (problem !== undefined) print([` twiceshy  ${problem}`]);
    this.#error = this.#hidden(results);
    if (this.#error !== undefined) print([` twiceshy  ${this.#error.message}`]);
  }

  #hidden({
    testResults,
    numTotalTestSuites,
    wasInterrupted,
  }: AggregatedResult): Error | undefined {
    const { specs } = this.#options;
    const isAll = !wasInterrupted && testResults.length === numTotalTestSuites;
    if (specs === undefined || !isAll || !isWhole(this.#asked, process.argv)) return undefined;
    return unseen(
      specs,
      testResults.map(({ testFilePath }) => testFilePath),
    );
  }

  #rowsOf({ twiceshy, testFilePath: path, testResults }: TestResult & KeptResult): Row[] {
    const file = relative(this.#root, path);
    // Tests may run side by side; they are told of in the order in which they stand.
    const titles = testResults.map(({ title }) => title);
    return (twiceshy?.verdicts ?? [])
      .map(({ title, verdict }) => ({ file, path, title, verdict }))
      .sort((a, b) => titles.indexOf(a.title) - titles.indexOf(b.title));
  }

  #notedIn({ twiceshy, testFilePath: path }: TestResult & KeptResult): NotedTest[] {
    const file = relative(this.#root, path);
    return (twiceshy?.notes ?? []).map(({ title, text }) => ({ file, title, text }));
  }

  #obsolete({ snapshot }: AggregatedResult): string[] {
    // With -u Jest has removed them and says so itself.
    if (snapshot.didUpdate) return [];
    return obsoleteLines(
      snapshot.uncheckedKeysByFile.map(({ filePath, keys }) => ({
        file: relative(this.#root, filePath),
        keys,
      })),
    );
  }
}

/** Asked for by the command line, which reads it as the report of Vitest. */
function report(files: readonly (TestResult & KeptResult)[]): void {
  const path = process.env["TWICESHY_REPORT"];
  if (path === undefined || path === "") return;
  const testResults = files.map(({ testFilePath, failureMessage, testResults, twiceshy }) => ({
    name: testFilePath,
    message: failureMessage ?? "",
    assertionResults: testResults.map(({ title, status, failureMessages }) => ({
      title,
      status,
      failureMessages,
      meta: { twiceshy: twiceshy?.verdicts.find((one) => one.title === title)?.verdict },
    })),
  }));
  writeFileSync(path, JSON.stringify({ testResults }));
}

/** Where Jest's own reporters write. */
function print(lines: readonly string[]): void {
  if (lines.length > 0) process.stderr.write(`${lines.join("\n")}\n`);
}
