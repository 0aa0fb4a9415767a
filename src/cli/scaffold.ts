import { rmSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import type { Config } from "../config/config.ts";
import { checkFormat } from "../generate/ingest.ts";
import { styleOf } from "../generate/style.ts";
import { targetOf } from "../generate/target.ts";
import { draftScaffold, scaffold, type Scaffold } from "../scaffold/scaffold.ts";
import { failure } from "../shared/error.ts";
import { writeAtomic } from "../shared/file.ts";
import { createRedactor, type RedactOptions } from "../shared/redact.ts";
import { oneLine, slug } from "../shared/text.ts";
import type { Args } from "./args.ts";
import { type Command, EXIT, JSON_OPTION, type OptionShape } from "./command.ts";
import { colours, type Io, note, say, sayJson } from "./io.ts";
import { type OneTrace, oneTrace } from "./one-trace.ts";
import { projectOf, typedPath } from "./project.ts";
import { type Destination, reserveFolder } from "./reserve.ts";
import { counted } from "./table.ts";

/** The options of both commands that scaffold. */
export const SCAFFOLD_OPTIONS: Readonly<Record<string, OptionShape>> = {
  out: { type: "text", value: "FOLDER", help: "Where to write; must not exist yet" },
  record: {
    type: "text",
    value: "RECORD",
    help: 'Which trace, where there are several: its number or name as "twiceshy detect --json" tells it, or its id',
  },
  name: {
    type: "text",
    value: "NAME",
    help: "Title and file name of the test; by default the folder's name",
  },
  "draft-only": {
    type: "flag",
    help: "Write only the redacted trace and what it shows of its tools",
  },
  "agent-name": { type: "text", value: "NAME", help: "Agent of the traces that name none" },
  json: JSON_OPTION,
};

export const command: Command = {
  usage: "FILE --out FOLDER [options]",
  about: `Makes a fault test of one recorded run, of any format that can be read: a world whose tools answer as they did, the redacted trace,
and a Vitest spec that plays the run back and puts one fault in its way. What a person must decide is marked TODO, and listed in a README.
The spec is green at once, with a scripted agent in the place of yours. Text of the trace stays data: none of it becomes code.`,
  options: {
    ...SCAFFOLD_OPTIONS,
    format: {
      type: "text",
      value: "NAME",
      help: 'Only a trace of this format ("twiceshy ingest --help" names them)',
    },
  },
  positionals: [1, 1],
  run: (args, io) => scaffoldFrom(args, io, args.text("format")),
};

/** Scaffolds from the file of a command line. */
export async function scaffoldFrom(
  args: Args,
  io: Io,
  format: string | undefined,
): Promise<number> {
  const out = args.text("out");
  if (out === undefined) {
    throw failure("E_OPTION_VALUE", {
      to: "scaffold a fault test",
      because: "no folder was named",
      fix: "Add --out FOLDER, a folder that does not exist yet",
    });
  }
  checkFormat(format);
  const name = nameOf(args.text("name"), resolve(io.cwd, out));
  const config = await projectOf(io);
  const place = { path: resolve(io.cwd, out), name: out };
  const reserved = reserveFolder(place);
  try {
    const agent = args.text("agent-name");
    const one = oneTrace({
      path: typedPath(io, args.positionals[0] ?? ""),
      record: args.text("record"),
      format,
      redact: config.redact,
      ...(agent === undefined ? {} : { agent }),
    });
    const found = { ...one.found, warnings: keepable(one.found.warnings, config.redact) };
    const made = await make({ ...one, found }, place, {
      name,
      config,
      draft: args.flag("draft-only"),
    });
    write(place, made);
    tell(args, io, { made, place, one });
    return EXIT.passed;
  } finally {
    reserved.release();
  }
}

/** The name of the test: only letters, digits and `-` of what was typed. */
function nameOf(typed: string | undefined, folder: string): string {
  if (typed === undefined) return slug(basename(folder)) || "scaffold";
  const name = slug(typed);
  if (name !== "") return name;
  throw failure("E_OPTION_VALUE", {
    to: "name the test",
    because: `${JSON.stringify(oneLine(typed, 60))} has no letter of a to z and no digit`,
    fix: "Use some in --name",
  });
}

/** What a reader said, as it may stand in a file that is committed: where a link leads is this machine's matter. */
function keepable(warnings: readonly string[], redact: RedactOptions): string[] {
  const redactor = createRedactor(redact);
  return warnings
    .filter((warning) => !warning.startsWith("the file is a link"))
    .map((warning) => redactor.text(warning));
}

async function make(
  { found }: OneTrace,
  { path }: Destination,
  about: { readonly name: string; readonly config: Config; readonly draft: boolean },
): Promise<Scaffold> {
  const { trace, format = trace.source } = found;
  if (about.draft) return draftScaffold(found);
  const { name, config } = about;
  const { style } = styleOf(path, config.root, false);
  const own = targetOf({ ...config, specs: { ...config.specs, dir: path } }, trace.agent);
  return scaffold(found, { name, style, format, own });
}

/** All files or none. */
function write({ path }: Destination, { files }: Scaffold): void {
  const written: string[] = [];
  try {
    for (const { name, text } of files) {
      const file = join(path, name);
      written.push(file);
      writeAtomic(file, text, { inside: path });
    }
  } catch (thrown) {
    for (const file of written) rmSync(file, { force: true });
    throw thrown;
  }
}

function tell(
  args: Args,
  io: Io,
  {
    made,
    place,
    one,
  }: { readonly made: Scaffold; readonly place: Destination; readonly one: OneTrace },
): void {
  const { yellow } = colours(io, io.stderr);
  const { found, broken } = one;
  if (broken > 0) note(io, yellow(`${counted(broken, "other record")} could not be read`));
  for (const warning of found.warnings.slice(0, 5))
    note(io, yellow(`odd      ${oneLine(warning, 300)}`));
  const files = made.files.map(({ name }) => name);
  const folder = oneLine(place.name, 300);
  if (args.flag("json")) {
    const tools = made.tools.map(({ alias, name, kind, kindFrom, calls }) => ({
      alias,
      name,
      kind,
      kindFrom,
      calls,
    }));
    sayJson(io, { folder: place.name, files, tools, decisions: made.decisions });
    return;
  }
  for (const name of files) say(io, `wrote    ${folder}/${name}`);
  say(
    io,
    `${counted(made.tools.length, "tool")}; ${counted(made.decisions.length, "thing")} to decide, listed in ${folder}/${args.flag("draft-only") ? "tools.json" : "README.md"}`,
  );
  const spec = files.find((name) => name.includes(".fault.test."));
  if (spec !== undefined) say(io, `Next: npx vitest run ${folder}/${spec}`);
}
