/**
 * Characters that are not seen as themselves: controls, formats (BiDi, ZWJ, tags), private use, unassigned,
 * lone surrogates, line and paragraph separators, default ignorables, and spaces other than U+0020.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\p{DI}]|(?! )\p{Zs}/gu;
/** The same with line breaks left out. */
const UNSEEN_IN_LINE = /(?!\n)(?:[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\p{DI}]|(?! )\p{Zs})/gu;
/** Joiners and variation selectors only choose the look of the emoji before them. */
const EMOJI_GLUE = /\u200d|[\ufe00-\ufe0f]/gu;
/** GitHub's runner trims a line before it looks for `::`, and finds `##[` anywhere in it. */
const COMMAND = /^(?=[^\S\n]*::)/gmu;
const OLD_COMMAND = /##\[/gu;
const PLAIN = /^[\x20-\x7e]*$/u;
const SURROGATE = /[\ud800-\udfff]/;

const NAMED: ReadonlyMap<string, string> = new Map([
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
]);

function escapeUnseen(character: string): string {
  const point = character.codePointAt(0) ?? 0;
  const named = NAMED.get(character);
  if (named !== undefined) return named;
  if (point < 0x100) return `\\x${point.toString(16).padStart(2, "0")}`;
  if (point < 0x10000) return `\\u${point.toString(16).padStart(4, "0")}`;
  return `\\u{${point.toString(16)}}`;
}

function withoutCommands(text: string): string {
  const old = text.includes("##[") ? text.replace(OLD_COMMAND, "##\\x5b") : text;
  return old.includes("::") ? old.replace(COMMAND, "> ") : old;
}

/**
 * A text that may be printed: everything unseen but a line break becomes visible text (`\x1b`, `\u202e`),
 * and no line is a command to GitHub's runner. Applying it twice changes nothing more.
 */
export function visible(text: string): string {
  return withoutCommands(PLAIN.test(text) ? text : text.replace(UNSEEN_IN_LINE, escapeUnseen));
}

/** `visible` on one line, with line breaks as `\n`; at most `max` code points when given. */
export function oneLine(text: string, max?: number): string {
  const short = max === undefined ? text : text.slice(0, max * 2 + 2);
  const line = withoutCommands(PLAIN.test(short) ? short : short.replace(UNSEEN, escapeUnseen));
  return max === undefined ? line : clip(line, max);
}

/** At most `max` code points; a cut text ends with "…". */
export function clip(text: string, max: number): string {
  if (text.length <= max) return text;
  const start = text.slice(0, max * 2 + 2);
  if (max >= 1 && !SURROGATE.test(start)) return `${text.slice(0, max - 1)}…`;
  const points = Array.from(start);
  if (points.length <= max) return text;
  return max < 1 ? "" : `${points.slice(0, max - 1).join("")}…`;
}

function withUnseenMarked(text: string): string {
  return text
    .replace(EMOJI_GLUE, "")
    .replace(UNSEEN, (character) => (/\s/u.test(character) ? " " : "\ufffd"));
}

/**
 * A test title: one line of at most 80 code points, without any unseen or `@` character
 * (runners read `@` pragmas anywhere in a file); "(empty)" when nothing is left.
 */
export function title(text: string): string {
  const start = text.slice(0, 4096);
  const seen = (PLAIN.test(start) ? start : withUnseenMarked(start))
    .replaceAll("@", "(at)")
    .replace(/\s+/gu, " ")
    .trim();
  const line = withoutCommands(seen);
  return /^[\ufffd ]*$/u.test(line) ? "(empty)" : clip(line, 80);
}

/** A part of a file name: [a-z0-9-], at most 40 characters, perhaps empty. */
export function slug(text: string): string {
  return text
    .slice(0, 400)
    .normalize("NFKD")
    .toLowerCase()
    .replace(/\p{M}+/gu, "")
    .replace(/[^a-z0-9]+/gu, "-")
    .replace(/^-+/u, "")
    .slice(0, 40)
    .replace(/-+$/u, "");
}
