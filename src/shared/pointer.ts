import { byCodeUnit, isObject, same, type Json } from "./json.ts";

/** Appends one member to a JSON Pointer (RFC 6901). */
export function child(pointer: string, key: string | number): string {
  return `${pointer}/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** The members of a JSON Pointer; the empty pointer has none. */
export function members(pointer: string): string[] {
  if (pointer === "") return [];
  if (pointer.startsWith("/") && !pointer.includes("~")) return pointer.slice(1).split("/");
  return pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Where two values first differ, in key order, with both sides; undefined when they are equal. */
export function firstDifference(
  a: Json | undefined,
  b: Json | undefined,
  pointer = "",
):
  | { readonly pointer: string; readonly left: Json | undefined; readonly right: Json | undefined }
  | undefined {
  if (same(a, b)) return undefined;
  if (Array.isArray(a) && Array.isArray(b)) {
    for (let i = 0; i < Math.max(a.length, b.length); i++) {
      const found = firstDifference(a[i], b[i], child(pointer, i));
      if (found !== undefined) return found;
    }
  }
  if (isObject(a) && isObject(b)) {
    const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])].sort(byCodeUnit);
    for (const key of keys) {
      const left = Object.hasOwn(a, key) ? a[key] : undefined;
      const right = Object.hasOwn(b, key) ? b[key] : undefined;
      const found = firstDifference(left, right, child(pointer, key));
      if (found !== undefined) return found;
    }
  }
  return { pointer, left: a, right: b };
}
