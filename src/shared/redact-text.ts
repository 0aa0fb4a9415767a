import { isHarmlessValue, looksLikeCredential, looksRandom, suspicionOf } from "./redact-key.ts";
import { findPersonal } from "./redact-pii.ts";
import { findVendorSecrets, type Found } from "./redact-vendor.ts";

const TOKEN = 1;
const AT = 2;
const COLON = 4;
const EQUALS = 8;
const DIGIT = 16;
/** Set when a run of token characters is long enough for a header's credential, or a vendor's. */
const RUN_8 = 32;
const RUN_16 = 64;
/** Set when a text has characters beyond ASCII. */
const WIDE = 128;
/** The number of digits stands above the flags. */
const DIGITS_SHIFT = 8;
const MOST_DIGITS = 1000;

const CLASSES = classes();

function classes(): Uint16Array {
  const table = new Uint16Array(128);
  for (let c = 0; c < 128; c++) {
    const character = String.fromCharCode(c);
    if (/[A-Za-z0-9_\-.+/=]/u.test(character)) table[c] = TOKEN;
    if (/\d/u.test(character)) table[c] = TOKEN | DIGIT;
  }
  table[64] = AT;
  table[58] = COLON;
  table[61] = TOKEN | EQUALS;
  return table;
}

/** What a text consists of, in one quick pass: most texts can hold no secret, and need no pattern at all. */
function traits(text: string): number {
  let all = 0;
  let run = 0;
  let longest = 0;
  let digits = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    const kind = c < 128 ? (CLASSES[c] ?? 0) : WIDE;
    all |= kind;
    if ((kind & DIGIT) !== 0) digits++;
    if ((kind & TOKEN) === 0) run = 0;
    else if (++run > longest) longest = run;
  }
  if (longest >= 8) all |= RUN_8;
  if (longest >= 16) all |= RUN_16;
  return all | (Math.min(digits, MOST_DIGITS) << DIGITS_SHIFT);
}

/** Names that may stand before `=` or `:` and a secret; `suspicionOf` decides about the whole name. */
const HINT = /pass|secret|token|key|auth|cookie|credential|pwd|session|sig/iu;

/** Whether a text may name a secret. */
export function hintsAtSecret(text: string): boolean {
  return HINT.test(text);
}

const NONE: readonly Found[] = [];
const SIGN = /[@:=]/u;
const ANYTHING = AT | COLON | EQUALS | RUN_8;

/** Every secret and piece of personal data in a text, by all rules, in no order; places may overlap. */
export function findInText(text: string): readonly Found[] {
  // The shortest address has eight characters; names and ids are mostly shorter.
  if (text.length < 8 && !SIGN.test(text)) return NONE;
  const kinds = traits(text);
  const digits = kinds >> DIGITS_SHIFT;
  if ((kinds & ANYTHING) === 0 && digits < 5) return NONE;
  const found: Found[] = [];
  if ((kinds & RUN_16) !== 0) findVendorSecrets(text, found);
  if ((kinds & RUN_8) !== 0 && text.length > 40 && text.includes("-----BEGIN "))
    findPrivateKeys(text, found);
  if ((kinds & RUN_8) !== 0 && mayHaveScheme(text, kinds)) findSchemes(text, found);
  if ((kinds & (COLON | EQUALS)) !== 0 && HINT.test(text)) findAssignments(text, found);
  if ((kinds & COLON) !== 0 && (kinds & AT) !== 0) findUrlCredentials(text, found);
  if ((kinds & AT) !== 0 || digits >= 5) findPersonal(text, digits, found);
  return found;
}

const BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/gu;
const END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/gu;
const KEY_BODY = /(?:[A-Za-z0-9+/=\s:,-]|\\+[nr])*/uy;

function findPrivateKeys(text: string, found: Found[]): void {
  const ends = [...text.matchAll(END)].map((match) => match.index + match[0].length);
  let next = 0;
  let covered = 0;
  for (const match of text.matchAll(BEGIN)) {
    const start = match.index;
    if (start < covered) continue;
    while (next < ends.length && (ends[next] ?? 0) <= start) next++;
    const end = ends[next] ?? endOfBody(text, start + match[0].length);
    found.push({ start, end, kind: "private-key" });
    covered = end;
  }
}

/** A key whose end was cut off. */
function endOfBody(text: string, start: number): number {
  const body = new RegExp(KEY_BODY);
  body.lastIndex = start;
  return start + (body.exec(text)?.[0].length ?? 0);
}

