const STRING = /"(?:[^"\\\p{Cc}]|[\x7f-\x9f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy;
/** A string that is cut off. */
const OPEN_STRING = /"(?:[^"\\\p{Cc}]|[\x7f-\x9f]|\\.)*\\?$/uy;
const SCALAR =
  /(?:true|false|null|NaN|-?Infinity|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.+-])/uy;
const SPACE = /[ \t\r\n]*/uy;

type Expectation = "value" | "value or end" | "name" | "name or end" | "colon" | "comma or end";

/**
 * The index of the first character that is not JSON (the length of the text when it ends too early), for error messages:
 * `JSON.parse` gives no place for most errors, and repeats the text.
 */
export function syntaxErrorPlace(text: string): number {
  const open: string[] = [];
  let expected: Expectation = "value";
  let at = skip(SPACE, text, 0);
  while (at < text.length) {
    const step = next(text, at, { expected, open });
    if (step === undefined) return skip(OPEN_STRING, text, at) > at ? text.length : at;
    expected = step.expected;
    if (open.length === 0 && expected === "comma or end") return skip(SPACE, text, step.at);
    at = skip(SPACE, text, step.at);
  }
  return text.length;
}

interface State {
  readonly expected: Expectation;
  readonly open: string[];
}

function next(
  text: string,
  at: number,
  state: State,
): { readonly at: number; readonly expected: Expectation } | undefined {
  const character = text.charAt(at);
  const { expected, open } = state;
  if (character === open.at(-1) && expected.endsWith("or end")) {
    open.pop();
    return { at: at + 1, expected: "comma or end" };
  }
  if (expected === "colon")
    return character === ":" ? { at: at + 1, expected: "value" } : undefined;
  if (expected === "comma or end") {
    return character === ","
      ? { at: at + 1, expected: open.at(-1) === "}" ? "name" : "value" }
      : undefined;
  }
  if (expected.startsWith("name")) return ended(skip(STRING, text, at), at, "colon");
  return value(text, at, open);
}

function value(
  text: string,
  at: number,
  open: string[],
): { readonly at: number; readonly expected: Expectation } | undefined {
  const character = text.charAt(at);
  if (character === "{" || character === "[") {
    open.push(character === "{" ? "}" : "]");
    return { at: at + 1, expected: character === "{" ? "name or end" : "value or end" };
  }
  return ended(skip(character === '"' ? STRING : SCALAR, text, at), at, "comma or end");
}

function ended(
  end: number,
  start: number,
  expected: Expectation,
): { readonly at: number; readonly expected: Expectation } | undefined {
  return end > start ? { at: end, expected } : undefined;
}

/** The end of what the pattern matches at a place; the place itself when it matches nothing. */
function skip(pattern: RegExp, text: string, at: number): number {
  const sticky = new RegExp(pattern);
  sticky.lastIndex = at;
  return sticky.test(text) ? sticky.lastIndex : at;
}
