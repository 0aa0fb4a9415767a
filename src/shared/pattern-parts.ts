/** More texts than these are not kept apart. */
const MOST = 64;
/** A needle that stands in most texts is none. */
const SHORT = 3;
const LONG = 5;
/** Letters of a beginning. */
const START = 6;
/** More beginnings than these are not told apart by further letters. */
const MOST_STARTS = 500;

/** What is known of a part of a pattern: all texts that it can be, or texts of which one is in it; or nothing. */
export interface Part {
  readonly exact?: readonly string[];
  readonly needles?: readonly string[];
  /** Where `exact` is missing: beginnings of which it has one. */
  readonly starts?: readonly string[];
}

/** What is known of a whole pattern, by the source of one that compiles. */
export function partOf(source: string, ignoresCase = false): Part {
  return new Parser(source, ignoresCase).alternatives();
}

/** A few letters with one of which every text of a part begins; undefined when it may begin with anything. */
export function startsOf({ exact, starts }: Part): readonly string[] | undefined {
  const found = exact ?? starts;
  if (found === undefined || found.includes("")) return undefined;
  return [...new Set(found.map((text) => text.slice(0, START)))];
}

const NOTHING: Part = {};
const EMPTY: Part = { exact: [""] };

export function bestOf({ exact, needles }: Part): readonly string[] | undefined {
  if (exact === undefined || exact.length === 0) return needles;
  return better(exact.includes("") ? undefined : exact, needles);
}

/** The first letters of texts, which say nearly as much, and are fewer. */
export function shortened(texts: readonly string[]): string[] {
  return [...new Set(texts.map((text) => text.slice(0, LONG)))];
}

/** Of two sets of needles the smaller one, unless it has a very short one. */
function better(
  a: readonly string[] | undefined,
  b: readonly string[] | undefined,
): readonly string[] | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const weight = (texts: readonly string[]): number =>
    Math.min(SHORT, ...texts.map(({ length }) => length)) * MOST - shortened(texts).length;
  return weight(a) >= weight(b) ? a : b;
}

function either(parts: readonly Part[]): Part {
  const exact: string[] = [];
  const needles: string[] = [];
  const starts: string[] = [];
  let [isExact, isKnown, isBegun] = [true, true, true];
  for (const part of parts) {
    const best = bestOf(part);
    const begun = startsOf(part);
    if (begun === undefined) isBegun = false;
    else starts.push(...begun);
    if (part.exact === undefined) isExact = false;
    else exact.push(...part.exact);
    if (best === undefined) isKnown = false;
    else needles.push(...best);
  }
  if (isExact && exact.length <= MOST) return { exact: [...new Set(exact)] };
  return {
    ...(isKnown ? { needles: [...new Set(needles)] } : {}),
    ...(isBegun ? { starts: [...new Set(starts)] } : {}),
  };
}

/** One part after the other; texts that touch are one. */
function inRow(parts: readonly Part[]): Part {
  let run: readonly string[] = [""];
  let best: readonly string[] | undefined;
  let isExact = true;
  const close = (): void => {
    if (!run.includes("")) best = better(best, run);
    run = [""];
    isExact = false;
  };
  for (const { exact, needles } of parts) {
    if (exact === undefined) {
      close();
      best = better(best, needles);
    } else {
      if (run.length * exact.length > MOST) close();
      if (exact.length > MOST) continue;
      run = run.flatMap((start) => exact.map((end) => start + end));
    }
  }
  if (isExact) return { exact: run };
  close();
  const starts = beginningOf(parts);
  return {
    ...(best === undefined ? {} : { needles: best }),
    ...(starts === undefined ? {} : { starts }),
  };
}

