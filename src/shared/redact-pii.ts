import type { Found } from "./redact-vendor.ts";

/** The most frequent text with many digits. */
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}(?:[T ][\d:.]{5,20}(?:Z|[+-]\d{2}:?\d{2})?)?$/u;

/** Adds the personal data that a pattern can tell in a text with so many digits. Names and addresses it cannot. */
export function findPersonal(text: string, digits: number, found: Found[]): void {
  if (text.includes("@")) findEmails(text, found);
  if (TIMESTAMP.test(text)) return;
  for (const { pattern, kind, least, needs, accepts } of NUMBERS) {
    // Most texts match none, and `matchAll` copies the pattern first.
    if (digits < least || !needs(text) || text.search(pattern) === -1) continue;
    for (const match of text.matchAll(pattern)) {
      const place = accepts(match[0], text, match.index);
      if (place === undefined) continue;
      found.push({ start: match.index + place[0], end: match.index + place[1], kind });
    }
  }
}

const LOCAL = /[A-Za-z0-9._%+-]/u;
const DOMAIN = /^(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,62})\.){1,5}[A-Za-z]{2,24}(?![A-Za-z0-9-])/u;
/** Reserved for documentation, so that nobody has such an address. */
const NOBODY = /\.(?:example|invalid)$/iu;

/** What stands before the `@` of a URL is a user and a password. */
const IN_URL = /:\/\/[^\s/@]{0,256}$/u;

function findEmails(text: string, found: Found[]): void {
  for (let at = text.indexOf("@"); at !== -1; at = text.indexOf("@", at + 1)) {
    const local = text.slice(startOfLocal(text, at), at);
    const domain = DOMAIN.exec(text.slice(at + 1, at + 256))?.[0];
    // `git@github.com:` is everybody's address of a repository.
    if (local === undefined || local === "" || domain === undefined || NOBODY.test(domain))
      continue;
    if (local === "git" || IN_URL.test(text.slice(Math.max(0, at - 256), at))) continue;
    found.push({ start: at - local.length, end: at + 1 + domain.length, kind: "email" });
  }
}

/** Where the part before an `@` starts: at most 64 characters, and none of them a sign at the front. */
function startOfLocal(text: string, at: number): number {
  let start = at;
  while (start > 0 && at - start < 64 && LOCAL.test(text.charAt(start - 1))) start--;
  while (start < at && /[.%+-]/u.test(text.charAt(start))) start++;
  return start;
}

interface NumberRule {
  readonly kind: string;
  /** Texts with fewer digits are not tried. */
  readonly least: number;
  /** A quick look before the pattern: whether a text has the signs that stand in every match. */
  readonly needs: (text: string) => boolean;
  readonly pattern: RegExp;
  /** Which part of a match is one: start and end in it. */
  readonly accepts: Accepts;
}

type Accepts = (
  match: string,
  text: string,
  start: number,
) => readonly [number, number] | undefined;

const always = (): boolean => true;

/** Whether a sign stands in a text so many times. */
function has(text: string, sign: string, times: number): boolean {
  let at = -1;
  for (let left = times; left > 0; left--) {
    at = text.indexOf(sign, at + 1);
    if (at === -1) return false;
  }
  return true;
}

const NUMBERS: readonly NumberRule[] = [
  {
    kind: "ssn",
    least: 9,
    needs: (text) => has(text, "-", 2),
    pattern: /(?<![\w-])(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\w-])/gu,
    accepts: (match) => [0, match.length],
  },
  {
    kind: "card",
    least: 13,
    needs: always,
    pattern: /(?<![\w.-])\d(?:[ -]?\d){12,30}(?![\w-]|\.\d)/gu,
    accepts: cardIn,
  },
  {
    kind: "iban",
    least: 8,
    needs: always,
    pattern:
      /(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?![A-Za-z0-9])/gu,
    accepts: ibanIn,
  },
  {
    kind: "phone",
    least: 8,
    needs: (text) => text.includes("+"),
    pattern: /(?<![\w+])\+[1-9]\d{0,3}(?:[ .()/-]{0,2}\d){6,14}(?![\w-])/gu,
    accepts: (match) => (isPhone(match) ? [0, match.length] : undefined),
  },
  {
    kind: "phone",
    least: 10,
    needs: (text) => text.includes("-") || text.includes(".") || text.includes(" "),
    pattern:
      /(?<![\w.+-])(?:1[ .-])?(?:\([2-9]\d{2}\) ?|[2-9]\d{2}[.-])\d{3}[ .-]\d{4}(?![\w-]|\.\d)/gu,
    accepts: (match) => [0, match.length],
  },
  {
    kind: "ip",
    least: 5,
    needs: (text) => has(text, ".", 3),
    pattern: /(?<![\w.-])\d{1,3}(?:\.\d{1,3}){3}(?![\w]|\.\d|-\w)/gu,
    accepts: (match, text, start) =>
      isPublicAddress(match, text, start) ? [0, match.length] : undefined,
  },
  {
    kind: "ip",
    least: 5,
    needs: (text) => has(text, ":", 2),
    pattern: /(?<![\w:])[23][0-9a-f]{3}:(?:[0-9a-f]{0,4}:){1,6}[0-9a-f]{1,4}(?![\w:])/giu,
    accepts: (match) =>
      match.includes("::") || match.split(":").length === 8 ? [0, match.length] : undefined,
  },
];

