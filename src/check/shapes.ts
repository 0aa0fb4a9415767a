import { isObject, same } from "../shared/json.ts";
import type { FieldShape } from "./check.ts";
import { COMPARISONS } from "./comparison.ts";
import { jsonProblem, sortOf } from "./json-value.ts";
import { NOTHING, patternProblem } from "./pattern-problem.ts";
import { pointerProblem } from "./pointer-path.ts";

/** What is wrong with a value of each shape, and what to do; nothing when it fits. */
export const SHAPES: Readonly<Record<FieldShape, (value: unknown) => string | undefined>> = {
  json: (value) => jsonProblem(value),
  string: (value) => {
    if (typeof value !== "string") return `is ${sortOf(value)}; give a text`;
    return value.trim() === "" ? `${NOTHING}: the text is empty; give one` : undefined;
  },
  number: (value) =>
    Number.isSafeInteger(value) && Number(value) >= 0
      ? undefined
      : `is ${sortOf(value)}; give a whole number from 0`,
  strings: (value) => {
    if (!Array.isArray(value)) return `is ${sortOf(value)}; give an array of texts`;
    if (value.length === 0) return `${NOTHING}: the list is empty; give one or more texts`;
    const wrong = value.findIndex((item) => typeof item !== "string" || item === "");
    return wrong < 0 ? undefined : `holds no text at ${wrong}; give an array of texts`;
  },
  pattern: (value) =>
    typeof value === "string"
      ? patternProblem(value)
      : `is ${sortOf(value)}; give the source of a regular expression as a text`,
  schema: (value) => {
    if (value === true || (isObject(value) && same(value, {}))) {
      return `${NOTHING}: every value meets the schema; say what is wanted`;
    }
    if (value !== false && !isObject(value)) return `is ${sortOf(value)}; give a JSON Schema`;
    return jsonProblem(value);
  },
  pointer: (value) =>
    typeof value === "string"
      ? pointerProblem(value)
      : `is ${sortOf(value)}; give a JSON Pointer, such as "/bookings/0"`,
  source: (value) =>
    value === "state" || value === "completion"
      ? undefined
      : 'is no source; give "state" or "completion"',
  quantity: (value) =>
    typeof value === "number" && Number.isFinite(value)
      ? undefined
      : `is ${sortOf(value)}; give a number`,
  comparison: (value) =>
    typeof value === "string" && COMPARISONS.includes(value)
      ? undefined
      : `is no comparison; give one of ${COMPARISONS.join(" ")}`,
};
