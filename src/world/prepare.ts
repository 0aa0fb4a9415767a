import { failure } from "../shared/error.ts";
import { internalsOf } from "./internals.ts";
import { isStandardSchema } from "./parameters.ts";
import type { World } from "./world.ts";

/**
 * Loads what a world needs before it is opened: the validator of JSON Schemas, where a tool's parameters are one. Once is
 * enough. Throws `E_WORLD_TOOL` for a schema that cannot be used.
 */
export async function prepareWorld(world: World): Promise<void> {
  const internals = internalsOf(world);
  if (internals.validate !== undefined) return;
  const schemas = [...internals.tools].flatMap(([name, { parameters }]) =>
    parameters === undefined || isStandardSchema(parameters) ? [] : [{ name, parameters }],
  );
  if (schemas.length === 0) return;
  const { validateSchema } = await import("../shared/json-schema.ts");
  for (const { name, parameters } of schemas) {
    const [problem] = validateSchema(parameters, {});
    if (problem?.startsWith("the schema cannot be used") === true) {
      throw failure("E_WORLD_TOOL", {
        to: `prepare the world ${JSON.stringify(world.name)}`,
        because: `the parameters of its tool ${JSON.stringify(name)} are no JSON Schema: ${problem}`,
        fix: "Correct the schema, or give a zod schema",
      });
    }
  }
  internals.validate = validateSchema;
}
