import { failure } from "../shared/error.ts";
import { isObject, type JsonObject } from "../shared/json.ts";
import { digestOf } from "./digest.ts";
import { withInternals, type AnyTool, type Internals } from "./internals.ts";
import type { Container } from "./overlay.ts";
import { isStandardSchema } from "./parameters.ts";
import { plain, type Walk } from "./plain.ts";
import type { StandardSchema, ToolContext, World, WorldTool } from "./world.ts";

/** Arguments of a tool: what its Standard Schema gives, else any JSON object. */
type ArgsOf<Args> = unknown extends Args ? JsonObject : Args;

/** One tool as it is written down; see `WorldTool`. */
interface ToolDefinition<State, Args> extends Omit<WorldTool, "execute" | "parameters"> {
  readonly parameters?: StandardSchema<Args> | JsonObject;
  execute(args: ArgsOf<Args>, state: State, context: ToolContext): unknown;
}

/** What a world is made of. */
export interface WorldDefinition<State, Args> {
  /** Names the world in messages and reports. Default: `world`. */
  readonly name?: string;
  /** The start state: JSON, an object or an array; or a function that builds it. It is copied. */
  readonly state: State | (() => State);
  /** By name; a name may have any characters. */
  readonly tools: { readonly [Name in keyof Args]: ToolDefinition<State, Args[Name]> };
  readonly overlap?: boolean;
  readonly rival?: (state: State) => void;
}

/**
 * Makes a world; the types of the state and of each tool's arguments follow from what is given. Throws `E_WORLD_STATE`
 * for a state that is not JSON, `E_WORLD_TOOL` for a tool that cannot be one; both name the place and the remedy.
 */
export function defineWorld<State extends object, Args extends Record<string, unknown>>(
  definition: WorldDefinition<State, Args>,
): World<State> {
  const name = definition.name ?? "world";
  const walk: Walk = { stack: [], freeze: true };
  const state = startState(name, definition.state, walk);
  const tools = toolsOf(name, definition.tools);
  const internals: Internals = { tools, marked: walk.marked === true };
  const listed = Object.create(null) as Record<string, WorldTool>;
  for (const [key, tool] of tools) listed[key] = tool;
  const world: World<State> = {
    name,
    state: state as State,
    tools: Object.freeze(listed),
    overlap: definition.overlap ?? false,
    ...(definition.rival === undefined ? {} : { rival: definition.rival }),
    get digest() {
      return (internals.digest ??= digestOf(state, internals));
    },
  };
  return Object.freeze(withInternals(world, internals));
}

function startState(name: string, given: unknown, walk: Walk): Container {
  const to = `define the world ${JSON.stringify(name)}`;
  let state: unknown = given;
  let copy: unknown;
  try {
    if (typeof given === "function") state = given();
    copy = plain(state, walk);
  } catch (thrown) {
    throw failure("E_WORLD_STATE", {
      to,
      because: "its start state threw when it was built or read",
      fix: "Correct the function that builds it; it takes nothing and returns JSON at once",
      cause: thrown,
    });
  }
  if (walk.problem !== undefined) {
    const { pointer, found, instead } = walk.problem;
    const place = pointer === "" ? "its start state" : `its start state at ${pointer}`;
    const fix = `${instead.charAt(0).toUpperCase()}${instead.slice(1)}`;
    throw failure("E_WORLD_STATE", { to, because: `${place} is ${found}, which is not JSON`, fix });
  }
  if (typeof copy === "object" && copy !== null) return copy as Container;
  throw failure("E_WORLD_STATE", {
    to,
    because: `its start state is ${copy === undefined ? "missing" : JSON.stringify(copy)}`,
    fix: "Give an object, such as { bookings: [] }",
  });
}

function toolsOf(world: string, given: unknown): Map<string, AnyTool> {
  if (!isObject(given))
    throw badTool(world, "its tools are no object", "Give tools: { name: { kind, execute } }");
  const tools = new Map<string, AnyTool>();
  for (const key of Object.keys(given)) tools.set(key, checkedTool(world, key, given[key]));
  return tools;
}

function checkedTool(world: string, name: string, given: unknown): AnyTool {
  const tool = given as Partial<Record<keyof WorldTool, unknown>>;
  const wrong = toolProblem(tool);
  if (wrong !== undefined)
    throw badTool(world, `its tool ${JSON.stringify(name)} ${wrong[0]}`, wrong[1]);
  return given as AnyTool;
}

/** What is wrong with a tool's shape, and what to do. */
function toolProblem(tool: unknown): readonly [string, string] | undefined {
  if (!isObject(tool))
    return ["is no object", 'Write { kind: "read" or "write", execute(args, state) {} }'];
  const { kind, execute, onError, description, parameters } = tool as Record<string, unknown>;
  if (kind !== "read" && kind !== "write")
    return [`has the kind ${said(kind)}`, 'Set kind to "read" or "write"'];
  if (typeof execute !== "function") return ["has no execute", "Give it execute(args, state) {}"];
  if (onError !== undefined && onError !== "discard" && onError !== "keep")
    return [`has the onError ${said(onError)}`, 'Set onError to "discard" or "keep"'];
  if (description !== undefined && typeof description !== "string")
    return ["has a description that is no text", "Give it as a string"];
  if (parameters === undefined) return undefined;
  const usable =
    (typeof parameters === "object" || typeof parameters === "function") &&
    parameters !== null &&
    (isStandardSchema(parameters) || isObject(parameters));
  if (!usable) return ["has parameters that are no schema", "Give a zod schema or a JSON Schema"];
  if (isStandardSchema(parameters)) return undefined;
  const walk: Walk = { stack: [], freeze: false };
  plain(parameters, walk);
  if (walk.problem === undefined) return undefined;
  return [
    `has parameters that are neither a Standard Schema nor JSON: ${walk.problem.found} at ${walk.problem.pointer}`,
    "Give a schema of zod 3.24 or newer, valibot or arktype, or a JSON Schema",
  ];
}

function said(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}

function badTool(world: string, because: string, fix: string): Error {
  return failure("E_WORLD_TOOL", { to: `define the world ${JSON.stringify(world)}`, because, fix });
}
