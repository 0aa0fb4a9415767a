import type { Json } from "../shared/json.ts";
import { nearest } from "../shared/nearest.ts";
import { oneLine } from "../shared/text.ts";
import type { FaultField } from "./fault.ts";

/** Kinds of tools by their names. */
export type Tools = ReadonlyMap<string, "read" | "write">;

const DAY_MS = 86_400_000;
const MOST = 1_000_000;
const PAYLOAD_BYTES = 65_536;
const DEPTH = 100;

/** What is wrong with one field, with its name and the remedy; undefined when nothing is. */
export function fieldProblem(
  field: string,
  value: Json,
  { shape, tools }: { readonly shape: FaultField; readonly tools: Tools | undefined },
): string | undefined {
  if (typeof shape !== "string") {
    if (typeof value === "string" && shape.includes(value)) return undefined;
    return `${field}: ${shown(value)} is not one of ${shape.map((word) => JSON.stringify(word)).join(", ")}; use one of them`;
  }
  const problem = shape === "tool" ? toolProblem(value, tools) : SHAPES[shape](value);
  return problem === undefined ? undefined : `${field}: ${problem}`;
}

/** Why a value is no JSON, or too large; undefined for a good one. */
export function jsonProblem(value: unknown): string | undefined {
  const place = unfit(value, "", []);
  if (place !== undefined)
    return place === "" ? "the value is no JSON" : `the value at ${oneLine(place, 80)} is no JSON`;
  const bytes = Buffer.byteLength(JSON.stringify(value));
  return bytes > PAYLOAD_BYTES
    ? `it has ${bytes} bytes, and ${PAYLOAD_BYTES} are the most`
    : undefined;
}

const SHAPES: Readonly<
  Record<Exclude<FaultField, "tool" | readonly string[]>, (value: Json) => string | undefined>
> = {
  json: (value) => withRemedy(jsonProblem(value), "use smaller, plain JSON"),
  string: (value) =>
    typeof value !== "string" || value === ""
      ? `${shown(value)} is no text; use one`
      : withRemedy(jsonProblem(value), "use a shorter text"),
  code: (value) =>
    (typeof value === "string" && value !== "" && value.length <= 200) || typeof value === "number"
      ? undefined
      : `${shown(value)} is no code; use a text such as "NOT_FOUND", or a number`,
  boolean: (value) =>
    typeof value === "boolean" ? undefined : `${shown(value)} is not true or false; use one`,
  ms: (value) =>
    isWhole(value, 0, DAY_MS)
      ? undefined
      : `${shown(value)} is no time; use whole milliseconds from 0 to ${DAY_MS}`,
  count: (value) =>
    isWhole(value, 1, MOST)
      ? undefined
      : `${shown(value)} is no count; use a whole number from 1 to ${MOST}`,
  names: (value) =>
    Array.isArray(value) && value.length > 0 && value.every((name) => typeof name === "string")
      ? undefined
      : `${shown(value)} is no list of texts; use one such as ["/requestId"]`,
};

function toolProblem(value: Json, tools: Tools | undefined): string | undefined {
  if (typeof value !== "string" || value === "")
    return `${shown(value)} is no tool's name; name one of the world's tools`;
  if (tools === undefined || tools.has(value)) return undefined;
  const known = [...tools.keys()];
  const meant = nearest(value, known);
  const remedy =
    meant === undefined ? `it has ${known.join(", ") || "none"}` : `did you mean ${shown(meant)}?`;
  return `the world has no tool ${shown(value)}; ${remedy}`;
}

function withRemedy(problem: string | undefined, remedy: string): string | undefined {
  return problem === undefined ? undefined : `${problem}; ${remedy}`;
}

function isWhole(value: Json, least: number, most: number): boolean {
  return typeof value === "number" && Number.isInteger(value) && value >= least && value <= most;
}

/** The first place that holds something else than JSON. */
function unfit(value: unknown, place: string, around: readonly object[]): string | undefined {
  if (value === null || typeof value === "string" || typeof value === "boolean") return undefined;
  if (typeof value === "number") return Number.isFinite(value) ? undefined : place;
  if (typeof value !== "object" || around.includes(value) || around.length >= DEPTH) return place;
  const prototype: unknown = Object.getPrototypeOf(value);
  const plain =
    Array.isArray(value) || prototype === null || Object.getPrototypeOf(prototype) === null;
  if (!plain) return place;
  for (const [key, member] of Object.entries(value)) {
    const found = unfit(member, `${place}/${key}`, [...around, value]);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A value as a message shows it. */
export function shown(value: unknown): string {
  try {
    return oneLine(JSON.stringify(value) ?? String(value), 80);
  } catch {
    return "this";
  }
}
