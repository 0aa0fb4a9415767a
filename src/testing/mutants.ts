import * as fc from "fast-check";
import type { Json, JsonObject } from "../shared/json.ts";
import { anyJson } from "./traces.ts";

/** A file of traces: a real one, or one that was changed. */
export interface TraceText {
  /** Its path below the folder of samples. */
  readonly name: string;
  readonly text: string;
}

/** Texts that take a careless pattern or a lenient reader long when they are repeated. */
const LONG: readonly string[] = [
  " ",
  "\n",
  "{'a': ",
  '{"a":',
  "\\",
  "```\n",
  "<returncode>",
  "Error: ",
  "Action: f(",
  "1",
  "a\n\n",
  "\u001B[0m",
  "\ud800",
  "Exit code ",
];
/** Members of every object, and members that readers look for. */
const KEYS: readonly string[] = [
  "__proto__",
  "constructor",
  "toString",
  "",
  "$t",
  "messages",
  "steps",
  "error",
];
const ODD: readonly Json[] = [
  null,
  "",
  "{",
  "{'a': ",
  -1,
  1e300,
  2 ** 53,
  "9007199254740993",
  [[]],
  [{}],
];
const LONG_LENGTH = 100_000;
const DEPTH = 100;

/** One change; numbers choose the places, and what is put there. */
interface Change {
  readonly kind: keyof typeof IN_TEXT | keyof typeof IN_VALUES;
  readonly at: number;
  readonly other: number;
  readonly value: Json;
}

/**
 * A sample with some changes, in its values and in its text; `donors` are what is grafted from.
 * @public to the programs that tests build
 */
export function mutant(samples: readonly TraceText[]): fc.Arbitrary<TraceText> {
  const change = fc.record({
    kind: fc.constantFrom(...KINDS),
    at: fc.nat(),
    other: fc.nat(),
    value: fc.oneof(anyJson(), fc.constantFrom<Json>(...ODD)),
  });
  const sample = fc.constantFrom(...samples);
  return fc
    .tuple(sample, sample, fc.array(change, { minLength: 1, maxLength: 5 }))
    .map(([{ name, text }, donor, changes]) => ({
      name,
      text: changed(text, donor.text, changes),
    }));
}

function changed(text: string, donor: string, changes: readonly Change[]): string {
  const inValues = changes.filter(({ kind }) => kind in IN_VALUES);
  const before = inValues.length === 0 ? text : changedValues(text, donor, inValues);
  return changes
    .filter(({ kind }) => kind in IN_TEXT)
    .reduce(
      (now, change) => IN_TEXT[change.kind as keyof typeof IN_TEXT](now, change, donor),
      before,
    );
}

/** The text as it would be damaged: cut, changed, lost, written twice, mixed up with another. */
const IN_TEXT = {
  cut: (text: string, { at }: Change) => text.slice(0, at % (text.length + 1)),
  byte(text: string, { at, other }: Change) {
    const place = at % (text.length + 1);
    return text.slice(0, place) + String.fromCharCode(other % 128) + text.slice(place + 1);
  },
  drop(text: string, { at, other }: Change) {
    const place = at % (text.length + 1);
    return text.slice(0, place) + text.slice(place + (other % 200));
  },
  insert(text: string, { at, other }: Change) {
    const place = at % (text.length + 1);
    const from = other % (text.length + 1);
    return text.slice(0, place) + text.slice(from, from + 500) + text.slice(place);
  },
  order(text: string, { at, other }: Change) {
    const lines = text.split("\n");
    const [line = ""] = lines.splice(at % lines.length, 1);
    lines.splice(other % (lines.length + 1), 0, line);
    return lines.join("\n");
  },
  again(text: string, { at, other }: Change) {
    const lines = text.split("\n");
    const line = lines[at % lines.length] ?? "";
    const times = line.length > 5000 ? 1 : other % 50;
    lines.splice(other % lines.length, 0, ...Array.from({ length: times }, () => line));
    return lines.join("\n");
  },
  mix(text: string, { at, other }: Change, donor: string) {
    const lines = text.split("\n");
    const others = donor.split("\n");
    const from = other % others.length;
    lines.splice(at % lines.length, 0, ...others.slice(from, from + 1 + (at % 20)));
    return lines.join("\n");
  },
} as const;

