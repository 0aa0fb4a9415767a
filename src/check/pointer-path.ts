import { isObject, same, type Json } from "../shared/json.ts";
import { members } from "../shared/pointer.ts";
import { oneLine } from "../shared/text.ts";
import type { SeenMutation } from "./check.ts";

/** What is wrong with a JSON Pointer (RFC 6901) and what to do, or nothing. Takes time in proportion to its length. */
export function pointerProblem(pointer: string): string | undefined {
  if (pointer === "") return undefined;
  const shown = JSON.stringify(oneLine(pointer, 60));
  if (!pointer.startsWith("/")) {
    return `${shown} is no JSON Pointer: it does not begin with "/"; write ${JSON.stringify(oneLine(`/${pointer}`, 60))}`;
  }
  if (!pointer.includes("~")) return undefined;
  const bad = pointer.search(/~(?![01])/u);
  if (bad < 0) return undefined;
  return `${shown} is no JSON Pointer: "~" at character ${bad + 1} stands alone; write "~0" for "~", and "~1" for "/" in a name`;
}

/** The value at a JSON Pointer; undefined where there is none. Own members and elements only: an array has no `length`. */
export function valueAt(value: Json | undefined, pointer: string): Json | undefined {
  let found = value;
  for (const member of members(pointer)) {
    if (Array.isArray(found)) {
      found = /^(?:0|[1-9]\d{0,15})$/u.test(member) ? found[Number(member)] : undefined;
    } else {
      found = isObject(found) && Object.hasOwn(found, member) ? found[member] : undefined;
    }
    if (found === undefined) return undefined;
  }
  return found;
}

/** Whether two values are equal, where one may be missing: null is a value. */
export function equal(a: Json | undefined, b: Json | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return same(a, b);
}

/** Whether a mutation changed the value at a JSON Pointer: itself, something in it, or something around it. */
export function touches({ changes }: Pick<SeenMutation, "changes">, pointer: string): boolean {
  for (const { path, before, after } of changes) {
    if (isIn(path, pointer)) return true;
    if (!isIn(pointer, path)) continue;
    const rest = pointer.slice(path.length);
    if (!equal(valueAt(before, rest), valueAt(after, rest))) return true;
  }
  return false;
}

/** Whether a pointer is another one, or leads to something in its value. */
function isIn(pointer: string, around: string): boolean {
  if (!pointer.startsWith(around)) return false;
  return around === "" || pointer.length === around.length || pointer[around.length] === "/";
}
