import type { Json, JsonObject } from "../shared/json.ts";
import { isStandardSchema } from "./parameters.ts";
import { plain, type Walk } from "./plain.ts";

/** A tool's parameters as JSON Schema: as they are, or as their library tells them; undefined where it does not. */
export function schemaOf(parameters: object): JsonObject | undefined {
  if (!isStandardSchema(parameters)) return copied(parameters);
  const told = attempt(() => fromStandard(parameters)) ?? attempt(() => fromMethod(parameters));
  return told === undefined ? undefined : copied(told);
}

/** Standard JSON Schema, which zod 4.2 and others speak. */
function fromStandard(schema: object): unknown {
  const standard = (schema as { readonly "~standard": object })["~standard"] as {
    readonly jsonSchema?: { input?(options: { readonly target: string }): unknown };
  };
  return standard.jsonSchema?.input?.({ target: "draft-2020-12" });
}

function fromMethod(schema: object): unknown {
  return (schema as { toJSONSchema?(): unknown }).toJSONSchema?.();
}

function attempt(tell: () => unknown): unknown {
  try {
    return tell();
  } catch {
    // A schema that JSON Schema cannot express: its parameters stay unknown.
    return undefined;
  }
}

function copied(schema: unknown): JsonObject | undefined {
  const walk: Walk = { stack: [], freeze: false };
  const copy: Json | undefined = attempt(() => plain(schema, walk)) as Json | undefined;
  if (walk.problem !== undefined || typeof copy !== "object" || copy === null) return undefined;
  return Array.isArray(copy) ? undefined : copy;
}
