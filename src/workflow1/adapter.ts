import { statSync } from "node:fs";
import { pathToFileURL } from "node:url";
import type { ImportModule } from "../agent/load.ts";
import { failure } from "../shared/error.ts";
import { isObject } from "../shared/json.ts";
import { oneLine } from "../shared/text.ts";
import { causeOf } from "./problem.ts";

/** What a tool of an adapter is given beside its arguments and the state. */
export interface AdapterToolContext {
  readonly signal: AbortSignal;
  readonly clock: AdapterClock;
}

export interface AdapterClock {
  now(): number;
  sleep(ms: number): Promise<void>;
}

/** A tool of an adapter: it changes the draft in place, and answers `{ ok: true, data }` or `{ ok: false, error }`. */
export interface AdapterTool {
  readonly kind: "read" | "write";
  readonly description?: string;
  execute(args: never, state: never, context: AdapterToolContext): unknown;
}

/** The module that a `workflow/1` document runs with. */
export interface Adapter {
  readonly tools: Readonly<Record<string, AdapterTool>>;
  /** Called for every trial; may be asynchronous. */
  readonly createAgent: () => unknown;
}

const ENDINGS = /\.(?:[cm]?js|[cm]?ts)$/;

/** Refuses what cannot be an adapter, without importing it. `name` is what a person calls the file. */
export function findAdapter(path: string, name: string): void {
  const problem = (because: string): Error =>
    failure("E_ADAPTER_MISSING", {
      to: `load the adapter ${oneLine(name, 300)}`,
      because,
      fix: "Name a module that exports tools and createAgent with --adapter",
    });
  if (!ENDINGS.test(path)) throw problem("its name does not end in .mjs, .js, .cjs or .ts");
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true)
    throw problem("there is no such file");
}

/**
 * Imports an adapter: named exports, or a default export that has them. Nothing of it is called. Errors: E_ADAPTER_IMPORT with the
 * module's own message, E_ADAPTER_EXPORT, E_ADAPTER_TOOL.
 */
export async function loadAdapter(
  path: string,
  name: string,
  importModule: ImportModule,
): Promise<Adapter> {
  findAdapter(path, name);
  const file = oneLine(name, 300);
  const module = await imported(path, file, importModule);
  const tools = exportOf(module, "tools");
  const createAgent = exportOf(module, "createAgent");
  const wrong = (because: string): Error =>
    failure("E_ADAPTER_EXPORT", {
      to: `load the adapter ${file}`,
      because,
      fix: "Export tools (an object) and createAgent (a function) by name, or both in the default export",
    });
  if (!isObject(tools)) throw wrong(`its export tools is ${kindOf(tools)}, not an object of tools`);
  if (Object.keys(tools).length === 0) throw wrong("its export tools is empty");
  if (typeof createAgent !== "function")
    throw wrong(`its export createAgent is ${kindOf(createAgent)}, not a function`);
  for (const [tool, given] of Object.entries(tools)) checkTool(file, tool, given);
  return {
    tools: tools as unknown as Adapter["tools"],
    createAgent: () => createAgent() as unknown,
  };
}

async function imported(path: string, file: string, importModule: ImportModule): Promise<unknown> {
  try {
    return await importModule(pathToFileURL(path).href);
  } catch (cause) {
    throw failure("E_ADAPTER_IMPORT", {
      to: `load the adapter ${file}`,
      because: `it could not be imported: ${causeOf(cause)}`,
      fix: isUnknownKind(cause)
        ? "Use Node 22.18 or newer, install vitest in the project, or name the compiled JavaScript file"
        : "Import the file alone to see the whole error",
      cause,
    });
  }
}

function isUnknownKind(cause: unknown): boolean {
  return (
    typeof cause === "object" &&
    cause !== null &&
    "code" in cause &&
    cause.code === "ERR_UNKNOWN_FILE_EXTENSION"
  );
}

/** A named export, else a member of the default export (of which a CommonJS module has two, one in the other). */
function exportOf(module: unknown, name: string): unknown {
  let holder = module;
  for (let depth = 0; depth < 3; depth++) {
    if (typeof holder !== "object" || holder === null) return undefined;
    if (Reflect.has(holder, name)) return Reflect.get(holder, name) as unknown;
    holder = Reflect.get(holder, "default") as unknown;
  }
  return undefined;
}

function checkTool(file: string, tool: string, given: unknown): void {
  const wrong = (because: string): Error =>
    failure("E_ADAPTER_TOOL", {
      to: `load the tool ${oneLine(tool, 100)} of the adapter ${file}`,
      because,
      fix: 'Write { kind: "read" or "write", execute(args, state, context) {...} }',
    });
  if (!isObject(given)) throw wrong(`it is ${kindOf(given)}, not an object`);
  const { kind, execute } = given as { kind?: unknown; execute?: unknown };
  if (kind !== "read" && kind !== "write")
    throw wrong(
      `its kind is ${typeof kind === "string" ? JSON.stringify(oneLine(kind, 40)) : kindOf(kind)}, not "read" or "write"`,
    );
  if (typeof execute !== "function")
    throw wrong(`its execute is ${kindOf(execute)}, not a function`);
}

function kindOf(value: unknown): string {
  if (value === undefined) return "missing";
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : `of type ${typeof value}`;
}
