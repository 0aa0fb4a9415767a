import { isObject, type Json, type JsonObject } from "./json.ts";
import { markerKind, put } from "./marker.ts";
import {
  isKnownClean,
  openRules,
  PLACEHOLDER,
  type RedactOptions,
  type RedactRules,
} from "./redact-scan.ts";
import { Redaction, type SecretPlace } from "./redact-walk.ts";

export { openRules } from "./redact-scan.ts";
export type { RedactOptions, RedactRules } from "./redact-scan.ts";
export type { SecretPlace } from "./redact-walk.ts";

/** Replaces secrets and personal data; keeps its numbers for one trace. */
export interface Redactor {
  /**
   * The same value with placeholders `[redacted:<kind>#<n>]`; the very same object when there is nothing to replace, so it
   * must not be changed. One secret has one number. Redacting twice is redacting once. Never throws.
   */
  value(json: Json): Json;
  /** The same for a text, also one that holds JSON. */
  text(text: string): string;
  /** Whether a value taught it a secret: from then on it also replaces what its rules alone would keep. */
  readonly hasLearnt: () => boolean;
}

/** A redactor for one trace, with the built-in rules and the user's. */
export function createRedactor(options: RedactOptions = {}): Redactor {
  return redactorBy(openRules(options));
}

/** A redactor for one trace, with rules that other traces have, too. */
export function redactorBy(rules: RedactRules): Redactor {
  if (rules.options.off === true)
    return { value: (json) => json, text: (text) => text, hasLearnt: () => false };
  // Many traces hold nothing that was not looked through before.
  let made: Redaction | undefined;
  const redaction = (): Redaction => (made ??= new Redaction(rules));
  return {
    value: (json) => redaction().whole(json),
    text: (text) =>
      made?.hasLearnt() !== true && isKnownClean(rules, text) ? text : redaction().wholeText(text),
    hasLearnt: () => made?.hasLearnt() ?? false,
  };
}

/** The secrets that are still in a value, in its order, by the rules of a redactor with the same options. */
export function findSecrets(json: Json, options: RedactOptions = {}): SecretPlace[] {
  const found: SecretPlace[] = [];
  new Redaction(openRules(options), (place) => found.push(place)).whole(json);
  return found;
}

/**
 * The form of a value in which calls are compared: placeholders lose their number, so that those of one kind are equal,
 * and members that were `undefined` are left out. Whether a secret was known by its name or as a variable's value depends on the
 * machine, so these two are one kind.
 */
export function matchable(json: Json): Json {
  if (typeof json === "string") return unnumbered(json);
  if (Array.isArray(json)) {
    const items = json.map((item) => matchable(item));
    return items.every((item, i) => item === json[i]) ? json : items;
  }
  if (!isObject(json)) return json;
  const copy: JsonObject = {};
  let changed = false;
  for (const key of Object.keys(json)) {
    const member = json[key];
    if (member === undefined) continue;
    const kept = markerKind(member) !== "undefined";
    const name = unnumbered(key);
    const value = kept ? matchable(member) : member;
    changed ||= !kept || name !== key || value !== member;
    if (kept) put(copy, name, value);
  }
  return changed ? copy : json;
}

function unnumbered(text: string): string {
  if (!text.includes("[redacted:")) return text;
  return text.replace(PLACEHOLDER, (placeholder) =>
    placeholder.replace(/#\d+\]$/u, "]").replace("[redacted:env]", "[redacted:secret]"),
  );
}
