const OFFSET = 0x811c9dc5;
const PRIME = 0x01000193;
const SPACE = 32;
const HASH = 35;
const LESS = 60;
const MORE = 62;

/**
 * Hashes (FNV-1a over UTF-16 units: quick, and the same everywhere) of the words of a normalised text and of its pairs of
 * neighbouring words; with `pieces` also of every three letters of a longer word, else only where a script has no spaces.
 * One pass by hand: a million texts are no work, and a pattern takes five times as long.
 */
export function hashesOf(text: string, want: "words" | "pieces"): Uint32Array {
  const found = new Uint32Array(text.length * 2 + 2);
  let count = 0;
  let before: number | undefined;
  let end = 0;
  for (let start = nextWord(text, 0); start < text.length; start = nextWord(text, end)) {
    end = endOfWord(text, start);
    let own = OFFSET;
    let pair = before === undefined ? OFFSET : step(before, SPACE);
    for (let at = start; at < end; at++) {
      const code = text.charCodeAt(at);
      own = step(own, code);
      pair = step(pair, code);
    }
    found[count++] = own;
    if (before !== undefined) found[count++] = pair;
    before = own;
    const isPlaceholder = text.charCodeAt(start) === LESS;
    if (isPlaceholder || end - start <= 3 || (want === "words" && isAscii(text, start, end)))
      continue;
    for (let at = start; at + 3 <= end; at++) {
      const two = step(step(step(OFFSET, HASH), text.charCodeAt(at)), text.charCodeAt(at + 1));
      found[count++] = step(two, text.charCodeAt(at + 2));
    }
  }
  return found.slice(0, count);
}

function step(hash: number, code: number): number {
  return Math.imul(hash ^ code, PRIME);
}

function nextWord(text: string, from: number): number {
  let at = from;
  while (at < text.length && !isLetter(text, at) && endOfPlaceholder(text, at) === at) at++;
  return at;
}

function endOfWord(text: string, start: number): number {
  const placeholder = endOfPlaceholder(text, start);
  if (placeholder > start) return placeholder;
  let end = start + 1;
  while (end < text.length && isLetter(text, end)) end++;
  return end;
}

/** The end of a placeholder such as `<id>` that starts there; the start itself when there is none. */
function endOfPlaceholder(text: string, start: number): number {
  if (text.charCodeAt(start) !== LESS) return start;
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === MORE) return at > start + 1 ? at + 1 : start;
    if (code <= SPACE || code === LESS) return start;
  }
  return start;
}

/** Letters and digits of any script, and the signs that stand inside names and numbers: `_ $ ' . -`. */
function isLetter(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code > 127)
    return (code >= 0xd800 && code <= 0xdfff) || /[\p{L}\p{N}]/u.test(text.charAt(at));
  const lower = code | 32;
  return (
    (lower >= 97 && lower <= 122) ||
    (code >= 48 && code <= 57) ||
    code === 95 ||
    code === 36 ||
    code === 39 ||
    code === 45 ||
    code === 46
  );
}

function isAscii(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (text.charCodeAt(at) > 127) return false;
  return true;
}
