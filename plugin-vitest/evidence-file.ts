import { renameSync, rmSync } from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import {
  openReport,
  reportHeader,
  scenariosOf,
  worldOf,
  type Trial,
  type Workflow,
} from "../src/trials.ts";
import { sha256 } from "../src/shared/hash.ts";
import type { Settings } from "./settings.ts";

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

/** One report for each workflow of a test file, in the folder of the project's reports; the next run replaces it. */
export function evidenceFile(
  workflow: Workflow,
  testFile: string,
  settings: Settings,
): EvidenceFile {
  const { reports, redact } = settings;
  if (reports === undefined) return NOWHERE;
  const world = worldOf(workflow);
  const scenarios = scenariosOf({ ...workflow, world });
  const header = reportHeader(workflow, world, { scenarios });
  const path = join(reports, fileName(workflow, relative(dirname(reports), testFile)));
  const kept: Kept[] = [];
  const opened = (at: string): ReturnType<typeof openReport> => {
    rmSync(at, { force: true });
    return openReport(at, header, { redact });
  };
  let writer: ReturnType<typeof openReport> | undefined;
  return {
    async add(trial, number) {
      kept.push({ trial, number });
      (await (writer ??= opened(path))).add(trial, number);
    },
    async end() {
      if (writer === undefined) return;
      (await writer).end("it was being put in order");
      // Tests may run side by side or shuffled; the report is the same.
      const whole = await opened(`${path}.new`);
      const order = new Map(header.scenarios.map(({ id }, place) => [id, place]));
      const placeOf = ({ trial }: Kept): number => order.get(trial.scenario.id) ?? 0;
      kept.sort((a, b) => placeOf(a) - placeOf(b) || a.number - b.number);
      for (const { trial, number } of kept) whole.add(trial, number);
      const planned = header.scenarios.reduce((sum, { trials }) => sum + trials, 0);
      const missing = planned - kept.length;
      whole.end(missing > 0 ? `${missing} of ${planned} trials were not run` : undefined);
      renameSync(`${path}.new`, path);
    },
  };
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
