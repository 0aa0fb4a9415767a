import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import { child } from "../shared/pointer.ts";
import type { Redactor } from "../shared/redact.ts";

/** One text in one chunk of a stream, and how to put another in its place. */
interface Leaf {
  readonly text: string;
  replace(text: string): void;
}

/**
 * Redacts the chunks of a stream. A secret may be split over chunks, so texts at the same place in successive chunks
 * are judged joined, as their reader joins them; then each chunk is judged alone. The number of chunks stays.
 */
export function redactChunks(chunks: readonly Json[], redactor: Redactor): Json[] {
  const held: { value: Json }[] = chunks.map((value) => ({ value: structuredClone(value) }));
  const series = new Map<string, Leaf[]>();
  const note = (pointer: string, leaf: Leaf): void => {
    const known = series.get(pointer);
    if (known === undefined) series.set(pointer, [leaf]);
    else known.push(leaf);
  };
  for (const holder of held)
    collect({ value: holder.value, put: (value) => (holder.value = value) }, "", note);
  for (const leaves of series.values()) spread(leaves, redactor);
  return held.map((holder) => redactor.value(holder.value));
}

interface Place {
  readonly value: Json;
  put(value: Json): void;
}

function collect(place: Place, pointer: string, note: (pointer: string, leaf: Leaf) => void): void {
  const { value } = place;
  if (typeof value === "string") note(pointer, { text: value, replace: (text) => place.put(text) });
  else if (Array.isArray(value)) {
    value.forEach((item, index) =>
      collect({ value: item, put: (next) => (value[index] = next) }, child(pointer, index), note),
    );
  } else if (isBytes(value)) note(pointer, bytesLeaf(value));
  else if (isObject(value)) {
    for (const key of Object.keys(value)) {
      collect(
        { value: value[key] ?? null, put: (next) => put(value, key, next) },
        child(pointer, key),
        note,
      );
    }
  }
}

function put(object: JsonObject, key: string, value: Json): void {
  Object.defineProperty(object, key, {
    value,
    enumerable: true,
    writable: true,
    configurable: true,
  });
}

function isBytes(value: Json): value is { $t: "bytes"; v: string } {
  return isObject(value) && value["$t"] === "bytes" && typeof value["v"] === "string";
}

/** Bytes of a stream are mostly text; latin1 keeps those that are not. */
function bytesLeaf(bytes: { v: string }): Leaf {
  return {
    text: Buffer.from(bytes.v, "base64").toString("latin1"),
    replace: (text) => {
      bytes.v = Buffer.from(text, "latin1").toString("base64");
    },
  };
}

/** Puts the redacted joined text back: what did not change stays in its chunk, the rest goes into the first that did. */
function spread(leaves: readonly Leaf[], redactor: Redactor): void {
  if (leaves.length < 2) return;
  const joined = leaves.map((leaf) => leaf.text).join("");
  const redacted = redactor.text(joined);
  if (redacted === joined) return;
  let first = 0;
  let start = 0;
  while (
    first < leaves.length - 1 &&
    redacted.startsWith(joined.slice(0, start + lengthOf(leaves, first)))
  ) {
    start += lengthOf(leaves, first++);
  }
  let last = leaves.length - 1;
  let end = 0;
  while (last > first && fits(joined, redacted, { start, end: end + lengthOf(leaves, last) }))
    end += lengthOf(leaves, last--);
  const middle = redacted.slice(start, redacted.length - end);
  for (let i = first; i <= last; i++) leaves[i]?.replace(i === first ? middle : "");
}

function lengthOf(leaves: readonly Leaf[], index: number): number {
  return leaves[index]?.text.length ?? 0;
}

function fits(
  joined: string,
  redacted: string,
  kept: { readonly start: number; readonly end: number },
): boolean {
  if (kept.start + kept.end > redacted.length) return false;
  return redacted.endsWith(joined.slice(joined.length - kept.end));
}
