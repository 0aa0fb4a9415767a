import type { Completion } from "../agent/agent.ts";
import { encode } from "../shared/encode.ts";
import { canonical, isObject, type Json } from "../shared/json.ts";

const MEMBERS: ReadonlySet<string> = new Set(["status", "message", "output"]);

/** What an agent returned, as a completion; undefined when it returned nothing. A value that is none is the output of a completed one. */
export function completionOf(value: unknown): Completion | undefined {
  if (value === undefined) return undefined;
  const json = encode(value);
  if (!isObject(json)) return { status: "completed", message: textOf(json), output: json };
  const { status, message, output } = json;
  const known = Object.keys(json).every((key) => MEMBERS.has(key));
  if (!known || typeof message !== "string" || (status !== "completed" && status !== "blocked"))
    return { status: "completed", message: textOf(json), output: json };
  const said = { status, message } as const;
  return isNothing(output) ? said : { ...said, output };
}

function textOf(json: Json): string {
  return typeof json === "string" ? json : canonical(json);
}

function isNothing(output: Json | undefined): output is undefined {
  return output === undefined || (isObject(output) && output["$t"] === "undefined");
}
