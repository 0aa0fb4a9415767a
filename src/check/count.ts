import { isObject, type Json } from "../shared/json.ts";
import { brief } from "./brief.ts";
import type { CheckKind } from "./check.ts";
import { PLACE, placeOf } from "./place.ts";

export const count: CheckKind = {
  type: "count",
  summary: "The array at the path has so many elements, or the map so many members.",
  on: "trial",
  fields: { ...PLACE, expected: "number" },
  optional: ["source"],
  evaluate(check, subject) {
    const { value, where, evidence } = placeOf(check, subject);
    const expected = Number(check["expected"]);
    const size = sizeOf(value);
    const passed = size === expected;
    const found =
      value === undefined
        ? `there is no ${where}`
        : size === undefined
          ? `${where} is ${brief(value)}, neither an array nor a map`
          : `${where} has ${size} ${Array.isArray(value) ? "element" : "member"}${size === 1 ? "" : "s"}`;
    return {
      passed,
      message: passed
        ? found
        : `${found}, and ${expected} ${expected === 1 ? "is" : "are"} expected`,
      evidence,
      ...(size === undefined ? {} : { actual: size }),
      expected,
    };
  },
};

function sizeOf(value: Json | undefined): number | undefined {
  if (Array.isArray(value)) return value.length;
  return isObject(value) ? Object.keys(value).length : undefined;
}