/** Changes in one line of a line file, or in a document. */
function changedValues(text: string, donor: string, changes: readonly Change[]): string {
  const whole = parsed(text);
  const from = changes.some(({ kind }) => kind === "graft") ? anyValueIn(donor, changes) : null;
  if (whole !== undefined) return JSON.stringify(edited(whole, from, changes));
  const lines = text.split("\n");
  const place = (changes[0]?.other ?? 0) % lines.length;
  const value = parsed(lines[place] ?? "");
  if (value !== undefined) lines[place] = JSON.stringify(edited(value, from, changes));
  return lines.join("\n");
}

function anyValueIn(text: string, changes: readonly Change[]): Json {
  const lines = text.split("\n");
  return parsed(text) ?? parsed(lines[(changes[0]?.at ?? 0) % lines.length] ?? "") ?? null;
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** A member that can be changed. */
interface Slot {
  readonly in: JsonObject;
  readonly key: string;
}

function edited(value: Json, donor: Json, changes: readonly Change[]): Json {
  const root = { value };
  const grafts = slotsOf({ value: donor });
  for (const change of changes) {
    const slots = slotsOf(root);
    const source = change.kind === "graft" ? grafts : slots;
    const slot = slots[change.at % slots.length];
    const other = source[change.other % source.length];
    if (slot === undefined || other === undefined) continue;
    const made = IN_VALUES[change.kind as keyof typeof IN_VALUES](slot, change, memberOf(other));
    if (made !== undefined) put(slot, slot.key, made);
  }
  return root.value ?? null;
}

/** Every member at any depth. */
function slotsOf(root: JsonObject): Slot[] {
  const slots: Slot[] = [];
  const open = [root];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const key of Object.keys(next)) {
      slots.push({ in: next, key });
      const member = next[key];
      if (typeof member === "object" && member !== null) open.push(member as JsonObject);
    }
  }
  return slots;
}

function memberOf(slot: Slot): Json {
  return slot.in[slot.key] ?? null;
}

function put(slot: Slot, key: string, value: Json): void {
  Object.defineProperty(slot.in, key, {
    value,
    enumerable: true,
    writable: true,
    configurable: true,
  });
}

/** Each gives what is to stand in the slot, or changes what holds it and gives nothing. */
const IN_VALUES = {
  replace: (_: Slot, { value }: Change) => structuredClone(value),
  copy: (_: Slot, __: Change, other: Json) => structuredClone(other),
  graft: (_: Slot, __: Change, other: Json) => structuredClone(other),
  wrap: (slot: Slot, { other }: Change) =>
    other % 2 === 0 ? [memberOf(slot)] : { value: memberOf(slot) },
  text: (slot: Slot) => JSON.stringify(memberOf(slot)),
  parse(slot: Slot) {
    const value = memberOf(slot);
    return typeof value === "string" ? (parsed(value) ?? value.split("\n")) : JSON.stringify(value);
  },
  long(slot: Slot, { at, other }: Change) {
    const value = memberOf(slot);
    const own = typeof value === "string" && value !== "" && at % 3 === 0;
    const piece = own ? value.slice(0, 200) : (LONG[other % LONG.length] ?? "a");
    return piece.repeat(Math.ceil(LONG_LENGTH / piece.length));
  },
  deep(slot: Slot) {
    let deep = memberOf(slot);
    for (let level = 0; level < DEPTH; level++) deep = level % 2 === 0 ? [deep] : { content: deep };
    return deep;
  },
  many(slot: Slot) {
    const value = memberOf(slot);
    if (!Array.isArray(value) || JSON.stringify(value).length > 20_000) return undefined;
    return Array.from({ length: 200 }, () => structuredClone(value)).flat();
  },
  remove(slot: Slot) {
    if (Array.isArray(slot.in)) slot.in.splice(Number(slot.key), 1);
    else delete slot.in[slot.key];
    return undefined;
  },
  double(slot: Slot) {
    const copy = structuredClone(memberOf(slot));
    if (Array.isArray(slot.in)) slot.in.splice(Number(slot.key), 0, copy);
    return undefined;
  },
  rename(slot: Slot, { other }: Change) {
    if (Array.isArray(slot.in)) return undefined;
    const value = memberOf(slot);
    delete slot.in[slot.key];
    put(slot, KEYS[other % KEYS.length] ?? "", value);
    return undefined;
  },
} as const;

const KINDS = [
  ...(Object.keys(IN_TEXT) as (keyof typeof IN_TEXT)[]),
  ...(Object.keys(IN_VALUES) as (keyof typeof IN_VALUES)[]),
  "replace",
  "copy",
] as const;
