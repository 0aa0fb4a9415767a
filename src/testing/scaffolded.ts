import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { compileFunction } from "node:vm";
import type { Scaffold } from "../scaffold/scaffold.ts";
import { fault } from "../fault/build.ts";
import { openTrace } from "../workflow/open-trace.ts";
import { runWorkflow, type WorkflowRun } from "../workflow/run.ts";
import type { Workflow } from "../workflow/workflow.ts";
import { defineWorld } from "../world/define.ts";

/** What the code of a scaffold, in JavaScript, does when it is run. */
export interface RanScaffold {
  readonly title: string;
  readonly workflow: Workflow;
  readonly run: WorkflowRun;
  /** How often text of the trace ran as code. */
  readonly canaries: number;
}

/** Writes a scaffold into a folder, and runs its spec by the real engine: what it imports is given to it. */
export async function runScaffold({ files }: Scaffold, folder: string): Promise<RanScaffold> {
  mkdirSync(folder, { recursive: true });
  for (const { name, text } of files) writeFileSync(join(folder, name), text);
  const textOf = (wanted: RegExp): string =>
    files.find(({ name }) => wanted.test(name))?.text ?? "";
  let canaries = 0;
  const canary = (): number => (canaries += 1);
  const self = pathToFileURL(join(folder, "world.mjs")).href;
  const names = "{ agent, endsAsRecorded, names, task, world }";
  const world = compiled(`${textOf(/^world\.mjs$/)}\nreturn ${names};`, [
    "defineWorld",
    "openTrace",
    "self",
    "canary",
  ])(defineWorld, openTrace, self, canary);
  let described: [string, Omit<Workflow, "id">] | undefined;
  compiled(`const ${names} = given;\n${textOf(/\.fault\.test\.mjs$/)}`, [
    "describeWorkflow",
    "fault",
    "given",
    "canary",
  ])((...given: [string, Omit<Workflow, "id">]) => (described = given), fault, world, canary);
  if (described === undefined) throw new Error("the spec described no workflow");
  const [title, tests] = described;
  const workflow: Workflow = { ...tests, id: "scaffolded" };
  return { title, workflow, run: await runWorkflow(workflow), canaries };
}

/** The text of a module as a function of what it imports. */
function compiled(text: string, parameters: string[]): (...given: unknown[]) => unknown {
  const body = text
    .replaceAll(/^import .*$/gm, "")
    .replaceAll(/^export /gm, "")
    .replaceAll("import.meta.url", "self");
  return compileFunction(body, parameters) as (...given: unknown[]) => unknown;
}
