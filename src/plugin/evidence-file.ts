import { renameSync, rmSync } from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import {
  openReport,
  reportHeader,
  scenariosOf,
  worldOf,
  type Trial,
  type Workflow,
} from "../trials.ts";
import { failure } from "../shared/error.ts";
import { sha256 } from "../shared/hash.ts";
import { oneLine } from "../shared/text.ts";
import type { Settings } from "./settings.ts";

/** The test file whose workflow is run. */
export interface TestFile {
  readonly path: string;
  /** The runner's own object, another one each time the file is collected; undefined where it is not known. */
  readonly collected: object | undefined;
}

/** The evidence of a workflow's tests: one line for each trial, on disk as it ends. */
export interface EvidenceFile {
  add(trial: Trial, number: number): Promise<void>;
  /** Puts the trials into the order of the scenarios and writes the end; a file without one is partial, as when the process died. */
  end(): Promise<void>;
}

interface Kept {
  readonly trial: Trial;
  readonly number: number;
}

/**
 * One report for each workflow of a test file, in the folder of the project's reports; the next run replaces it.
 * @throws E_WORKFLOW_DUPLICATE when another workflow of the file has the id: one would replace the other's evidence
 */
export function evidenceFile(
  workflow: Workflow,
  testFile: TestFile,
  { reports, redact }: Pick<Settings, "reports" | "redact">,
): EvidenceFile {
  requireOwnId(workflow, testFile);
  if (reports === undefined) return NOWHERE;
  const world = worldOf(workflow);
  const scenarios = scenariosOf({ ...workflow, world });
  const header = reportHeader(workflow, world, { scenarios });
  const path = join(reports, fileName(workflow, relative(dirname(reports), testFile.path)));
  const kept = new Map<string, Kept>();
  const opened = (at: string): ReturnType<typeof openReport> => {
    rmSync(at, { force: true });
    return openReport(at, header, { redact });
  };
  let writer: ReturnType<typeof openReport> | undefined;
  return {
    async add(trial, number) {
      const key = `${number} ${trial.scenario.id}`;
      const isRetried = kept.has(key);
      // Of a test that is tried again the last trial counts; there is one line for each.
      kept.set(key, { trial, number });
      const streamed = await (writer ??= opened(path));
      if (!isRetried) streamed.add(trial, number);
    },
    async end() {
      if (writer === undefined) return;
      (await writer).end("it was being put in order");
      // Tests may run side by side or shuffled; the report is the same.
      const whole = await opened(`${path}.new`);
      const order = new Map(header.scenarios.map(({ id }, place) => [id, place]));
      const placeOf = ({ trial }: Kept): number => order.get(trial.scenario.id) ?? 0;
      const inOrder = [...kept.values()].sort(
        (a, b) => placeOf(a) - placeOf(b) || a.number - b.number,
      );
      for (const { trial, number } of inOrder) whole.add(trial, number);
      const planned = header.scenarios.reduce((sum, { trials }) => sum + trials, 0);
      const missing = planned - inOrder.length;
      whole.end(missing > 0 ? `${missing} of ${planned} trials were not run` : undefined);
      renameSync(`${path}.new`, path);
    },
  };
}

/** Ids of the workflows of each collected test file, with their titles; a file that is collected again is another one. */
const TAKEN: unique symbol = Symbol.for("twiceshy.workflow-ids") as never;

function requireOwnId({ id, title = id }: Workflow, { path, collected }: TestFile): void {
  if (collected === undefined) return;
  const shared = globalThis as { [TAKEN]?: WeakMap<object, Map<string, string>> };
  const files = (shared[TAKEN] ??= new WeakMap());
  const taken = files.get(collected) ?? new Map<string, string>();
  files.set(collected, taken);
  // Some disks take names for one that differ in their letters' case alone.
  const other = taken.get(id.toLowerCase());
  taken.set(id.toLowerCase(), title);
  if (other === undefined) return;
  const [mine, theirs] = [title, other].map((text) => JSON.stringify(oneLine(text, 80)));
  throw failure("E_WORKFLOW_DUPLICATE", {
    to: `describe the workflow ${mine} in ${oneLine(relative(process.cwd(), path), 300)}`,
    because: `its id ${JSON.stringify(oneLine(id, 80))} is that of the workflow ${theirs} in the same file, and an id names one report`,
    fix: `Give one of them an id of its own: describeWorkflow(${mine}, { id: "another-id", ... })`,
  });
}

/** The same on every machine: the test file's name, and a digest of its place in the project. */
function fileName({ id }: Workflow, place: string): string {
  return `${basename(place)}.${id}.${sha256(place.split(sep).join("/"), 8)}.jsonl`;
}

/** Without the plugin nobody said where reports are kept. */
const NOWHERE: EvidenceFile = {
  add: () => Promise.resolve(),
  end: () => Promise.resolve(),
};