/** How a row begins, as far as it is known. */
function beginningOf(parts: readonly Part[]): readonly string[] | undefined {
  let begun: readonly string[] = [""];
  for (const { exact, starts } of parts) {
    const next = exact ?? starts;
    if (next === undefined) break;
    const longer = begun.flatMap((text) =>
      text.length >= START ? [text] : next.map((more) => (text + more).slice(0, START)),
    );
    if (longer.length > MOST_STARTS) break;
    begun = [...new Set(longer)];
    if (exact === undefined) break;
  }
  return begun.includes("") ? undefined : begun;
}

function times(part: Part, least: number, most: number): Part {
  if (least === 1 && most === 1) return part;
  if (least === 0) {
    const { exact } = part;
    return most === 1 && exact !== undefined ? { exact: [...new Set([...exact, ""])] } : NOTHING;
  }
  const [best, begun] = [bestOf(part), startsOf(part)];
  return {
    ...(best === undefined ? {} : { needles: best }),
    ...(begun === undefined ? {} : { starts: begun }),
  };
}

/** Reads the source of a pattern that compiles, as far as it matters here. */
class Parser {
  readonly #source: string;
  readonly #lower: boolean;
  #at = 0;

  constructor(source: string, lower: boolean) {
    this.#source = source;
    this.#lower = lower;
  }

  alternatives(): Part {
    const parts: Part[] = [];
    let row: Part[] = [];
    while (this.#at < this.#source.length && this.#source[this.#at] !== ")") {
      if (this.#source[this.#at] === "|") {
        this.#at++;
        parts.push(inRow(row));
        row = [];
      } else row.push(this.#repeated(this.#one()));
    }
    parts.push(inRow(row));
    return either(parts);
  }

  #one(): Part {
    const sign = this.#source.charAt(this.#at++);
    if (sign === "(") return this.#group();
    if (sign === "[") return this.#class();
    if (sign === "\\") return this.#escaped();
    if (sign === "^" || sign === "$") return EMPTY;
    return sign === "." ? NOTHING : this.#letter(sign);
  }

  /** A letter beyond ASCII may stand for one in it where case does not count. */
  #letter(sign: string): Part {
    if (!this.#lower) return { exact: [sign] };
    return /[\u017f\u212a]/.test(sign) ? NOTHING : { exact: [sign.toLowerCase()] };
  }

  #group(): Part {
    const [open = ""] = /^\?(?:[:=!]|<[=!]|<[^>]*>)/.exec(this.#source.slice(this.#at)) ?? [];
    this.#at += open.length;
    const inner = this.alternatives();
    this.#at++;
    return /[=!]/.test(open) ? EMPTY : inner;
  }

  #class(): Part {
    const start = this.#at;
    while (this.#source[this.#at] !== "]") this.#at += this.#source[this.#at] === "\\" ? 2 : 1;
    const signs = this.#source.slice(start, this.#at++);
    if (/^\^|[\\-]/.test(signs) || signs.length > 8) return NOTHING;
    return either(Array.from(signs, (sign) => this.#letter(sign)));
  }

  #escaped(): Part {
    const sign = this.#source.charAt(this.#at++);
    if (sign === "b" || sign === "B") return EMPTY;
    if (!/[A-Za-z0-9]/.test(sign)) return this.#letter(sign);
    // What belongs to the escape: `\p{L}`, `\u{1f600}`, `\u00e9`, `\x41`, `\k<name>`, `\cA`.
    const [more = ""] =
      /^(?:[pPu]\{[^}]*\}|u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|k<[^>]*>|c.)/.exec(
        this.#source.slice(this.#at - 1),
      ) ?? [];
    this.#at += Math.max(0, more.length - 1);
    return NOTHING;
  }

  #repeated(part: Part): Part {
    const found = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/.exec(this.#source.slice(this.#at));
    if (found === null) return part;
    const [whole, least, comma, most] = found;
    this.#at += whole.length;
    if (least !== undefined) {
      const end = comma === "" ? Number(least) : most === "" ? Infinity : Number(most);
      return times(part, Number(least), end);
    }
    return times(part, whole.startsWith("+") ? 1 : 0, whole.startsWith("?") ? 1 : Infinity);
  }
}
