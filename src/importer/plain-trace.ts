import { isObject, type Json } from "../shared/json.ts";
import { TRACE_VERSION } from "../trace/trace.ts";

type Test = (value: Json) => boolean;

const isText: Test = (value) => typeof value === "string";
const isNumber: Test = (value) => typeof value === "number" && Number.isFinite(value);
const isPositive: Test = (value) => typeof value === "number" && value >= 0 && value < Infinity;
const isCount: Test = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const isAny: Test = () => true;
const isTexts: Test = (value) => Array.isArray(value) && value.every((item) => isText(item));

const ERROR: ReadonlyMap<string, Test> = new Map<string, Test>([
  ["name", isText],
  ["message", isText],
  ["data", isAny],
]);
const STEP: ReadonlyMap<string, Test> = new Map<string, Test>([
  ["index", isCount],
  ["at", isNumber],
  ["kind", isText],
]);
const CONTENT: ReadonlyMap<string, Test> = new Map([...STEP, ["content", isAny]]);
const TOOL: ReadonlyMap<string, Test> = new Map<string, Test>([
  ...STEP,
  ["id", isText],
  ["name", isText],
  ["args", isAny],
  ["params", isTexts],
  ["result", isResult],
  ["durationMs", isPositive],
]);
const ERROR_STEP: ReadonlyMap<string, Test> = new Map<string, Test>([...STEP, ["error", isError]]);
interface Shape {
  readonly tests: ReadonlyMap<string, Test>;
  readonly needed: readonly string[];
}

const SAID: Shape = { tests: CONTENT, needed: ["index", "content"] };
const STEPS: ReadonlyMap<string, Shape> = new Map<string, Shape>([
  ["input", SAID],
  ["reasoning", SAID],
  ["output", SAID],
  ["tool", { tests: TOOL, needed: ["index", "name", "args"] }],
  ["error", { tests: ERROR_STEP, needed: ["index", "error"] }],
]);
const STATUSES: ReadonlySet<Json> = new Set(["ok", "error", "timeout", "incomplete"]);
const TRACE: ReadonlyMap<string, Test> = new Map<string, Test>([
  ["schemaVersion", (value) => value === TRACE_VERSION],
  ["id", isText],
  ["taskId", isText],
  ["task", isAny],
  ["agent", isText],
  ["agentVersion", isText],
  ["source", isText],
  ["status", (value) => STATUSES.has(value)],
  ["startedAt", isNumber],
  ["endedAt", isNumber],
  ["durationMs", isPositive],
  ["steps", (value) => Array.isArray(value) && value.every((step) => isStep(step))],
  ["output", isAny],
  ["tools", isTexts],
  ["meta", isObject],
]);
const NEEDED = [
  "schemaVersion",
  "id",
  "taskId",
  "task",
  "agent",
  "agentVersion",
  "source",
  "status",
  "steps",
];

/**
 * Whether a value is surely what the trace's schema wants: the shape of nearly every trace, told forty times as fast as
 * the schema tells it. False says nothing; then the schema has to look. A test holds the two to each other.
 */
export function isPlainTrace(value: unknown): boolean {
  return fits(value as Json, TRACE, NEEDED);
}

function fits(value: Json, tests: ReadonlyMap<string, Test>, needed: readonly string[]): boolean {
  if (!isObject(value)) return false;
  for (const key of Object.keys(value)) {
    const member = value[key];
    if (member === undefined || tests.get(key)?.(member) !== true) return false;
  }
  for (const key of needed) if (!Object.hasOwn(value, key)) return false;
  return true;
}

function isStep(value: Json): boolean {
  const kind = isObject(value) ? value["kind"] : undefined;
  const known = typeof kind === "string" ? STEPS.get(kind) : undefined;
  return known !== undefined && fits(value, known.tests, known.needed);
}

function isResult(value: Json): boolean {
  if (!isObject(value)) return false;
  const keys = Object.keys(value);
  if (value["ok"] === true) return keys.length === 2 && value["data"] !== undefined;
  if (value["ok"] !== false || value["error"] === undefined || !isError(value["error"]))
    return false;
  return keys.length === 2 || (keys.length === 3 && value["data"] !== undefined);
}

const MESSAGE = ["message"];

function isError(value: Json): boolean {
  return fits(value, ERROR, MESSAGE);
}
