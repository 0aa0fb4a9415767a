import { existsSync, readdirSync, readFileSync, statSync, type BigIntStats } from "node:fs";
import { join } from "node:path";
import type { Config } from "../config/config.ts";
import { sha256 } from "../shared/hash.ts";
import { byCodeUnit, canonical, isObject, type Json } from "../shared/json.ts";
import { expand } from "./glob.ts";
import { REPROS_ENDING, SPEC_NAME } from "./names.ts";
import type { GenerateResult } from "./result.ts";

/** Version of this engine: after an update everything is generated anew. A test holds it equal to the package's. */
export const ENGINE = "0.1.0";

/** What the last generation saw, so that the next can tell without reading a trace that nothing changed. */
interface Manifest {
  readonly formatVersion: 1;
  /** Digest of everything that was looked at. */
  readonly inputs: string;
  /** Files outside traces and specs that were looked at, there or not. */
  readonly others: readonly string[];
}

/**
 * Whether generating would find nothing to do: there is nothing at all, or nothing changed since the last generation, which had no
 * error. Reads no trace and loads no schema library, importer or store.
 */
export function isUpToDate(config: Config): boolean {
  const traces = expand(config.traces);
  const committed = committedIn(config.specs.dir);
  if (traces.length === 0 && committed.length === 0) return true;
  const manifest = readManifest(config);
  return (
    manifest !== undefined &&
    manifest.inputs === inputsOf(config, { traces: stampsOf(traces), others: manifest.others })
  );
}

/** `generate`, loaded and run only when there is something to do; undefined when there is not. */
export async function generateIfNeeded(config: Config): Promise<GenerateResult | undefined> {
  if (isUpToDate(config)) return undefined;
  const { generate } = await import("./generate.ts");
  return generate(config);
}

/** Where the manifest lies; it is a cache, and only kept in a folder that is there already. */
export function manifestPath(config: Config): string {
  return join(config.root, ".twiceshy", "generated.json");
}

export function manifestText(inputs: string, others: readonly string[]): string {
  const manifest: Manifest = {
    formatVersion: 1,
    inputs,
    others: [...new Set(others)].sort(byCodeUnit),
  };
  return `${JSON.stringify(manifest)}\n`;
}

/** Size and times of every file that the trace paths name; taken before they are read, so that a later change is seen. */
export function stampsOf(traces: readonly string[]): string {
  return stamped(traces.flatMap((path) => below(path)));
}

/** Size and times of the repros and specs of a folder. */
export function committedStamps(dir: string): string {
  return stamped(committedIn(dir));
}

/** Digest of all that decides what a generation gives: our version, the options, and size and times of every file. */
export function inputsOf(
  config: Config,
  { traces, others }: { readonly traces: string; readonly others: readonly string[] },
): string {
  // The version under test changes with every commit, and nothing here depends on it.
  const { agentVersion: _version, ...options } = config;
  const files = stamped([...committedIn(config.specs.dir), ...others]);
  return sha256([ENGINE, canonical(options as unknown as Json), traces, files].join("\n"));
}

function stamped(files: readonly string[]): string {
  return [...new Set(files)]
    .sort(byCodeUnit)
    .map((path) => `${path} ${stampOf(path)}`)
    .join("\n");
}

/** The repros, specs and proposed specs of a folder. */
function committedIn(dir: string): string[] {
  if (!existsSync(dir)) return [];
  return readdirSync(dir)
    .filter((name) => name.endsWith(REPROS_ENDING) || SPEC_NAME.test(name.replace(/\.new$/, "")))
    .map((name) => join(dir, name));
}

/** The path itself, or what lies in it when it is a folder. */
function below(path: string): string[] {
  if (statsOf(path)?.isDirectory() !== true) return [path];
  return [path, ...expand([`${path.replace(/\/$/, "")}/**/*`])];
}

function stampOf(path: string): string {
  const stats = statsOf(path);
  if (stats === undefined) return "none";
  return [stats.size, stats.mtimeNs, stats.ctimeNs, stats.ino].join(" ");
}

/** Undefined for what is not there, and for what the system refuses: links that lead in a circle, a folder of somebody else's. */
function statsOf(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function readManifest(config: Config): Manifest | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(manifestPath(config), "utf8"));
    if (!isObject(value) || value["formatVersion"] !== 1) return undefined;
    const { inputs, others } = value;
    if (typeof inputs !== "string" || !Array.isArray(others)) return undefined;
    return { formatVersion: 1, inputs, others: others.filter((item) => typeof item === "string") };
  } catch {
    return undefined;
  }
}
