import * as fc from "fast-check";
import { expect, test } from "vitest";
import { epochMs } from "./instant.ts";

test("an ISO time of any day is read to the millisecond, with or without its zone", () => {
  fc.assert(
    fc.property(
      fc.date({ min: new Date("1990-01-01"), max: new Date("2100-01-01"), noInvalidDate: true }),
      (date) => {
        const text = date.toISOString();
        expect(epochMs(text)).toBe(date.getTime());
        expect(epochMs(text.slice(0, -1))).toBe(date.getTime());
      },
    ),
  );
});

test.each([
  ["2024-10-11T20:58:24.544431+00:00", 1728680304544],
  ["2024-10-11T22:58:24+02:00", 1728680304000],
  ["2024-10-11 20:58:24", 1728680304000],
  [1728680304, 1728680304000],
  [1728680304.5, 1728680304500],
  [1728680304000, 1728680304000],
  [1728680304000000, 1728680304000],
  ["1728680304000000000", 1728680304000],
  [{ $t: "bigint", v: "1728680304000000001" }, 1728680304000],
  [[1728680304, 500000000], 1728680304500],
  ["None", undefined],
  ["2024-13-40T00:00:00", undefined],
  [7, undefined],
  [null, undefined],
])("the time %j is %j", (value, ms) => {
  const read = epochMs(value);
  expect(read === undefined ? undefined : Math.round(read)).toBe(ms);
});
