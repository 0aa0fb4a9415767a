import { failure } from "../shared/error.ts";
import type { Json, JsonObject } from "../shared/json.ts";
import type { CatalogEntry } from "../agent/agent.ts";
import type { ToolContext, World, WorldTool } from "./world.ts";

/** A tool of any world: what `defineWorld` has checked, without its types. */
export interface AnyTool extends Omit<WorldTool, "execute" | "parameters"> {
  readonly parameters?: JsonObject;
  execute(args: unknown, state: unknown, context: ToolContext): unknown;
}

/** What a world keeps for this room alone. */
export interface Internals {
  readonly tools: ReadonlyMap<string, AnyTool>;
  /** Whether the start state has a member that is named as our markers are. */
  readonly marked: boolean;
  /** Validates by JSON Schema; there once the world is prepared. */
  validate?: (schema: Json, value: Json) => readonly string[];
  catalog?: readonly CatalogEntry[];
  digest?: string;
}

const INTERNALS: unique symbol = Symbol.for("twiceshy.world") as never;

export function withInternals<T extends object>(world: T, internals: Internals): T {
  return Object.defineProperty(world, INTERNALS, { value: internals });
}

/** Throws for what is no world of `defineWorld`. */
export function internalsOf(world: World): Internals {
  const internals = (world as { readonly [INTERNALS]?: Internals })[INTERNALS];
  if (internals !== undefined) return internals;
  throw failure("E_WORLD_FOREIGN", {
    to: "use a world",
    because: "it was not made by defineWorld",
    fix: "Write defineWorld({ name, state, tools }) around it",
  });
}
