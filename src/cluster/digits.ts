/**
 * A lower-case text with what is left of words with digits made plain: `ord_8812` and `a-1002` keep their letters, a digit
 * before a letter makes an opaque id. One pass by hand: a pattern reads each word twice.
 */
export function withoutDigits(text: string): string {
  let result = "";
  let copied = 0;
  for (let at = startOfFirst(text); at < text.length; at++) {
    const first = text.charCodeAt(at);
    if (!isWord(first) && first !== DOLLAR) continue;
    const isFree = at === 0 || !(isWord(text.charCodeAt(at - 1)) || text[at - 1] === "<");
    const end = endOfWord(text, at, isDigit(first) ? NONE : DASH_OR_DOLLAR);
    if (isFree && hasDigit(text, at, end)) {
      result += text.slice(copied, at) + opaque(text.slice(at, end));
      copied = end;
    }
    at = end - 1;
  }
  return copied === 0 ? text : result + text.slice(copied);
}

/** Where the first word with a digit begins, or one that it hangs on by dashes; the length when there is none. */
function startOfFirst(text: string): number {
  let start = 0;
  while (start < text.length && !isDigit(text.charCodeAt(start))) start++;
  if (start === text.length) return start;
  while (start > 0) {
    const before = text.charCodeAt(start - 1);
    if (!isWord(before) && before !== DASH && before !== DOLLAR) break;
    start--;
  }
  return start;
}

const DOLLAR = 36;
const DASH = 45;
const NONE: readonly number[] = [];
const DASH_OR_DOLLAR: readonly number[] = [DASH, DOLLAR];

function endOfWord(text: string, start: number, also: readonly number[]): number {
  let end = start + 1;
  for (; end < text.length; end++) {
    const code = text.charCodeAt(end);
    if (!isWord(code) && !also.includes(code)) break;
  }
  return end;
}

function hasDigit(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (isDigit(text.charCodeAt(at))) return true;
  return false;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** ASCII letters, digits and the underscore. */
function isWord(code: number): boolean {
  return isDigit(code) || ((code | 32) >= 97 && (code | 32) <= 122) || code === 95;
}

function opaque(word: string): string {
  if (/\d+[a-z$]/.test(word)) return "<id>";
  return word.replaceAll(/\d+/g, "<n>");
}
