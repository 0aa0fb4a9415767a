import * as fc from "fast-check";
import { expect, test } from "vitest";
import * as phrases from "./phrases.ts";
import { wordingOf, WORTH_GUESSING, type Wording } from "./wording.ts";

const sources = Object.values(phrases).flatMap(({ worded }) => worded);
const words = [...new Set(sources.flatMap((line) => line.match(/[a-z0-9']+/gu) ?? []))];
const whole = sources
  .flatMap((line) => line.split("|"))
  .filter((phrase) => /^[ -~]*$/u.test(phrase) && !/[()[\]{}\\?*]/u.test(phrase))
  .map((phrase) => phrase.replaceAll("W ", " so "));
const joints = fc.constantFrom(" ", " ", " ", ". ", "\n", ", ", "-", "_", "", "? ");
const texts = fc
  .array(
    fc.tuple(fc.oneof(fc.constantFrom(...words), fc.constantFrom(...whole)), joints, fc.boolean()),
    { maxLength: 9 },
  )
  .map((parts) =>
    parts.map(([text, joint, loud]) => (loud ? text.toUpperCase() : text) + joint).join(""),
  );

const MEMBERS: readonly (keyof Wording)[] = [
  "claims",
  "honest",
  "gaveUp",
  "surrenders",
  "refuses",
  "offers",
  "unfinished",
];

test("what is told by the first letters of the words alone is what the patterns tell", () => {
  for (let i = 0; i < WORTH_GUESSING; i++) expect(wordingOf("").honest).toBe(false);
  fc.assert(
    fc.property(texts, (text) => {
      // A sentence in other letters says nothing, and with it no first letters are trusted.
      const [quick, slow] = [wordingOf(text), wordingOf(`${text}\n中`)];
      const read = (wording: Wording): unknown[] => MEMBERS.map((member) => wording[member]);
      expect([text, ...read(quick)]).toEqual([text, ...read(slow)]);
    }),
    { numRuns: 2000 },
  );
});
