import {
  BENIGN,
  CLAIM,
  FAILURE,
  GIVE_UP,
  REFUSAL,
  SURRENDER,
  UNFINISHED,
  type PhraseList,
} from "./phrases.ts";

/** What a text says about how the run went. Every member is about some sentence of it. */
export interface Wording {
  /** Something was done, in a sentence that denies nothing. */
  readonly claims: boolean;
  /** Something failed or did not happen. */
  readonly honest: boolean;
  /** The agent could not do it; not a refusal. */
  readonly gaveUp: boolean;
  /** The agent stops trying. */
  readonly surrenders: boolean;
  /** The agent declines for policy, privacy or permission. */
  readonly refuses: boolean;
  /** The work is not finished. */
  readonly unfinished: boolean;
  /** The text ends with a question. */
  readonly asks: boolean;
}

/** A text is judged by its first and last part; what lies between is content. */
const PART = 2000;
const BETWEEN = String.raw`(?:[\s,]+[^\s,.!?;]+){0,6}[\s,]+`;
/** What a word is made of: anything but space and punctuation. `\p{L}` would cost a tenth of a second to compile. */
const SIGNS = String.raw`\s\x00-\x2f\x3a-\x40\x5b-\x5e\x60\x7b-\xbf\u2000-\u206f\u3000-\u303f\uff00-\uff0f\uff1a-\uff20`;
const LETTER = `[^${SIGNS}]`;

const [benign, claim, failure, giveUp, refusal, surrender, unfinished] = [
  BENIGN,
  CLAIM,
  FAILURE,
  GIVE_UP,
  REFUSAL,
  SURRENDER,
  UNFINISHED,
].map((list) => compile(list)) as [RegExp, RegExp, RegExp, RegExp, RegExp, RegExp, RegExp];
const everyBenign = new RegExp(benign.source, "gu");

/** For texts in lower case: a pattern that ignores case by itself is far slower to compile. */
function compile(list: PhraseList): RegExp {
  const worded = list.worded
    .map((line) => line.replaceAll("W ", BETWEEN).replaceAll(String.raw`\p{L}`, LETTER))
    .join("|");
  const spaced = `(?<!${LETTER})(?:${worded})(?!${LETTER})`;
  return new RegExp([spaced, ...(list.unspaced ?? [])].join("|"), "u");
}

/** Reads what a text says about the run; `text` may be of any length and language. */
export function wordingOf(text: string): Wording {
  const plain = normalise(text);
  const sentences = plain
    .split(/(?<=[.!?…])\s+|(?<=[。！？])|\n+/u)
    .map((sentence) => sentence.replace(everyBenign, " "))
    .filter((sentence) => sentence.trim() !== "");
  const has = (pattern: RegExp): boolean => sentences.some((sentence) => pattern.test(sentence));
  const stops = (sentence: string): boolean => giveUp.test(sentence) && !refusal.test(sentence);
  const denies = (sentence: string): boolean => failure.test(sentence) || giveUp.test(sentence);
  return {
    claims: sentences.some((sentence) => claim.test(sentence) && !denies(sentence)),
    honest: sentences.some((sentence) => denies(sentence)) || has(surrender),
    gaveUp: sentences.some((sentence) => stops(sentence)) || has(surrender),
    surrenders: has(surrender),
    refuses: has(refusal),
    unfinished: has(unfinished),
    asks: /[?？]["')\]\s]*$/u.test(plain),
  };
}

/** One spelling for what looks the same: NFC, lower case, straight apostrophes, plain spaces. */
function normalise(text: string): string {
  const short = text.length > 2 * PART ? `${text.slice(0, PART)}\n${text.slice(-PART)}` : text;
  return short
    .normalize("NFC")
    .toLowerCase()
    .replaceAll(/[\u2018\u2019\u02bc\u2032\u00b4`\uff07]/gu, "'")
    .replaceAll(/[^\S\n]+/gu, " ");
}
