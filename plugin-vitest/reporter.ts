import { relative } from "node:path";
import type { Reporter, TestCase, TestModule, Vitest } from "vitest/node";
import { idOfKey } from "./baseline-file.ts";
import { keepRun } from "./keep-run.ts";
import { oneLine } from "../src/shared/text.ts";
import { openTests, rowsOf, section } from "./reporter-section.ts";
import { verdictIn } from "./verdict-meta.ts";

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
    const lines = [...section(rows), ...openTests(modules), ...obsolete(this.#vitest)];
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
  return found.flatMap(({ filePath, keys }) => {
    const ids = keys.flatMap((key) => idOfKey(key) ?? []);
    if (ids.length === 0) return [];
    const file = relative(vitest?.config.root ?? "", filePath);
    return [
      ` obsolete  ${file}: ${oneLine(ids.join(", "), 200)} ${ids.length === 1 ? "has" : "have"} no test any more; -u removes them from the baseline`,
    ];
  });
}