/** The groups of digits that are a card's number, at most five, among others before and after: `2 x 4111 1111 1111 1111 12/27`. */
function cardIn(match: string): readonly [number, number] | undefined {
  const groups = [...match.matchAll(/\d+/gu)].map(
    (group) => [group.index, group.index + group[0].length] as const,
  );
  for (const [i, [start]] of groups.entries()) {
    for (const [, end] of groups.slice(i, i + 5)) {
      if (end - start >= 13 && isCard(match.slice(start, end))) return [start, end];
    }
  }
  return undefined;
}

/** An account's number, perhaps with a short word after it: `… 3201 BIC`. */
function ibanIn(match: string): readonly [number, number] | undefined {
  for (let end = match.length; end >= 15; end = match.lastIndexOf(" ", end - 1)) {
    if (isIban(match.slice(0, end))) return [0, end];
  }
  return undefined;
}

const BRAND =
  /^(?:3[47]\d{13}|3(?:0[0-5]|[689]\d)\d{11}|4(?:\d{12}|\d{15}|\d{18})|5[1-5]\d{14}|2(?:2[2-9]|[3-6]\d|7[01])\d{13}|2720\d{12}|6(?:011|5\d\d|4[4-9]\d)\d{12,15}|35(?:2[89]|[3-8]\d)\d{12}|62\d{14,17})$/u;

/** Whether the digits of a text are those of a payment card: a brand's prefix and length, and the Luhn sum. */
export function isCard(text: string): boolean {
  const digits = text.replace(/\D/gu, "");
  if (!BRAND.test(digits)) return false;
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = digits.charCodeAt(digits.length - 1 - i) - 48;
    const weighted = i % 2 === 1 ? digit * 2 : digit;
    sum += weighted > 9 ? weighted - 9 : weighted;
  }
  return sum % 10 === 0;
}

function isIban(text: string): boolean {
  const compact = text.replaceAll(" ", "");
  if (compact.length < 15 || compact.length > 34) return false;
  let rest = 0;
  for (const character of compact.slice(4) + compact.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
}

function isPhone(text: string): boolean {
  const digits = text.replace(/\D/gu, "").length;
  // "+1.000.000" and "+1,000,000" are numbers with separated thousands.
  return digits >= 8 && digits <= 15 && !/^\+\d{1,3}(?:\.\d{3})+$/u.test(text);
}

const VERSION_BEFORE = /(?:\bv(?:er(?:sion)?)?[ .:=]{0,2}|==|@|[A-Za-z]\/)$/iu;

/** Private, loopback and reserved addresses belong to nobody; four small numbers, or a number after "v", are a version. */
function isPublicAddress(text: string, whole: string, start: number): boolean {
  const parts = text.split(".").map(Number);
  const [a = 0, b = 0] = parts;
  if (parts.some((part) => part > 255) || /(?:^|\.)0\d/u.test(text)) return false;
  if (parts.every((part) => part < 10)) return false;
  if (a === 0 || a === 10 || a === 127 || a >= 224 || (a === 169 && b === 254)) return false;
  if (
    (a === 192 && b === 168) ||
    (a === 172 && b >= 16 && b <= 31) ||
    (a === 100 && b >= 64 && b <= 127)
  )
    return false;
  return !VERSION_BEFORE.test(whole.slice(Math.max(0, start - 12), start));
}
