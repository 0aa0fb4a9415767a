import { child } from "../shared/pointer.ts";

/** Where a value is no JSON, and why. */
interface JsonProblem {
  readonly pointer: string;
  readonly why: string;
}

/** Readers take 128 levels; a report puts some around a value. */
const DEPTH = 100;

/** The first place of a value that JSON cannot hold; undefined when it is JSON. */
export function jsonProblem(value: unknown): JsonProblem | undefined {
  return problemAt(value, "", []);
}

function problemAt(
  value: unknown,
  pointer: string,
  path: readonly object[],
): JsonProblem | undefined {
  switch (typeof value) {
    case "string":
    case "boolean":
      return undefined;
    case "number":
      return Number.isFinite(value) ? undefined : { pointer, why: `${value} is no JSON number` };
    case "undefined":
    case "bigint":
    case "function":
    case "symbol":
      return { pointer, why: `a value of type ${typeof value} is no JSON` };
    case "object":
      break;
  }
  return value === null ? undefined : objectProblem(value, pointer, path);
}

function objectProblem(
  value: object,
  pointer: string,
  path: readonly object[],
): JsonProblem | undefined {
  if (path.includes(value)) return { pointer, why: "it holds itself" };
  if (path.length >= DEPTH) return { pointer, why: `it is nested more than ${DEPTH} levels deep` };
  const proto: unknown = Object.getPrototypeOf(value);
  const plain =
    Array.isArray(value) ||
    proto === null ||
    (typeof proto === "object" && Object.getPrototypeOf(proto) === null);
  if (!plain) return { pointer, why: `a ${value.constructor.name} is no JSON` };
  const inner = [...path, value];
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined && !Array.isArray(value)) continue;
    const problem = problemAt(member, child(pointer, key), inner);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
