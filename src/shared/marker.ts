import type { Json, JsonObject } from "./json.ts";

/** The member that marks a value that JSON cannot hold. */
export const MARK = "$t";

/** `{"$t": kind, "v": value}`; without a value `{"$t": kind}`. */
export function marker(kind: string, value?: Json): JsonObject {
  return value === undefined ? { [MARK]: kind } : { [MARK]: kind, v: value };
}

/** The kind of a marker; undefined for every other value. */
export function markerKind(value: Json | undefined): string | undefined {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, MARK)) return undefined;
  const kind = (value as JsonObject)[MARK];
  return typeof kind === "string" ? kind : undefined;
}

/** Adds an own member, also for `__proto__`, which a plain assignment would lose. */
export function put<T>(target: Record<string, T>, key: string, value: T): void {
  if (key === "__proto__") {
    Object.defineProperty(target, key, {
      value,
      enumerable: true,
      writable: true,
      configurable: true,
    });
  } else {
    target[key] = value;
  }
}
