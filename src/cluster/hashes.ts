const OFFSET = 0x811c9dc5;
const PRIME = 0x01000193;
const SPACE = 32;
const HASH = 35;
const LESS = 60;
const MORE = 62;
/** How each piece of three letters begins. */
const PIECE = Math.imul(OFFSET ^ HASH, PRIME);

/** Numbers that grow: the hashes of many texts, one after the other, in one piece of memory. */
export class HashList {
  values = new Int32Array(1024);
  length = 0;

  /** Makes place for so many more. */
  reserve(count: number): void {
    if (this.length + count <= this.values.length) return;
    const larger = new Int32Array(Math.max(this.values.length * 2, this.length + count));
    larger.set(this.values.subarray(0, this.length));
    this.values = larger;
  }
}

/**
 * Adds hashes (FNV-1a over UTF-16 units: quick, and the same everywhere) of a normalised text. To `pieces`: its words, pairs
 * of neighbouring words, and every three letters of a longer word. To `words` the same, with the three letters only where a
 * script has no spaces. One pass by hand: a million texts are no work, and a pattern takes five times as long.
 */
export function addHashes(text: string, words: HashList, pieces: HashList): void {
  words.reserve(text.length * 2 + 2);
  pieces.reserve(text.length * 2 + 2);
  const [wordValues, pieceValues] = [words.values, pieces.values];
  let [wordCount, pieceCount] = [words.length, pieces.length];
  let before = 0;
  let end = 0;
  for (let start = nextWord(text, 0); start < text.length; start = nextWord(text, end)) {
    const isFirst = end === 0;
    end = endOfWord(text, start);
    let own = OFFSET | 0;
    let pair = step(before, SPACE);
    let isAscii = true;
    for (let at = start; at < end; at++) {
      const code = text.charCodeAt(at);
      own = step(own, code);
      pair = step(pair, code);
      isAscii &&= code <= 127;
    }
    wordValues[wordCount++] = own;
    pieceValues[pieceCount++] = own;
    if (!isFirst) {
      wordValues[wordCount++] = pair;
      pieceValues[pieceCount++] = pair;
    }
    before = own;
    if (end - start <= 3 || text.charCodeAt(start) === LESS) continue;
    for (let at = start; at + 3 <= end; at++) {
      const two = step(step(PIECE, text.charCodeAt(at)), text.charCodeAt(at + 1));
      const piece = step(two, text.charCodeAt(at + 2));
      pieceValues[pieceCount++] = piece;
      if (!isAscii) wordValues[wordCount++] = piece;
    }
  }
  words.length = wordCount;
  pieces.length = pieceCount;
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

/** The letters and digits of ASCII, and the signs that stand inside names and numbers. */
const LETTERS = Uint8Array.from({ length: 128 }, (_, code) =>
  /[\w$'.-]/.test(String.fromCodePoint(code)) ? 1 : 0,
);

/** Letters and digits of any script, and the signs that stand inside names and numbers: `_ $ ' . -`. */
function isLetter(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code < 128) return LETTERS[code] === 1;
  return (code >= 0xd800 && code <= 0xdfff) || /[\p{L}\p{N}]/u.test(text.charAt(at));
}
