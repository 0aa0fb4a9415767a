import { isObject, type Json, type JsonObject } from "../shared/json.ts";

/** Whether a smaller candidate still shows the same thing; costs one run of the agent. */
export type Holds<T> = (candidate: T) => Promise<boolean>;

/**
 * Delta debugging: leaves out ever smaller runs of items as long as the rest holds, until no single item can go.
 * Asks for the empty list too.
 */
export async function reduceList<T>(
  items: readonly T[],
  holds: Holds<readonly T[]>,
): Promise<readonly T[]> {
  let kept = items;
  let size = kept.length;
  while (size > 0) {
    const before = kept.length;
    for (let start = 0; start < kept.length;) {
      const candidate = [...kept.slice(0, start), ...kept.slice(start + size)];
      if (await holds(candidate)) kept = candidate;
      else start += size;
    }
    // The last round at single items is repeated until it changes nothing.
    if (size === 1 && kept.length === before) break;
    size = size === 1 ? Math.min(1, kept.length) : Math.ceil(size / 2);
  }
  return kept;
}

/** Lines of a text, or its sentences when it has one line only; joined they are the text again. */
export function partsOf(text: string): string[] {
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  if (lines.length > 1) return lines;
  return text.match(/.*?[.!?]+(?:\s+|$)|.+$/gs) ?? [];
}

/** A smaller text that holds. A text is never emptied. */
export async function reduceText(text: string, holds: Holds<string>): Promise<string> {
  const parts = partsOf(text);
  if (parts.length < 2) return text;
  const kept = await reduceList(parts, async (candidate) => {
    const shorter = candidate.join("").trimEnd();
    return shorter.trim() !== "" && holds(shorter);
  });
  return kept.length === parts.length ? text : kept.join("").trimEnd();
}

/** A smaller value that holds: members and items are left out, outermost first, then texts are shortened. */
export async function reduceJson(value: Json, holds: Holds<Json>): Promise<Json> {
  if (typeof value === "string") return reduceText(value, holds);
  if (Array.isArray(value)) {
    const kept = await reduceList(value, (items) => holds([...items]));
    return reduceEach([...kept], holds);
  }
  if (!isObject(value)) return value;
  const kept = await reduceList(Object.entries(value), (entries) => holds(objectOf(entries)));
  return reduceMembers(objectOf(kept), holds);
}

async function reduceEach(items: readonly Json[], holds: Holds<Json>): Promise<Json> {
  let whole = [...items];
  for (const [at, item] of items.entries()) {
    const smaller = await reduceJson(item, (candidate) => holds(whole.with(at, candidate)));
    whole = whole.with(at, smaller);
  }
  return whole;
}

async function reduceMembers(object: JsonObject, holds: Holds<Json>): Promise<Json> {
  let whole = object;
  for (const [key, member] of Object.entries(object)) {
    const replaced = (candidate: Json): JsonObject =>
      objectOf(
        Object.entries(whole).map(([name, value]) => [name, name === key ? candidate : value]),
      );
    whole = replaced(await reduceJson(member, (candidate) => holds(replaced(candidate))));
  }
  return whole;
}

/** Defines own members only, so that a key like `__proto__` stays one. */
function objectOf(entries: readonly (readonly [string, Json])[]): JsonObject {
  return Object.fromEntries(entries);
}

/** How many parts a value has that could go; what a budget is made from. */
export function countParts(value: Json): number {
  if (typeof value === "string") return Math.max(0, partsOf(value).length - 1);
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce<number>((sum, member) => sum + 1 + countParts(member), 0);
}
