import * as fc from "fast-check";
import { expect, test } from "vitest";
import { momentOf } from "./moment.ts";

test("a moment of an ISO text is the one that the platform reads", () => {
  const date = fc.date({
    min: new Date("0001-01-01T00:00:00Z"),
    max: new Date("9999-12-31T23:59:59Z"),
    noInvalidDate: true,
  });
  fc.assert(
    fc.property(date, (moment) => {
      expect(momentOf(moment.toISOString())).toBe(moment.getTime());
      expect(momentOf(moment.toISOString().slice(0, 10))).toBe(
        Date.parse(moment.toISOString().slice(0, 10)),
      );
    }),
    { numRuns: 500 },
  );
});

test("a zone counts, a text without one is UTC, and a day that there is not names no moment", () => {
  expect(momentOf("2026-01-01T01:00:00+02:00")).toBe(Date.parse("2025-12-31T23:00:00Z"));
  expect(momentOf("2026-01-01T01:00")).toBe(Date.parse("2026-01-01T01:00:00Z"));
  for (const text of ["2026-02-29", "2026-13-01", "2026-01-01T24:00", "x2026-01-01", "5", ""]) {
    expect([text, momentOf(text)]).toEqual([text, undefined]);
  }
});
