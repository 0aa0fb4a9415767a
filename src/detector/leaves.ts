import { isObject, type Json } from "../shared/json.ts";

/** A text is read up to here when its words are looked for. */
const LONGEST = 4000;
const MOST_LEAVES = 500;
const ASCII = /^[\0-\x7f]*$/u;

/** A string or number inside a value, with the name of the member that holds it. */
export interface Leaf {
  readonly name: string;
  readonly text: string;
  readonly number: boolean;
}

/** The strings and numbers inside a value, in order; at most five hundred. */
export function leavesOf(value: Json | undefined): Leaf[] {
  const leaves: Leaf[] = [];
  visit(value, "", leaves);
  return leaves;
}

function visit(inner: Json | undefined, name: string, leaves: Leaf[]): void {
  if (leaves.length >= MOST_LEAVES || inner === null || inner === undefined) return;
  if (typeof inner === "string")
    leaves.push({
      name,
      text: inner.length > LONGEST ? inner.slice(0, LONGEST) : inner,
      number: false,
    });
  else if (typeof inner === "number") leaves.push({ name, text: String(inner), number: true });
  else if (Array.isArray(inner)) for (const item of inner) visit(item, name, leaves);
  else if (isObject(inner)) for (const key of Object.keys(inner)) visit(inner[key], key, leaves);
}

/** Whether a test holds for the beginning of one of the texts inside a value, however many there are; numbers are none. */
export function someText(value: Json | undefined, test: (text: string) => boolean): boolean {
  if (typeof value === "string")
    return test(value.length > LONGEST ? value.slice(0, LONGEST) : value);
  if (Array.isArray(value)) return value.some((item) => someText(item, test));
  return isObject(value) && Object.keys(value).some((key) => someText(value[key], test));
}

/** The words of a text as they stand: letters and digits. */
export function wordsOf(text: string): string[] {
  const short = text.length > LONGEST ? text.slice(0, LONGEST) : text;
  // The classes of all scripts are far slower than those of ASCII, which most texts are.
  if (ASCII.test(short)) return short.match(/[A-Za-z0-9]+/g) ?? [];
  return short.normalize("NFC").match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** The lower-case words of every leaf of a value. */
export function wordsIn(value: Json | undefined): Set<string> {
  const words = new Set<string>();
  for (const leaf of leavesOf(value))
    for (const word of wordsOf(leaf.text)) words.add(word.toLowerCase());
  return words;
}

/** Whether finding a word again says something: `18C`, `Berlin`, not `ok`. */
export function isTelling(word: string): boolean {
  return word.length > 3 || /\p{N}/u.test(word);
}
