import type { Completion } from "../agent/agent.ts";
import { encode } from "../shared/encode.ts";
import { canonical, isObject, type Json, type JsonObject } from "../shared/json.ts";
import { encodeFlat } from "./plain-copy.ts";

/** What an agent returned, as a completion; undefined when it returned nothing. A value that is none is the output of a completed one. */
export function completionOf(value: unknown): Completion | undefined {
  if (value === undefined) return undefined;
  const json = typeof value === "object" && value !== null ? encodeFlat(value) : encode(value);
  if (!isObject(json)) return { status: "completed", message: textOf(json), output: json };
  const { status, message, output } = json;
  if (
    hasOthers(json) ||
    typeof message !== "string" ||
    (status !== "completed" && status !== "blocked")
  )
    return { status: "completed", message: textOf(json), output: json };
  return isNothing(output) ? { status, message } : { status, message, output };
}

function hasOthers(json: JsonObject): boolean {
  for (const key in json)
    if (key !== "status" && key !== "message" && key !== "output") return true;
  return false;
}

function textOf(json: Json): string {
  return typeof json === "string" ? json : canonical(json);
}

function isNothing(output: Json | undefined): output is undefined {
  return output === undefined || (isObject(output) && output["$t"] === "undefined");
}
