import * as fc from "fast-check";
import { expect, test } from "vitest";
import { decode, encode } from "../shared/encode.ts";
import { decodePlain, encodeFlat } from "./plain-copy.ts";

const anything = fc.oneof(
  fc.anything({ withDate: true, withMap: true, withBigInt: true, maxDepth: 3 }),
  fc.dictionary(fc.constantFrom("a", "$t", "__proto__", "v"), fc.anything({ maxDepth: 2 })),
);

test("the short ways give what the long ones give, in copies of their own", () => {
  fc.assert(
    fc.property(anything, (value) => {
      const long = encode(value);
      expect(decodePlain(long)).toEqual(decode(long));
      if (typeof value !== "object" || value === null) return;
      expect(encodeFlat(value)).toEqual(long);
      expect(encodeFlat(value)).not.toBe(value);
    }),
    { numRuns: 500 },
  );
});

test("a getter that throws is no reason to throw", () => {
  const args = {
    get broken(): string {
      throw new Error("no");
    },
  };
  expect(encodeFlat(args)).toEqual(encode(args));
});
