import { isObject, type Json } from "../shared/json.ts";
import { own } from "./member.ts";

/** Steps by the number that they carry; their order in the record decides between equal ones. */
export function inOrder(
  steps: readonly Json[],
  key: string,
): { items: Json[]; places: ReadonlyMap<number, number>; moved?: string } {
  if (isStraight(steps, key)) return { items: [...steps], places: NOWHERE };
  const numbered = steps.map((step, position) => {
    const number = isObject(step) ? own(step, key) : undefined;
    return { step, number: typeof number === "number" ? number : position };
  });
  const straight = numbered.every(({ number }, position) => number === position);
  if (!straight) numbered.sort((a, b) => a.number - b.number);
  return {
    items: numbered.map(({ step }) => step),
    places: new Map(numbered.map(({ number }, position) => [number, position])),
    ...(straight
      ? {}
      : {
          moved: `the steps were out of order or had gaps: they are ordered by ${key} and counted anew`,
        }),
  };
}

/** No step has moved, so nobody asks where one went. */
const NOWHERE: ReadonlyMap<number, number> = new Map();

function isStraight(steps: readonly Json[], key: string): boolean {
  return steps.every((step, position) => {
    const number = isObject(step) ? own(step, key) : undefined;
    return typeof number !== "number" || number === position;
  });
}
