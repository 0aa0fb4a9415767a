import * as fc from "fast-check";
import { expect, test } from "vitest";
import { classesIn, HEX, signsOf, STATUS_LIKE } from "./signs.ts";
import { ERROR_CLASSES, withClasses } from "./synonyms.ts";

const ALL = (1 << ERROR_CLASSES.length) - 1;
const anyMessage = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ..."Error,HTTP,status,code, ,: ,404,503,4291,/1.1,(,Rate limit exceeded,TOO_MANY_REQUESTS".split(
          ",",
        ),
        ..."Throttled,quota exceeded,invalid token,Access denied,EPERM,No such,ENOENT,timed-out".split(
          ",",
        ),
        ..."deadline exceeded,Bad Gateway,overloaded,conflict,unprocessable entity,K,İ,0x1F".split(
          ",",
        ),
        ..."deadbeef1234,0,x,internal_server_error,bad request,not permitted,doesn't exist".split(
          ",",
        ),
      ),
      fc.string({ maxLength: 4, unit: "binary" }),
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(""));

test("no phrase of an error class is there without its sign", () => {
  fc.assert(
    fc.property(anyMessage, (message) => {
      const text = message.toLowerCase();
      expect(withClasses(text, classesIn(signsOf(message)))).toBe(withClasses(text, ALL));
    }),
    { numRuns: 1000 },
  );
});

test("no long number in hexadecimal and no status is there without its sign", () => {
  const has = (message: string, sign: number): boolean => (signsOf(message) & sign) !== 0;
  fc.assert(
    fc.property(anyMessage, (message) => {
      const isLong = /\b(?:0x[0-9a-f]+|[0-9a-f]{12,})\b/i.test(message);
      const isStatus = /(?:\b|[a-z/])[45]\d\d\b/i.test(message);
      expect(!isLong || has(message, HEX)).toBe(true);
      expect(!isStatus || has(message, STATUS_LIKE)).toBe(true);
    }),
    { numRuns: 1000 },
  );
});
