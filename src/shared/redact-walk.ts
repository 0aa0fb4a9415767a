import { isUtf8 } from "node:buffer";
import { isObject, type Json, type JsonObject } from "./json.ts";
import { markerKind, put } from "./marker.ts";
import { parseJson } from "./parse.ts";
import { child } from "./pointer.ts";
import {
  isHarmlessValue,
  looksLikeCredential,
  looksRandom,
  type KeySuspicion,
} from "./redact-key.ts";
import { isCard } from "./redact-pii.ts";
import {
  createScanner,
  keepClean,
  PLACEHOLDER,
  type RedactRules,
  type Scanner,
} from "./redact-scan.ts";
import { hintsAtSecret } from "./redact-text.ts";
import type { Found } from "./redact-vendor.ts";

/** Where a secret is, and which rule says so; never the secret. */
export interface SecretPlace {
  /** JSON Pointer; a secret in a member's name is shown as its placeholder. */
  readonly pointer: string;
  readonly rule: string;
}

/** JSON inside strings inside strings: deeper than this it is only text. */
const NESTED = 5;
/** Longer strings are not parsed as JSON. */
const LONGEST_JSON = 8 * 1024 * 1024;

/** One redaction under way: the numbers of the secrets that it has seen, and where it is. */
export class Redaction {
  private readonly scanner: Scanner;
  private readonly report: ((place: SecretPlace) => void) | undefined;
  private readonly clean: RedactRules["clean"];
  /** Whether what the rules find nothing in may be taken as clean here. */
  private trusting: boolean;
  /** Placeholders by secret, and how many there are of each kind; made for the first secret. */
  private placeholders: Map<string, string> | undefined;
  private counts: Map<string, number> | undefined;
  private readonly path: (string | number)[] = [];
  private nested = 0;
  private learnt = 0;

  constructor(rules: RedactRules, report?: (place: SecretPlace) => void) {
    this.scanner = createScanner(rules);
    this.report = report;
    this.clean = rules.clean;
    this.trusting = rules.steady;
  }

  hasLearnt(): boolean {
    return this.learnt > 0;
  }

  /** Redacts once more when that taught a secret: it may also stand before the place where it was learnt. */
  whole(json: Json): Json {
    let current = json;
    for (let round = 0; round < 8; round++) {
      const before = this.learnt;
      current = this.value(current);
      if (this.learnt === before) break;
    }
    return current;
  }

  wholeText(text: string): string {
    let current = text;
    for (let round = 0; round < 8; round++) {
      const before = this.learnt;
      current = this.string(current);
      if (this.learnt === before) break;
    }
    return current;
  }

  private value(json: Json, suspicion?: KeySuspicion): Json {
    if (typeof json === "string")
      return suspicion === undefined ? this.string(json) : this.suspect(json, suspicion);
    if (typeof json === "number") return this.number(json, suspicion);
    if (Array.isArray(json)) return this.array(json, suspicion);
    return isObject(json) ? this.object(json, suspicion) : json;
  }

  /** A text that may hold JSON. */
  private string(text: string): string {
    if (this.trusting && this.clean.texts.has(text)) return text;
    const redacted = this.scanned(text);
    if (redacted === text && this.trusting && this.nested === 0) keepClean(this.clean.texts, text);
    return redacted;
  }

  private scanned(text: string): string {
    if (!looksLikeJson(text) || this.nested >= NESTED) return this.plain(text);
    const found = this.scanner.find(text);
    if (found.length === 0 && !text.includes("\\") && !hintsAtSecret(text)) return text;
    const parsed = parsedOrUndefined(text);
    if (parsed === undefined) return this.plain(text);
    this.nested++;
    const redacted = this.value(parsed);
    this.nested--;
    // Once more as text: of two members with one name, parsing keeps only the last.
    const seen = this.plain(redacted === parsed ? text : jsonText(redacted, text));
    return seen === text ? text : this.string(seen);
  }

  /** The value of a member whose name is suspicious. */
  private suspect(text: string, suspicion: KeySuspicion): string {
    if (!isSuspect(text, suspicion)) {
      const redacted = this.string(text);
      // What is left can look like a secret once the blanks of another are gone.
      return redacted === text ? text : this.suspect(redacted, suspicion);
    }
    const scheme = /^(?:bearer|basic|token|digest|apikey)\s+/iu.exec(text)?.[0].length ?? 0;
    const whole: Found = { start: scheme, end: text.length, kind: "secret" };
    return this.plain(this.cut(text, this.scanner.find(text, [whole])));
  }

  private plain(text: string): string {
    let current = text;
    // A cut gives its neighbours a new context; in practice the second look finds nothing.
    for (let round = 0; round < 8; round++) {
      const found = this.scanner.find(current);
      if (found.length === 0) break;
      current = this.cut(current, found);
    }
    return current;
  }

  private cut(text: string, found: readonly Found[]): string {
    if (text.includes("[redacted:")) this.countExisting(text);
    let result = "";
    let copied = 0;
    for (const { start, end, kind } of found) {
      result += text.slice(copied, start) + this.placeholder(kind, text.slice(start, end));
      copied = end;
    }
    return result + text.slice(copied);
  }

