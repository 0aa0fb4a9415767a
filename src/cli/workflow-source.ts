import { readdirSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { openModules, type Modules } from "../runner/import-module.ts";
import { failure, messageOf } from "../shared/error.ts";
import { isObject } from "../shared/json.ts";
import { oneLine } from "../shared/text.ts";
import { findAdapter, loadAdapter, type Adapter } from "../workflow1/adapter.ts";
import type { Document } from "../workflow1/document.ts";
import { readDocument } from "../workflow1/read.ts";
import type { Workflow } from "../workflow/workflow.ts";
import type { Args } from "./args.ts";
import type { Io } from "./io.ts";
import { typedPath } from "./project.ts";

/** What a command was given as its workflow, before anything of the user runs. */
export type Source = {
  readonly path: string;
  /** As a person typed it. */
  readonly name: string;
} & (
  | { readonly kind: "document"; readonly document: Document; readonly adapter: AdapterFile }
  /** A module with a workflow of ours. */
  | { readonly kind: "module"; readonly export?: string }
);

export interface AdapterFile {
  readonly path: string;
  readonly name: string;
}

const MODULE = /\.[cm]?[jt]s$/;
const ADAPTERS = ["adapter.mjs", "adapter.js", "adapter.ts", "adapter.cjs"];
const FIRST = "dojo/workflow.json";

/** Finds and checks what is to be run; imports nothing. `given` wins over the default places. */
export function sourceOf(args: Args, io: Io, given: string | undefined): Source {
  const typed = given ?? defaultSource(io);
  const at = typed.lastIndexOf("#");
  const [file, name] = at > 0 ? [typed.slice(0, at), typed.slice(at + 1)] : [typed, undefined];
  const path = resolve(io.cwd, file);
  const place = { path, name: typedPath(io, file) };
  if (!MODULE.test(file)) {
    const document = readDocument(path, place.name);
    return { ...place, kind: "document", document, adapter: adapterOf(args, io, dirname(path)) };
  }
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) {
    throw failure("E_WORKFLOW_MISSING", {
      to: `read the workflow ${oneLine(place.name, 300)}`,
      because: "there is no such file",
      fix: "Give the path of a workflow/1 document, or of a module that exports a workflow",
    });
  }
  return { ...place, kind: "module", ...(name === undefined ? {} : { export: name }) };
}

/** The usual place, else the only document in the folder. */
function defaultSource(io: Io): string {
  const isFile = (path: string): boolean =>
    statSync(join(io.cwd, path), { throwIfNoEntry: false })?.isFile() === true;
  if (isFile(FIRST)) return FIRST;
  const found = readdirSync(io.cwd).filter((file) => /\.workflow\.(?:json|[cm]?[jt]s)$/.test(file));
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  throw failure("E_WORKFLOW_MISSING", {
    to: "find a workflow",
    because:
      only === undefined
        ? `there is neither ${FIRST} nor a *.workflow.json here`
        : `there are ${found.sort().join(" and ")}`,
    fix: "Name one with --config",
  });
}

/** The adapter that is named, else the one beside the document. */
export function adapterOf(args: Args, io: Io, folder: string): AdapterFile {
  const typed = args.text("adapter");
  const beside = ADAPTERS.map((name) => join(folder, name)).find(
    (path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true,
  );
  const path =
    typed === undefined ? (beside ?? join(folder, "adapter.mjs")) : resolve(io.cwd, typed);
  const file = { path, name: typedPath(io, path) };
  findAdapter(file.path, file.name);
  return file;
}

/** Modules of the user for the length of one command. */
export async function withModules<T>(io: Io, run: (modules: Modules) => Promise<T>): Promise<T> {
  const modules = openModules(io.cwd);
  try {
    return await run(modules);
  } finally {
    await modules.close();
  }
}

export function adapterFrom({ path, name }: AdapterFile, modules: Modules): Promise<Adapter> {
  return loadAdapter(path, name, (url) => modules.importModule(url));
}

/** A module's workflow and the name of its export. */
export interface FoundWorkflow {
  readonly workflow: Workflow;
  readonly export: string;
}

/** Imports a module and finds the one workflow that it exports. E_WORKFLOW_IMPORT, E_WORKFLOW_EXPORT. */
export async function workflowFrom(
  source: Source & { readonly kind: "module" },
  modules: Modules,
): Promise<FoundWorkflow> {
  const name = oneLine(source.name, 300);
  const exported = await exportsOf(source, modules);
  const found = Object.entries(exported).filter(
    ([key, value]) => isWorkflow(value) && (source.export === undefined || key === source.export),
  );
  const [first] = found;
  const distinct = new Set(found.map(([, value]) => value)).size;
  if (first !== undefined && distinct === 1)
    return { workflow: first[1] as Workflow, export: first[0] };
  throw failure("E_WORKFLOW_EXPORT", {
    to: `load the workflow of ${name}`,
    because:
      first === undefined
        ? `it has no ${source.export === undefined ? "export" : `export ${oneLine(source.export, 60)}`} that is a workflow`
        : `it exports ${found.map(([key]) => key).join(" and ")}`,
    fix:
      first === undefined
        ? "Write: export const booking = defineWorkflow({ id, agent, task, world, scenarios, checks })"
        : `Name one, as ${name}#${first[0]}`,
  });
}

async function exportsOf({ path, name }: Source, modules: Modules): Promise<object> {
  try {
    const module = await modules.importModule(pathToFileURL(path).href);
    return typeof module === "object" && module !== null ? module : {};
  } catch (cause) {
    throw failure("E_WORKFLOW_IMPORT", {
      to: `load the workflow of ${oneLine(name, 300)}`,
      because: `it could not be imported: ${oneLine(messageOf(cause), 500).replace(/\.$/, "")}`,
      fix: "Import the file alone to see the whole error",
      cause,
    });
  }
}

function isWorkflow(value: unknown): boolean {
  return isObject(value) && "agent" in value && "world" in value && "scenarios" in value;
}
