import type { Json } from "../shared/json.ts";
import { parseJson } from "../shared/parse.ts";

/** Levels of lists and dictionaries that are read. */
const DEPTH = 64;
const WORDS: ReadonlyMap<string, Json> = new Map<string, Json>([
  ["True", true],
  ["False", false],
  ["None", null],
]);
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["b", "\b"],
  ["f", "\f"],
  ["v", "\v"],
  ["a", "\u0007"],
  ["0", "\0"],
  ["\n", ""],
]);
const NUMBER = /-?\d+(?:\.\d*)?(?:e[-+]?\d+)?/iy;
const WORD = /[A-Za-z]+/y;
const SPACE = /\s*/y;

/**
 * The value that a text holds as Python writes it: `{'a': [True, None, (1, 2)]}`. Tuples and sets are lists; keys that are
 * no texts are written as texts. Undefined when the text is cut off, or holds anything else than plain values.
 */
export function pythonValue(text: string): Json | undefined {
  const reader = new Reader(text);
  try {
    const value = reader.value(0);
    return reader.atEnd() ? value : undefined;
  } catch (thrown) {
    if (thrown === NOT_PLAIN) return undefined;
    throw thrown;
  }
}

/** Whether a text begins as Python writes a list or dictionary of texts. */
export function looksPython(text: string): boolean {
  return /^\s*[[({]+\s*(?:['")\]}]|\d|True|False|None)/.test(text);
}

const NOT_PLAIN = new Error("no plain Python value");

class Reader {
  readonly #text: string;
  readonly #number = new RegExp(NUMBER);
  readonly #word = new RegExp(WORD);
  readonly #space = new RegExp(SPACE);
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  atEnd(): boolean {
    this.#match(this.#space);
    return this.#at === this.#text.length;
  }

  value(depth: number): Json {
    if (depth > DEPTH) throw NOT_PLAIN;
    this.#match(this.#space);
    const start = this.#text.charAt(this.#at);
    if (start === "{") return this.#braces(depth);
    if (start === "[") return this.#items("]", depth);
    if (start === "(") return this.#items(")", depth);
    if (start === "'" || start === '"') return this.#string();
    const number = this.#match(this.#number);
    if (number !== undefined) return numberOf(number);
    const word = this.#match(this.#word);
    const known = word === undefined ? undefined : WORDS.get(word);
    if (known === undefined) throw NOT_PLAIN;
    return known;
  }

  /** A dictionary, or a set. */
  #braces(depth: number): Json {
    this.#at += 1;
    if (this.#takes("}")) return {};
    const first = this.value(depth + 1);
    if (!this.#takes(":")) return this.#rest([first], "}", depth);
    const entries: [string, Json][] = [[keyOf(first), this.value(depth + 1)]];
    while (!this.#takes("}")) {
      this.#expect(",");
      if (this.#takes("}")) break;
      const key = keyOf(this.value(depth + 1));
      this.#expect(":");
      entries.push([key, this.value(depth + 1)]);
    }
    return Object.fromEntries(entries);
  }

  #items(end: string, depth: number): Json {
    this.#at += 1;
    return this.#takes(end) ? [] : this.#rest([this.value(depth + 1)], end, depth);
  }

  #rest(items: Json[], end: string, depth: number): Json {
    while (!this.#takes(end)) {
      this.#expect(",");
      if (this.#takes(end)) break;
      items.push(this.value(depth + 1));
    }
    return items;
  }

  #string(): string {
    const quote = this.#text.charAt(this.#at);
    this.#at += 1;
    let value = "";
    for (;;) {
      const next = this.#text.charAt(this.#at);
      if (next === "") throw NOT_PLAIN;
      this.#at += 1;
      if (next === quote) return value;
      value += next === "\\" ? this.#escape() : next;
    }
  }

  #escape(): string {
    const code = this.#text.charAt(this.#at);
    this.#at += 1;
    const digits = code === "x" ? 2 : code === "u" ? 4 : code === "U" ? 8 : 0;
    if (digits === 0)
      return (
        ESCAPES.get(code) ?? (code === "\\" || code === "'" || code === '"' ? code : `\\${code}`)
      );
    const hex = this.#text.slice(this.#at, this.#at + digits);
    const point = /^[\da-f]+$/i.test(hex) && hex.length === digits ? Number.parseInt(hex, 16) : -1;
    if (point < 0 || point > 0x10ffff) throw NOT_PLAIN;
    this.#at += digits;
    return String.fromCodePoint(point);
  }

  #takes(sign: string): boolean {
    this.#match(this.#space);
    if (this.#text.charAt(this.#at) !== sign) return false;
    this.#at += 1;
    return true;
  }

  #expect(sign: string): void {
    if (!this.#takes(sign)) throw NOT_PLAIN;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found === undefined) return undefined;
    this.#at += found.length;
    return found;
  }
}

function keyOf(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Long integers stay exact. */
function numberOf(text: string): Json {
  try {
    return parseJson(text.replace(/\.(?=$|e)/i, ".0"));
  } catch {
    throw NOT_PLAIN;
  }
}
