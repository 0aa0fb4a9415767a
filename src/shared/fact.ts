/** Lower case, NFC, every run of white space one blank: how texts are compared with facts. */
export function plain(text: string): string {
  return text.normalize("NFC").toLowerCase().replaceAll(/\s+/g, " ").trim();
}

/**
 * Whether a text holds a fact. A text is looked for without regard to case and spaces; a number also in other notations
 * (`1200` is in "1,200.00 EUR"), but never inside a longer number (`5` is not in "2015").
 */
export function holdsFact(text: string, fact: string): boolean {
  const wanted = numbersOf(fact.trim());
  if (wanted.length === 0) return plain(text).includes(plain(fact));
  if (occursAsWord(plain(text), plain(fact))) return true;
  return wanted.some((value) => numberTokens(text).some((token) => token.values.includes(value)));
}

/** Whether a text holds another as whole words: not inside a longer word, id or number. Both as `plain` gives them. */
export function occursAsWord(text: string, words: string): boolean {
  if (words === "") return false;
  for (let at = text.indexOf(words); at !== -1; at = text.indexOf(words, at + 1)) {
    if (isWordAt(text, at, words)) return true;
  }
  return false;
}

function isWordAt(text: string, at: number, words: string): boolean {
  const before = text.slice(Math.max(0, at - 2), at);
  const after = text.slice(at + words.length, at + words.length + 2);
  if (/^[\p{L}\p{N}]/u.test(words) && /(?:[\p{L}\p{N}_]|[\p{L}\p{N}]-)$/u.test(before))
    return false;
  if (/^\d/.test(words) && /\d[.,]$/.test(before)) return false;
  if (/[\p{L}\p{N}]$/u.test(words) && /^(?:[\p{L}\p{N}_]|-[\p{L}\p{N}])/u.test(after)) return false;
  return !(/\d$/.test(words) && /^[.,]\d/.test(after));
}

/** A number as it stands in a text, with every value that it can mean ("1.200" is 1.2 or 1200). */
export interface NumberToken {
  readonly text: string;
  readonly values: readonly number[];
}

const TOKEN = /(?<![\p{L}\p{N}_]|[\p{L}\p{N}]-|\d[.,])\d+(?:[.,'\u00A0\u202F ]\d+)*(?!-?\d|_)/gu;
const GROUPED = /^\d{1,3}(?:([.,'\u00A0\u202F ])\d{3})(?:\1\d{3})*(?:([.,])\d+)?$/u;

/** Every number in a text, without its sign; parts of ids, dates and versions are none. */
export function numberTokens(text: string): readonly NumberToken[] {
  const tokens: NumberToken[] = [];
  for (const [token] of text.matchAll(TOKEN)) {
    const values = numbersOf(token);
    if (values.length > 0) tokens.push({ text: token, values });
    if (!token.includes(" ") || values.length > 0) continue;
    for (const part of token.split(" ")) tokens.push({ text: part, values: numbersOf(part) });
  }
  return tokens;
}

/** What a numeral can mean, without its sign; nothing when the text is not one number. */
export function numbersOf(text: string): readonly number[] {
  const digits = /^[-+−]?(\d.*)$/u.exec(text)?.[1] ?? "";
  const values = new Set<number>();
  if (/^\d+(?:\.\d+)?$/.test(digits)) values.add(Number(digits));
  const grouped = GROUPED.exec(digits);
  if (grouped !== null && !digits.startsWith("0") && grouped[1] !== grouped[2]) {
    const [, group = "", point = ""] = grouped;
    const whole = digits.replaceAll(group, "");
    values.add(Number(point === "" ? whole : whole.replace(point, ".")));
  } else if (/^\d+,\d+$/.test(digits)) {
    values.add(Number(digits.replace(",", ".")));
  }
  return [...values];
}
