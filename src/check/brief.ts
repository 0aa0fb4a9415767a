import { byCodeUnit, type Json } from "../shared/json.ts";
import { clip, oneLine } from "../shared/text.ts";

const WIDTH = 200;
/** A map with more members is only counted: sorting them would cost more than the check. */
const MANY = 1000;
/** What a result keeps of a value, as JSON text. */
const KEPT = 4000;

/** A value as one short line with sorted keys; what is left out costs nothing, whatever the value's size. */
export function brief(value: Json | undefined, width: number = WIDTH): string {
  if (value === undefined) return "missing";
  if (typeof value !== "object" || value === null)
    return clip(oneLine(textOf(value, width + 1), width + 1), width);
  const parts: string[] = [];
  write(value, { room: width + 1, put: (text) => parts.push(text) });
  return clip(oneLine(parts.join(""), width + 1), width);
}

/** The value, or nothing when it is too large to be kept in a result. */
export function kept(value: Json | undefined): Json | undefined {
  if (typeof value !== "object" || value === null)
    return typeof value === "string" && isLong(value) ? undefined : value;
  const pen: Pen = { room: KEPT, put: nothing };
  write(value, pen);
  return pen.room > 0 && pen.counted !== true ? value : undefined;
}

interface Pen {
  /** Characters that are left. */
  room: number;
  /** Whether something was only counted. */
  counted?: true;
  readonly put: (text: string) => void;
}

function write(value: Json, pen: Pen): void {
  if (pen.room <= 0) return;
  if (Array.isArray(value)) return writeArray(value, pen);
  if (typeof value === "object" && value !== null) return writeObject(value, pen);
  put(textOf(value, pen.room), pen);
}

/** A character is at most six in JSON text. */
function isLong(text: string): boolean {
  return text.length * 6 + 2 >= KEPT && textOf(text, KEPT).length >= KEPT;
}

function nothing(): void {
  // What only counts needs no text.
}

/** A longer text is cut anyway, and is not quoted whole for that. */
function textOf(value: string | number | boolean | null, room: number): string {
  return JSON.stringify(typeof value === "string" ? value.slice(0, room) : value);
}

function writeArray(value: readonly Json[], pen: Pen): void {
  put("[", pen);
  for (const [at, item] of value.entries()) {
    if (pen.room <= 0) return;
    if (at > 0) put(",", pen);
    write(item, pen);
  }
  put("]", pen);
}

function writeObject(value: Readonly<Record<string, Json>>, pen: Pen): void {
  const keys = Object.keys(value);
  if (keys.length > MANY) {
    put(`{${keys.length} members}`, pen);
    pen.counted = true;
    return;
  }
  put("{", pen);
  for (const [at, key] of keys.sort(byCodeUnit).entries()) {
    if (pen.room <= 0) return;
    put(`${at > 0 ? "," : ""}${JSON.stringify(key)}:`, pen);
    write(value[key] ?? null, pen);
  }
  put("}", pen);
}

function put(text: string, pen: Pen): void {
  pen.put(text);
  pen.room -= text.length;
}
