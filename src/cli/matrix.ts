import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, extname, join, relative, resolve, sep } from "node:path";
import { isUntouchedMatrixSpec, matrixSpec } from "../generate/matrix-spec.ts";
import { importPath, isTypescript, styleOf } from "../generate/style.ts";
import type { MatrixOptions } from "../fault/matrix.ts";
import type { Modules } from "../runner/import-module.ts";
import { failure } from "../shared/error.ts";
import { writeAtomic } from "../shared/file.ts";
import { oneLine } from "../shared/text.ts";
import { scenariosOf } from "../workflow/scenarios.ts";
import { matrixOfDocument } from "../workflow1/matrix.ts";
import type { Args } from "./args.ts";
import { type Command, EXIT } from "./command.ts";
import { guardExit } from "./exit-guard.ts";
import { freshName } from "./fault-run.ts";
import { type Io, say } from "./io.ts";
import { typedPath } from "./project.ts";
import { reserve } from "./reserve.ts";
import { counted } from "./table.ts";
import { RUN_OPTIONS } from "./test.ts";
import {
  adapterFrom,
  type Source,
  sourceOf,
  withModules,
  workflowFrom,
} from "./workflow-source.ts";

/** Which tools and faults a matrix is made of. */
export const MATRIX_OPTIONS = {
  tools: { type: "text", value: "A,B", help: "Only these tools" },
  faults: {
    type: "text",
    value: "A,B",
    help: "These fault types; by default all but those that must be asked for, as stale_read and prompt_injection",
  },
} as const;

export const command: Command = {
  usage: "[FILE] [options]",
  about: `Writes the matrix of a workflow: every fault that applies, at every tool. For a workflow/1 document and its adapter that is a file for
"twiceshy test-matrix"; for a module with a workflow of ours it is a Vitest spec beside it, with a literal title for each scenario. Runs no
agent and no tool; says how many scenarios there are before anything is paid for.`,
  options: {
    config: RUN_OPTIONS.config,
    adapter: RUN_OPTIONS.adapter,
    ...MATRIX_OPTIONS,
    out: { type: "text", value: "FILE", help: "The file to write; it must not exist yet" },
  },
  positionals: [0, 1],
  run: (args, io) => {
    const source = sourceOf(args, io, args.positionals[0] ?? args.text("config"));
    const choice = choiceOf(args);
    return source.kind === "document"
      ? writeDocuments(args, io, { source, choice })
      : writeSpec(args, io, source);
  },
};

/** The tools and faults that were named. */
export function choiceOf(args: Args): MatrixOptions {
  const list = (option: string): readonly string[] | undefined =>
    args
      .text(option)
      ?.split(",")
      .map((name) => name.trim())
      .filter((name) => name !== "");
  const [tools, faults] = [list("tools"), list("faults")];
  return {
    ...(tools === undefined ? {} : { tools }),
    ...(faults === undefined ? {} : { faults }),
  };
}

interface DocumentChoice {
  readonly source: Source & { readonly kind: "document" };
  readonly choice: MatrixOptions;
}

async function writeDocuments(
  args: Args,
  io: Io,
  { source, choice }: DocumentChoice,
): Promise<number> {
  const out = args.text("out") ?? freshName("matrices", ".json");
  const place = { path: resolve(io.cwd, out), name: typedPath(io, out) };
  const reserved = reserve([place]);
  const guard = guardExit(io, () => reserved.release());
  try {
    const adapter = await withModules(io, (modules) => adapterFrom(source.adapter, modules));
    const matrix = matrixOfDocument(source.document, adapter, choice);
    writeAtomic(place.path, `${JSON.stringify(matrix, null, 2)}\n`);
    const scenarios = matrix.suites.flatMap(({ workflow }) => workflow.scenarios ?? []).length;
    say(
      io,
      `${counted(scenarios, "scenario")} at ${counted(matrix.suites.length, "tool")}: ${counted(scenarios + matrix.suites.length, "trial")} with a control for each tool`,
    );
    say(io, `wrote ${oneLine(place.name, 300)}`);
    say(io, `Next: twiceshy test-matrix ${oneLine(place.name, 300)}`);
    return EXIT.passed;
  } finally {
    reserved.release();
    guard.done();
  }
}

async function writeSpec(
  args: Args,
  io: Io,
  source: Source & { readonly kind: "module" },
): Promise<number> {
  if (args.text("tools") !== undefined || args.text("faults") !== undefined) {
    throw failure("E_OPTION_VALUE", {
      to: `write the spec of ${oneLine(source.name, 300)}`,
      because:
        "its scenarios are those of the workflow, and --tools or --faults would say otherwise",
      fix: "Choose them in the workflow: give its scenarios as a list",
    });
  }
  const out = args.text("out");
  const path = out === undefined ? specBeside(source.path) : resolve(io.cwd, out);
  const guard = guardExit(io, () => undefined);
  try {
    const { text, scenarios } = await withModules(io, (modules) =>
      specText(io, { source, spec: path, modules }),
    );
    const written = writeUnlessSame(path, text);
    say(
      io,
      `${counted(scenarios, "scenario")}: ${counted(scenarios + 1, "test")} with the control`,
    );
    say(io, `${written ? "wrote" : "unchanged"} ${oneLine(posixRelative(io.cwd, path), 300)}`);
    return EXIT.passed;
  } finally {
    guard.done();
  }
}

/** "booking.workflow.spec.ts" of "booking.workflow.ts". */
function specBeside(path: string): string {
  const extension = extname(path);
  return join(dirname(path), `${basename(path, extension)}.spec${extension}`);
}

interface SpecAbout {
  readonly source: Source & { readonly kind: "module" };
  readonly spec: string;
  readonly modules: Modules;
}

async function specText(
  io: Io,
  { source, spec, modules }: SpecAbout,
): Promise<{ readonly text: string; readonly scenarios: number }> {
  const found = await workflowFrom(source, modules);
  const { style } = styleOf(dirname(spec), io.cwd, isTypescript(source.path));
  const written = typedFrom(dirname(spec), source.path);
  const file = {
    path: importPath(written, style),
    export: found.export,
    name: posixRelative(io.cwd, source.path),
  };
  return {
    text: matrixSpec(found.workflow, file),
    scenarios: scenariosOf(found.workflow).length,
  };
}

function typedFrom(folder: string, file: string): string {
  const path = posixRelative(folder, file);
  return path.startsWith(".") ? path : `./${path}`;
}

/** The same on every machine. */
function posixRelative(folder: string, file: string): string {
  return relative(folder, file).split(sep).join("/");
}

/** Writes a spec again where it is ours and nobody changed it; any other file stays. */
function writeUnlessSame(path: string, text: string): boolean {
  const before = existsSync(path) ? readFileSync(path, "utf8") : undefined;
  if (before === text) return false;
  if (before !== undefined && !isUntouchedMatrixSpec(before)) {
    throw failure("E_SPEC_EDITED", {
      to: `write ${oneLine(path, 300)}`,
      because: "there is a file that this command did not write, or that was changed since",
      fix: "Move it away, or write elsewhere with --out",
    });
  }
  writeAtomic(path, text);
  return true;
}
