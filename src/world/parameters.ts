import { isPromise, type ToolCall } from "../boundary/boundary.ts";
import { decode } from "../shared/encode.ts";
import { messageOf } from "../shared/error.ts";
import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import { MARK, markerKind, put } from "../shared/marker.ts";
import { oneLine } from "../shared/text.ts";
import type { ToolResult } from "../trace/trace.ts";
import type { AnyTool, Internals } from "./internals.ts";
import type { StandardSchema } from "./world.ts";

/** Arguments for a tool's function, or why it is not asked. */
export type Parsed =
  | { readonly args: unknown }
  | { readonly refused: ToolResult }
  /** The simulation's own mistake: the schema cannot be used. */
  | { readonly broken: string };

/** Messages that are told of one call. */
const SHOWN = 5;

/** A fresh copy of a call's arguments, validated by the tool's parameters, with what they add and change. */
export function parseArguments(call: ToolCall, tool: AnyTool, internals: Internals): Parsed {
  const { tool: name, args } = call;
  if (!isObject(args) || (markerKind(args) ?? "object") !== "object")
    return refused(name, ["the arguments must be an object with a member for each parameter"]);
  const { parameters } = tool;
  const live = liveArguments(args);
  if (parameters === undefined) return { args: live };
  if (isStandardSchema(parameters)) return parseStandard(name, parameters, live);
  if (internals.validate === undefined) {
    return {
      broken:
        "its parameters are a JSON Schema, and the world is not prepared; await prepareWorld(world) first",
    };
  }
  const problems = internals.validate(parameters, withoutUndefined(args));
  if (problems.length === 0) return { args: live };
  const unusable = problems.find((problem) => problem.startsWith("the schema cannot be used"));
  if (unusable !== undefined) return { broken: unusable };
  return refused(name, problems.map(fieldFirst));
}

export function isStandardSchema(value: object): value is StandardSchema {
  const standard: unknown = (value as { readonly "~standard"?: unknown })["~standard"];
  return (
    (typeof standard === "object" || typeof standard === "function") &&
    standard !== null &&
    typeof (standard as StandardSchema["~standard"]).validate === "function"
  );
}

interface Issue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[];
}

function parseStandard(name: string, schema: StandardSchema, args: unknown): Parsed {
  let answer: unknown;
  try {
    answer = schema["~standard"].validate(args);
  } catch (thrown) {
    return { broken: `its parameters threw ${oneLine(messageOf(thrown), 200)}` };
  }
  if (isPromise(answer)) {
    Promise.resolve(answer).catch(() => undefined);
    return {
      broken: "its parameters validate by a promise; use a schema without async refinements",
    };
  }
  const { issues, value } = answer as {
    readonly issues?: readonly Issue[];
    readonly value?: unknown;
  };
  return issues === undefined ? { args: value } : refused(name, issues.map(issueText));
}

function issueText({ path = [], message }: Issue): string {
  const field = path.map((part) => String(typeof part === "object" ? part.key : part)).join(".");
  return field === "" ? message : `${field}: ${message}`;
}

/** `/slot must be string` as `slot: must be string`. */
function fieldFirst(problem: string): string {
  const [place = "", ...rest] = problem.split(" ");
  return place.startsWith("/")
    ? `${place.slice(1).replaceAll("/", ".")}: ${rest.join(" ")}`
    : problem;
}

function refused(name: string, problems: readonly string[]): Parsed {
  const shown = problems.slice(0, SHOWN).map((problem) => oneLine(problem, 300));
  const more = problems.length > SHOWN ? [`and ${problems.length - SHOWN} more`] : [];
  const message = `invalid arguments for ${name}: ${[...shown, ...more].join("; ")}`;
  const error = { name: "InvalidArguments", code: "INVALID_ARGUMENTS", message, retryable: false };
  return { refused: { ok: false, error } };
}

/** The arguments as the agent gave them, without members that were undefined; the tool's own. */
function liveArguments(args: Json): unknown {
  if (typeof args !== "object" || args === null) return args;
  if (Array.isArray(args)) return args.map(liveArguments);
  if (Object.hasOwn(args, MARK))
    return markerKind(args) === "object" ? liveMembers(args["v"] as JsonObject) : decode(args);
  return liveMembers(args);
}

function liveMembers(args: JsonObject): Record<string, unknown> {
  // An own `__proto__` stays one: the spread makes it, and an assignment then finds it.
  const live: Record<string, unknown> = { ...args };
  for (const key in live) {
    const member = args[key];
    if (member === undefined || isUndefined(member)) Reflect.deleteProperty(live, key);
    else if (typeof member === "object" && member !== null) live[key] = liveArguments(member);
  }
  return live;
}

function isUndefined(member: Json): boolean {
  return typeof member === "object" && markerKind(member) === "undefined";
}

/** An encoded value without members that were undefined. */
export function withoutUndefined(args: Json): Json {
  if (typeof args !== "object" || args === null) return args;
  if (Array.isArray(args)) return args.map(withoutUndefined);
  const kept: JsonObject = {};
  for (const key of Object.keys(args)) {
    const member = args[key];
    if (member !== undefined && !isUndefined(member)) put(kept, key, withoutUndefined(member));
  }
  return kept;
}
