import { statSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { failure, messageOf } from "../shared/error.ts";
import { oneLine } from "../shared/text.ts";
import { nearest } from "../shared/nearest.ts";
import type { Agent } from "./agent.ts";

/** Loads a module by its file URL; a runner brings its own, which knows TypeScript. */
export type ImportModule = (url: string) => Promise<unknown>;

interface LoadOptions {
  readonly importModule?: ImportModule;
}

/** What the function is for; messages and codes name it. */
type Role = "agent" | "judge";

/**
 * The function that `"file#export"` names; the file is found from `root`, and only the last `#` divides. Errors:
 * `E_AGENT_SPEC`, `E_AGENT_MISSING`, `E_AGENT_IMPORT`, `E_AGENT_EXPORT`.
 */
export async function loadAgent(
  spec: string,
  root: string,
  options: LoadOptions = {},
): Promise<Agent> {
  return (await loadFunction(spec, root, { ...options, role: "agent" })) as Agent;
}

/** The same for a function of another role, whose errors begin with its name: `E_JUDGE_SPEC`, ... */
export async function loadFunction(
  spec: string,
  root: string,
  options: LoadOptions & { readonly role: Role },
): Promise<unknown> {
  const { role } = options;
  const { file, name } = parseSpec(spec, role);
  const found = existing(path.resolve(root, file));
  if (found === undefined) {
    throw failure(`${CODE[role]}_MISSING`, {
      to: `load the ${role} ${spec}`,
      because: `there is no file ${path.resolve(root, file)}`,
      fix: `Give the path from the project's root, as ${EXAMPLE[role]}`,
    });
  }
  const importModule = options.importModule ?? ((url: string) => import(url) as Promise<unknown>);
  const module = await imported({ spec, role }, found, importModule);
  const exports = exportsOf(module);
  const wanted = exports.get(name);
  if (typeof wanted === "function") return wanted;
  throw failure(`${CODE[role]}_EXPORT`, {
    to: `load the ${role} ${spec}`,
    because: exports.has(name)
      ? `the export ${name} of ${found} is of type ${wanted === null ? "null" : typeof wanted}, not a function`
      : `${found} has no export ${name}`,
    fix: suggestion(name, exports, role),
  });
}

const CODE: Readonly<Record<Role, string>> = { agent: "E_AGENT", judge: "E_JUDGE" };
const EXAMPLE: Readonly<Record<Role, string>> = {
  agent: "./src/agent.ts#run",
  judge: "./src/judge.ts#ask",
};

function parseSpec(spec: string, role: Role): { readonly file: string; readonly name: string } {
  const at = spec.lastIndexOf("#");
  const [file, name] = [spec.slice(0, at), spec.slice(at + 1)];
  if (at > 0 && /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name)) return { file, name };
  throw failure(`${CODE[role]}_SPEC`, {
    to: `load the ${role} ${JSON.stringify(spec)}`,
    because: "it does not name a file and an export",
    fix: `Write "file#export", as "${EXAMPLE[role]}"`,
  });
}

/** Extensions that may be left out, and what stands in a TypeScript project where `.js` is written. */
const ENDINGS = [".ts", ".mts", ".cts", ".tsx", ".js", ".mjs", ".cjs"];

function existing(file: string): string | undefined {
  const stem = file.replace(/\.[cm]?js$/, "");
  const candidates = [
    file,
    ...ENDINGS.map((ending) => `${file}${ending}`),
    ...ENDINGS.map((ending) => `${stem}${ending}`),
  ];
  return candidates.find(
    (candidate) => statSync(candidate, { throwIfNoEntry: false })?.isFile() === true,
  );
}

async function imported(
  { spec, role }: { readonly spec: string; readonly role: Role },
  file: string,
  importModule: ImportModule,
): Promise<unknown> {
  try {
    return await importModule(pathToFileURL(file).href);
  } catch (cause) {
    const unknownType =
      typeof cause === "object" &&
      cause !== null &&
      "code" in cause &&
      cause.code === "ERR_UNKNOWN_FILE_EXTENSION";
    throw failure(`${CODE[role]}_IMPORT`, {
      to: `load the ${role} ${spec}`,
      because: `${file} could not be imported: ${oneLine(messageOf(cause), 500).replace(/\.$/, "")}`,
      fix: unknownType
        ? "Name the compiled JavaScript file, or run it where TypeScript is known, as in the test runner"
        : "Import the file alone to see the whole error",
      cause,
    });
  }
}

/** Named exports; those of a CommonJS module stand in its default export. */
function exportsOf(module: unknown): Map<string, unknown> {
  const exports = new Map<string, unknown>();
  if (typeof module !== "object" || module === null) return exports;
  const inner: unknown = Reflect.get(module, "default");
  if (typeof inner === "object" && inner !== null)
    for (const [name, value] of Object.entries(inner)) exports.set(name, value);
  for (const [name, value] of Object.entries(module)) exports.set(name, value);
  return exports;
}

function suggestion(name: string, exports: ReadonlyMap<string, unknown>, role: Role): string {
  const functions = [...exports.keys()]
    .filter((key) => typeof exports.get(key) === "function")
    .sort();
  if (functions.length === 0)
    return `Export the ${role}'s function from that file; it exports none now`;
  const near = nearest(name, functions);
  return `It exports the functions ${functions.join(", ")}${near === undefined ? "" : `: did you mean ${near}?`}`;
}