const SCHEME = /(?<![A-Za-z0-9])(bearer|basic)[ \t]{1,4}([A-Za-z0-9+/_.~-]{8,}={0,2})/giu;

/** Almost every text comes here, and hardly any has one of the two words. Beyond ASCII other letters count as theirs. */
function mayHaveScheme(text: string, kinds: number): boolean {
  if ((kinds & WIDE) !== 0) return true;
  if (text.length < 14) return false;
  const lower = text.toLowerCase();
  return lower.includes("bearer") || lower.includes("basic");
}

function findSchemes(text: string, found: Found[]): void {
  // `matchAll` copies the pattern first.
  if (text.search(SCHEME) === -1) return;
  for (const match of text.matchAll(SCHEME)) {
    const [whole, scheme = "", value = ""] = match;
    const basic = scheme.toLowerCase() === "basic";
    if (basic ? !isBasicCredential(value) : !looksRandom(value)) continue;
    found.push({
      start: match.index + whole.length - value.length,
      end: match.index + whole.length,
      kind: "secret",
    });
  }
}

/** Whether a text is "user:password" in base64. */
function isBasicCredential(value: string): boolean {
  return /^[\x20-\x7e]*:[\x20-\x7e]*$/u.test(Buffer.from(value, "base64").toString("latin1"));
}

/** A name, quotes that may be escaped, and `=` or `:`. */
const NAMED =
  /(?<![A-Za-z0-9_.-])([A-Za-z][A-Za-z0-9_.-]{1,60})(\\{0,8}["']?\s{0,3}(?:=>|:=|[:=])\s{0,3})/gu;
/** What may stand after it: a scheme, a quote that may be escaped, and a value. */
const VALUE =
  /((?:(?:bearer|basic|token|digest)\s{1,3})?)(\\{0,8}["'])?([^\s"'\\,;&<>(){}[\]|`]{1,4096})/iuy;

function findAssignments(text: string, found: Found[]): void {
  const sticky = new RegExp(VALUE);
  let covered = 0;
  for (const match of text.matchAll(NAMED)) {
    const [whole, written = "", sign = ""] = match;
    if (match.index < covered) continue;
    const escaped = text.charAt(match.index - 1) === "\\" && /^[nrtbf]/u.test(written);
    const suspicion = suspicionOf(escaped ? written.slice(1) : written);
    if (suspicion === undefined) continue;
    sticky.lastIndex = match.index + whole.length;
    const [assigned, scheme = "", quote, value = ""] = sticky.exec(text) ?? [""];
    if (isHarmlessValue(value)) continue;
    const setting = sign === "=" && quote === undefined && isSetting(written, text, match.index);
    const given = quote !== undefined || scheme !== "" || setting || /^\d{4,}$/u.test(value);
    const end = match.index + whole.length + assigned.length;
    const secret =
      suspicion === "perhaps" ? looksLikeCredential(value) : given || looksSecret(value);
    if (!secret || (!given && text.charAt(end) === "(")) continue;
    found.push({ start: end - value.length, end, kind: "secret" });
    covered = end;
  }
}

/** `PASSWORD=x` of an environment and `?password=x` or `;Password=x` of a URL or connection string. */
function isSetting(name: string, text: string, start: number): boolean {
  return name === name.toUpperCase() || (start > 0 && /[?&;]/u.test(text.charAt(start - 1)));
}

/** In prose and in source code only a value that no word or name can be. */
function looksSecret(value: string): boolean {
  if (
    value.length < 6 ||
    /^[\d.:+-]*$/u.test(value) ||
    /^(?:process|os|env|config|self|this|settings)\./u.test(value)
  )
    return false;
  return (
    /\d/u.test(value) ||
    /[^A-Za-z0-9_.-]/u.test(value.replace(/[.:!?]+$/u, "")) ||
    looksRandom(value)
  );
}

const URL_CREDENTIALS = /:\/\/([^\s/?#@:"'<>\\]{0,256}):([^\s/@"'<>\\]{1,256})@/gu;
const URL_USER = /:\/\/([A-Za-z0-9_-]{16,256})@/gu;

function findUrlCredentials(text: string, found: Found[]): void {
  for (const match of text.matchAll(URL_CREDENTIALS)) {
    const password = match[2] ?? "";
    if (isHarmlessValue(password)) continue;
    const end = match.index + match[0].length - 1;
    found.push({ start: end - password.length, end, kind: "secret" });
  }
  for (const match of text.matchAll(URL_USER)) {
    const user = match[1] ?? "";
    if (looksRandom(user))
      found.push({ start: match.index + 3, end: match.index + 3 + user.length, kind: "secret" });
  }
}
