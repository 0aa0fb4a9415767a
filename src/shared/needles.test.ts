import * as fc from "fast-check";
import { expect, test } from "vitest";
import { needlesOf, quickTest, WORTH_LOOKING } from "./needles.ts";

/** Patterns as they are written in this project, with what a reader of patterns may stumble over. */
const PATTERNS = [
  /\b404\b|\bnot[ _-]?found\b|\bdoes ?n[o'’]t exist\b|\bKeyError\b/iu,
  /(?:AKIA|ASIA)[A-Z0-9]{4}(?![A-Za-z0-9])|a{0,2}bc+d|\p{L}xy\u00e9z(?:q|r)?/u,
  /^(?:error:? ?)?(?:invalid|bad)(?: \S+)? (?:arguments?|fields?)\b/iu,
  /[abc]{2}|(?<!x)y(?<name>z|[.|)])?\k<name>|\/\\|\]\)/u,
  /\x41b|[^a]c|\cA.|\d+e/u,
  /a|b*|c/u,
  /(?:a(?:b|c(?:d|e)f){2,3}g)?h/iu,
];

const PIECES =
  "404 not found _ doesn ' KEYERROR AKIA B7Q2 bcccd axy\u00e9zq error: invalid field s a b c y z | ) /\\ ] A B d e f g h 1 2";
const pieces = fc.constantFrom(
  " ",
  "t exist",
  " the",
  "\u0001",
  "\u212a",
  "\u017f",
  ...PIECES.split(" "),
);
const texts = fc.array(pieces, { maxLength: 8 }).map((list) => list.join(""));

test("a quick test says what the pattern says", () => {
  for (const pattern of PATTERNS) {
    const quick = quickTest(pattern);
    for (let i = 0; i < WORTH_LOOKING; i++) quick("");
    fc.assert(
      fc.property(texts, (text) => {
        expect(quick(text), `${String(pattern)} in ${JSON.stringify(text)}`).toBe(
          pattern.test(text),
        );
      }),
      { numRuns: 500 },
    );
  }
});

test("whatever matches a pattern of plain parts has one of its needles in it", () => {
  const word = fc.stringMatching(/^[a-z]{1,6}$/u);
  const part: fc.Arbitrary<string> = fc.letrec<{ part: string }>((tie) => ({
    part: fc.oneof(
      { maxDepth: 3 },
      word,
      fc.constantFrom("[a-f]", "[xyz]", "\\d", "q?", "k{2,3}"),
      fc.tuple(tie("part"), tie("part")).map(([a, b]) => `(?:${a}|${b})`),
      fc.tuple(tie("part"), tie("part")).map(([a, b]) => `${a}${b}`),
      tie("part").map((inner) => `(?:${inner})?`),
      tie("part").map((inner) => `(?:${inner})+`),
    ),
  })).part;
  fc.assert(
    fc.property(
      part.chain((source) =>
        fc.tuple(fc.constant(source), fc.stringMatching(new RegExp(`^(?:${source})$`, "u"))),
      ),
      ([source, text]) => {
        const needles = needlesOf(new RegExp(source, "u"));
        expect(needles?.some((one) => text.includes(one)) ?? true).toBe(true);
      },
    ),
    { numRuns: 500 },
  );
});

test("a pattern that may match anything has no needles", () => {
  for (const pattern of [/a|b*/u, /\d+/u, /(?:x|)/u, /./u]) {
    expect(needlesOf(pattern)).toBeUndefined();
  }
});
