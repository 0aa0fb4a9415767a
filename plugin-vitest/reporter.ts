import { relative } from "node:path";
import type { Reporter, TestCase, TestModule, Vitest } from "vitest/node";
import { keepRun } from "../src/plugin/keep-run.ts";
import { obsoleteLines, openTests, section } from "../src/plugin/section.ts";
import { notedIn, rowsOf } from "./reporter-section.ts";
import { verdictIn } from "../src/plugin/verdict-meta.ts";

/** What the plugin gives; without it nothing is kept in a store. */
export interface ReporterOptions {
  readonly store?: string;
  readonly agentVersion?: string;
}

/**
 * Lists at the end of a run what is green and still needs a look: known failures, unreviewed repros, stale entries,
 * obsolete ones. Counts known failures as expected ones in the runner's own summary, and keeps the verdicts in the store.
 */
export default class TwiceshyReporter implements Reporter {
  readonly #options: ReporterOptions;
  #vitest: Vitest | undefined;

  constructor(options: ReporterOptions = {}) {
    this.#options = options;
  }

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestCaseResult(test: TestCase): void {
    if (test.result().state !== "passed" || verdictIn(test.meta())?.known !== true) return;
    // No public way: the summary counts a passed test that "fails" as expected.
    const task: unknown = Reflect.get(test, "task");
    if (typeof task === "object" && task !== null) Reflect.set(task, "fails", true);
  }

  async onTestRunEnd(modules: readonly TestModule[]): Promise<void> {
    const rows = modules.flatMap((module) => rowsOf(module));
    const lines = [
      ...section(rows),
      ...openTests(modules.flatMap((module) => notedIn(module))),
      ...obsolete(this.#vitest),
    ];
    if (lines.length > 0) this.#print(["", ...lines, ""]);
    const problem = await keepRun(rows, this.#options);
    if (problem !== undefined) this.#print([` twiceshy  ${problem}`]);
  }

  #print(lines: readonly string[]): void {
    // The editor's way of running never calls onInit.
    if (this.#vitest === undefined) return;
    this.#vitest.logger.log(lines.join("\n"));
  }
}

/** Entries without a test, as the runner found them. */
function obsolete(vitest: Vitest | undefined): string[] {
  const summary = vitest?.snapshot.summary;
  // With -u the runner has removed them and says so itself.
  const found = summary === undefined || summary.didUpdate ? [] : summary.uncheckedKeysByFile;
  const root = vitest?.config.root ?? "";
  return obsoleteLines(
    found.map(({ filePath, keys }) => ({ file: relative(root, filePath), keys })),
  );
}