  /** Numbers that stand in the text already belong to other secrets. */
  private countExisting(text: string): void {
    const counts = (this.counts ??= new Map<string, number>());
    for (const [placeholder] of text.matchAll(PLACEHOLDER)) {
      const [, kind = "", number = "0"] =
        /^\[redacted:([\w-]+)(?:#(\d+))?\]$/u.exec(placeholder) ?? [];
      counts.set(kind, Math.max(counts.get(kind) ?? 0, Number(number)));
    }
  }

  private placeholder(kind: string, secret: string): string {
    this.report?.({
      pointer: this.path.reduce<string>((pointer, key) => child(pointer, key), ""),
      rule: kind,
    });
    const placeholders = (this.placeholders ??= new Map<string, string>());
    const known = placeholders.get(`${kind} ${secret}`);
    if (known !== undefined) return known;
    const counts = (this.counts ??= new Map<string, number>());
    const number = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, number);
    const placeholder = `[redacted:${kind}#${number}]`;
    placeholders.set(`${kind} ${secret}`, placeholder);
    // A tool hands out a token under a telling name, and the agent passes it on under another.
    if (kind === "secret" && looksRandom(secret)) {
      this.scanner.learn(secret);
      this.trusting = false;
      this.learnt++;
    }
    return placeholder;
  }

  private number(json: number, suspicion: KeySuspicion | undefined): Json {
    const suspect = suspicion === "sure" || suspicion === "every";
    if (suspect && Math.abs(json) >= 100) return this.placeholder("secret", String(json));
    return json >= 1e11 && isCard(String(json)) ? this.placeholder("card", String(json)) : json;
  }

  private array(json: Json[], suspicion: KeySuspicion | undefined): Json {
    let copy: Json[] | undefined;
    for (let i = 0; i < json.length; i++) {
      const item = json[i] ?? null;
      this.enter(i);
      const redacted = this.value(item, suspicion);
      this.leave();
      if (redacted !== item) copy ??= json.slice(0, i);
      copy?.push(redacted);
    }
    return copy ?? json;
  }

  private object(json: JsonObject, suspicion: KeySuspicion | undefined): Json {
    const kind = markerKind(json);
    if (kind === "bytes" || kind === "bigint") return this.marked(json, kind, suspicion);
    const keys = Object.keys(json);
    const below = suspicion === "every" && !isSchema(json) ? suspicion : undefined;
    let copy: JsonObject | undefined;
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i] ?? "";
      const member = json[key] ?? null;
      const name = this.name(key);
      this.enter(name);
      const value = this.value(member, below ?? this.scanner.suspicion(name));
      this.leave();
      if (copy === undefined && (name !== key || value !== member))
        copy = firstMembers(json, keys.slice(0, i));
      if (copy !== undefined) put(copy, unusedName(copy, name), value);
    }
    return copy ?? json;
  }

  /** Only a report needs to know where it is. */
  private enter(key: string | number): void {
    if (this.report !== undefined) this.path.push(key);
  }

  private leave(): void {
    if (this.report !== undefined) this.path.pop();
  }

  /** A member's name; most names come again and again. */
  private name(key: string): string {
    if (this.trusting && this.clean.names.has(key)) return key;
    const name = this.plain(key);
    if (name === key && this.trusting) keepClean(this.clean.names, key);
    return name;
  }

  /** Exact integers and bytes: the text that they stand for is redacted. */
  private marked(
    json: JsonObject,
    kind: "bytes" | "bigint",
    suspicion: KeySuspicion | undefined,
  ): Json {
    const { v } = json;
    if (typeof v !== "string") return json;
    if (kind === "bigint") {
      const redacted = this.value(v, suspicion);
      return redacted === v ? json : redacted;
    }
    const bytes = Buffer.from(v, "base64");
    if (!isUtf8(bytes)) return json;
    const text = bytes.toString("utf8");
    const redacted = suspicion === undefined ? this.string(text) : this.suspect(text, suspicion);
    return redacted === text ? json : { ...json, v: Buffer.from(redacted).toString("base64") };
  }
}

function firstMembers(json: JsonObject, keys: readonly string[]): JsonObject {
  const copy: JsonObject = {};
  for (const key of keys) put(copy, key, json[key] ?? null);
  return copy;
}

/** A placeholder that is a member's name must not hide another member. */
function unusedName(copy: JsonObject, name: string): string {
  let unused = name;
  for (let n = 2; Object.hasOwn(copy, unused); n++) unused = `${name} (${n})`;
  return unused;
}

/** Whether an object describes values rather than holding them: the parameters of a tool. */
function isSchema(json: JsonObject): boolean {
  return (
    typeof json["type"] === "string" &&
    ["properties", "description", "items", "enum"].some((key) => Object.hasOwn(json, key))
  );
}

/** Whether a suspicious member's text is a secret; placeholders in it do not count. */
function isSuspect(text: string, suspicion: KeySuspicion): boolean {
  const rest = text.includes("[redacted:") ? text.replace(PLACEHOLDER, "") : text;
  return suspicion === "perhaps" ? looksLikeCredential(rest) : !isHarmlessValue(rest);
}

function looksLikeJson(text: string): boolean {
  const first = text.charCodeAt(0);
  // Most texts start with a letter; `{` and `[` may stand after blanks.
  if (first > 32 && first !== 123 && first !== 91) return false;
  if (text.length < 2 || text.length > LONGEST_JSON || !/^\s{0,100}[[{]/u.test(text)) return false;
  return /[\]}]\s{0,100}$/u.test(text.slice(-101));
}

function parsedOrUndefined(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** JSON text with the indentation of another, and exact integers as they were. */
function jsonText(json: Json, like: string): string {
  const indent = /^\s*[[{]\r?\n([ \t]{1,8})/u.exec(like)?.[1];
  return JSON.stringify(json, null, indent).replace(EXACT_INTEGER, "$1");
}

const EXACT_INTEGER = /\{\s*"\$t":\s*"bigint",\s*"v":\s*"(-?\d+)"\s*\}/gu;
