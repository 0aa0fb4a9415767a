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
import { guesses, type Guess } from "./firsts.ts";

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
  /** What cannot be done is followed by what can: "I can't do this, but I can do that". */
  readonly offers: boolean;
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

/** Before what is done in place of what cannot be done. */
const BUT = /[,;–—] ?(?:but|however|aber|jedoch|pero|mais|ma|però|mas|maar|ale) |，?但是?|が、/u;

const everyBenign = lazily(BENIGN, "gu");
const claim = lazily(CLAIM, "u");
const failure = lazily(FAILURE, "u");
const giveUp = lazily(GIVE_UP, "u");
const refusal = lazily(REFUSAL, "u");
const surrender = lazily(SURRENDER, "u");
const unfinished = lazily(UNFINISHED, "u");

/** The pattern, made when it is asked for: every test file loads this module, and few read an answer. */
function lazily(list: PhraseList, flags: string): () => RegExp {
  let made: RegExp | undefined;
  return () => (made ??= compile(list, flags));
}

/** For texts in lower case: a pattern that ignores case by itself is far slower to compile. */
function compile(list: PhraseList, flags: string): RegExp {
  const worded = wordedOf(list).join("|");
  const spaced = `(?<!${LETTER})(?:${worded})(?!${LETTER})`;
  return new RegExp([spaced, ...(list.unspaced ?? [])].join("|"), flags);
}

function wordedOf({ worded }: PhraseList): string[] {
  return worded.map((line) => line.replaceAll("W ", BETWEEN).replaceAll(String.raw`\p{L}`, LETTER));
}

const IS_BENIGN = 1;
const IS_CLAIM = 2;
const IS_FAILURE = 4;
const IS_GIVE_UP = 8;
const IS_REFUSAL = 16;
const IS_SURRENDER = 32;
const IS_UNFINISHED = 64;

const guess = lazyGuess();

/** Texts after which working out how phrases begin has paid: a test file reads fewer, a folder of logs many more. */
export const WORTH_GUESSING = 2000;

function lazyGuess(): Guess {
  let made: Guess | undefined;
  let texts = 0;
  return (text) => {
    if (texts < WORTH_GUESSING) {
      texts += 1;
      return -1;
    }
    made ??= guesses(
      [BENIGN, CLAIM, FAILURE, GIVE_UP, REFUSAL, SURRENDER, UNFINISHED].map((list) => ({
        worded: wordedOf(list),
        unspaced: list.unspaced ?? [],
      })),
    );
    return made(text);
  };
}

/** Bits of the lists that may have a phrase in a text in lower case. */
function guessed(plain: string): number {
  const found = guess(plain);
  // What is taken out makes neighbours of words that were none.
  return (found & IS_BENIGN) === 0 ? found : -1;
}

/**
 * Reads what a text says about the run; `text` may be of any length and language. Each member is worked out when it is
 * asked for: most runs ask for few, and the patterns are large.
 */
export function wordingOf(text: string): Wording {
  return new Reading(text);
}

class Reading implements Wording {
  readonly #text: string;
  #plain: string | undefined;
  #guessed: number | undefined;
  #sentences: readonly string[] | undefined;
  #honest: boolean | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  get claims(): boolean {
    return this.#some(IS_CLAIM, (sentence) => claim().test(sentence) && !denies(sentence));
  }

  get honest(): boolean {
    return (this.#honest ??= this.#some(IS_FAILURE | IS_GIVE_UP, denies) || this.surrenders);
  }

  get gaveUp(): boolean {
    return this.#some(IS_GIVE_UP, stops) || this.surrenders;
  }

  get surrenders(): boolean {
    return this.#some(IS_SURRENDER, (sentence) => surrender().test(sentence));
  }

  get refuses(): boolean {
    return this.#some(IS_REFUSAL, (sentence) => refusal().test(sentence));
  }

  get offers(): boolean {
    return this.#some(
      IS_GIVE_UP,
      (sentence) => giveUp().test(sentence) && !denies(sentence.split(BUT).at(-1) ?? ""),
    );
  }

  get unfinished(): boolean {
    return this.#some(IS_UNFINISHED, (sentence) => unfinished().test(sentence));
  }

  get asks(): boolean {
    return /[?？]["')\]\s]*$/u.test(this.#normal());
  }

  /** Whether a test holds for a sentence; one of the lists must have a phrase in it for that. */
  #some(lists: number, test: (sentence: string) => boolean): boolean {
    if (((this.#guessed ??= guessed(this.#normal())) & lists) === 0) return false;
    return (this.#sentences ??= sentencesOf(this.#normal())).some((sentence) => test(sentence));
  }

  #normal(): string {
    return (this.#plain ??= normalise(this.#text));
  }
}

function sentencesOf(plain: string): string[] {
  return plain
    .split(/(?<=[.!?…])\s+|(?<=[。！？])|\n+/u)
    .map((sentence) => sentence.replace(everyBenign(), " "))
    .filter((sentence) => sentence.trim() !== "");
}

function stops(sentence: string): boolean {
  return giveUp().test(sentence) && !refusal().test(sentence);
}

function denies(sentence: string): boolean {
  return failure().test(sentence) || giveUp().test(sentence);
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
