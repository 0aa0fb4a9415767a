import type { CatalogEntry } from "../agent/agent.ts";
import { internalsOf } from "./internals.ts";
import { schemaOf } from "./schema-text.ts";
import type { World } from "./world.ts";

/** The tools of a world as a model is told of them, in their order; without parameters where their library does not tell them. */
export function catalogOf(world: World): readonly CatalogEntry[] {
  const internals = internalsOf(world);
  return (internals.catalog ??= Object.freeze(
    [...internals.tools].map(([name, { description, parameters }]): CatalogEntry => {
      const schema = parameters === undefined ? undefined : schemaOf(parameters);
      return Object.freeze({
        name,
        ...(description === undefined ? {} : { description }),
        ...(schema === undefined ? {} : { parameters: schema }),
      });
    }),
  ));
}
