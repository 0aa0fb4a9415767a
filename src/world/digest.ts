import { sha256 } from "../shared/hash.ts";
import { byCodeUnit, canonical, type Json } from "../shared/json.ts";
import type { AnyTool, Internals } from "./internals.ts";
import { isStandardSchema } from "./parameters.ts";
import { schemaOf } from "./schema-text.ts";

/** Digest of a start state and of what its tools do: 16 hex digits. Descriptions are not part of it. */
export function digestOf(state: Json, { tools }: Internals): string {
  const told = [...tools.entries()].sort(([a], [b]) => byCodeUnit(a, b));
  return sha256(canonical([state, told.map(([name, tool]) => [name, toolDigest(tool)])]), 16);
}

function toolDigest(tool: AnyTool): Json {
  const { kind, onError = "discard", parameters } = tool;
  return [kind, onError, parametersDigest(parameters), String(Reflect.get(tool, "execute"))];
}

function parametersDigest(parameters: object | undefined): Json {
  if (parameters === undefined) return null;
  const schema = schemaOf(parameters);
  if (schema !== undefined) return schema;
  // A schema whose library tells no JSON Schema: only that there is one is known.
  return isStandardSchema(parameters) ? { vendor: parameters["~standard"].vendor } : {};
}
