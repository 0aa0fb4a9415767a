import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { failure, messageOf } from "../shared/error.ts";
import { readCapped } from "../shared/file.ts";
import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import { parseJson } from "../shared/parse.ts";
import { oneLine } from "../shared/text.ts";
import type { Trace } from "../trace/trace.ts";
import { playTrace, type PlayedTrace, type ToolFacts, type ToolKinds } from "./played-trace.ts";

export const TRACE_FILE = "trace.json";
export const TOOLS_FILE = "tools.json";

const MAX_BYTES = 256 * 1024 * 1024;
const LIMITS = { depth: 256, nodes: 50_000_000 };

/**
 * Opens the recorded run that `twiceshy scaffold` wrote beside a module (give `import.meta.url`, or `__filename`): `trace.json`, and what
 * `tools.json` knows of its tools. `kinds` says by alias which tools change something.
 *
 *     const trace = openTrace(import.meta.url, { get_slot: "read", reserve_slot: "write" });
 * @throws E_TRACE_FILE for a file that is missing or is not what was written; E_TRACE_TOOL for an alias that `tools.json` does not know
 */
export function openTrace<const Kinds extends ToolKinds>(
  from: string,
  kinds: Kinds,
): PlayedTrace<Kinds> {
  const folder = dirname(from.startsWith("file:") ? fileURLToPath(from) : from);
  return playTrace(traceIn(folder), toolsIn(folder), kinds);
}

function traceIn(folder: string): Trace {
  const path = join(folder, TRACE_FILE);
  const value = read(path);
  const good =
    Array.isArray(value["steps"]) &&
    value["task"] !== undefined &&
    typeof value["status"] === "string" &&
    value["steps"].every((step) => isStep(step));
  if (!good) throw unusable(path, "it is no trace");
  return value as unknown as Trace;
}

/** A tool call must be whole; other steps are not looked at. */
function isStep(step: Json): boolean {
  if (!isObject(step)) return false;
  if (step["kind"] !== "tool") return true;
  const { result } = step;
  if (typeof step["name"] !== "string" || step["args"] === undefined) return false;
  if (result === undefined) return true;
  if (!isObject(result) || typeof result["ok"] !== "boolean") return false;
  const { error } = result;
  return result["ok"]
    ? result["data"] !== undefined
    : isObject(error) && typeof error["message"] === "string";
}

function toolsIn(folder: string): ReadonlyMap<string, ToolFacts> {
  const path = join(folder, TOOLS_FILE);
  const { tools } = read(path);
  if (!isObject(tools)) throw unusable(path, "/tools is no object");
  const facts = new Map<string, ToolFacts>();
  for (const [alias, tool] of Object.entries(tools)) {
    const { name, parameters = {} } = isObject(tool) ? tool : {};
    if (typeof name !== "string" || !isObject(parameters))
      throw unusable(
        path,
        `/tools/${oneLine(alias, 60)} has no name, or no parameters that are a schema`,
      );
    facts.set(alias, { name, parameters });
  }
  return facts;
}

function read(path: string): JsonObject {
  let value: Json;
  try {
    value = parseJson(readCapped(path, MAX_BYTES), LIMITS);
  } catch (cause) {
    throw unusable(path, oneLine(messageOf(cause), 400), cause);
  }
  if (!isObject(value)) throw unusable(path, "it holds no object");
  return value;
}

function unusable(path: string, because: string, cause?: unknown): Error {
  return failure("E_TRACE_FILE", {
    to: `open the recorded run in ${path}`,
    because,
    fix: "Restore the file from version control, or scaffold again into another folder",
    ...(cause === undefined ? {} : { cause }),
  });
}
