import * as fc from "fast-check";
import { expect, test } from "vitest";
import { normalize } from "./normalize.ts";

const text = (message: string): string => normalize(message).text;

test("normalising is idempotent in its literals, total and quick on any text", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 300 }), (message) => {
      const { text, literals } = normalize(message);
      expect(typeof text).toBe("string");
      expect(literals).toEqual([...literals].sort());
    }),
  );
});

test("killer strings of 100 kB are normalised in well under a second", () => {
  const killers = [
    "'",
    "a.",
    "/",
    "a@",
    "1",
    "<",
    "http://",
    "0x",
    "[",
    "-",
    "E_",
    " \t",
    "a1",
    "\\",
    '"a',
  ];
  for (const killer of killers) {
    const before = performance.now();
    normalize(killer.repeat(100_000 / killer.length));
    expect(performance.now() - before).toBeLessThan(500);
  }
});

test("durations, paths and ids do not tell two messages apart", () => {
  const a =
    "Timeout after 30.5s calling /api/v1/users/8812 id=3f2a91c4-0d1e-4b5f-8a9b-0c1d2e3f4a5b";
  const b = "Timeout after 12s calling /api/v1/users/17 id=ffffffff-0d1e-4b5f-8a9b-0c1d2e3f4a5b";
  expect(normalize(a)).toEqual(normalize(b));
});

test("an apostrophe pair does not eat the message", () => {
  expect(text("Can't read the order, won't retry")).toBe("can't read the order, won't retry");
  expect(text("Can't read 'amount', won't retry")).toBe("can't read 'amount', won't retry");
});

test("field names are kept, values and long quoted texts are not", () => {
  expect(normalize("KeyError: 'amount'").literals).toEqual(["'amount'"]);
  expect(normalize("Cannot read properties of undefined (reading 'Total')").literals).toEqual([
    "'total'",
  ]);
  expect(normalize("no customer 'Grace'")).toEqual(normalize("no customer 'Ada'"));
  expect(text('said "the order was refunded yesterday"')).toBe("said <str>");
  expect(normalize("no order 'ord_12'")).toEqual(normalize("no order 'ord_99'"));
  expect(normalize("no order 'req_8fKz9'")).toEqual(normalize("no order 'req_1aBc2'"));
});

test("a status is kept, a number of rows is not", () => {
  expect(text("Request failed with status code 418")).toContain("<status_418>");
  expect(text("found 404 rows in 500 ms")).toBe("found <n> rows in <n>");
  expect(text("503")).toBe("<unavailable>");
});

test("well-known wordings of one error are one text", () => {
  const same = (...messages: string[]): Set<string> => new Set(messages.map(text));
  expect(
    same(
      "429 Too Many Requests",
      "Rate limit exceeded",
      "HTTP 429",
      "rate-limited",
      "TOO_MANY_REQUESTS",
    ).size,
  ).toBe(1);
  expect(same("401 Unauthorized", "HTTP 401", "Unauthorised").size).toBe(1);
  expect(
    same("403 Forbidden", "Permission denied", "Access denied", "EACCES: permission denied").size,
  ).toBe(1);
  expect(same("404 Not Found", "not found", "HTTP/1.1 404 Not Found").size).toBe(1);
  expect(
    same("504 Gateway Timeout", "Request timed out", "timeout", "ETIMEDOUT", "HTTP 408").size,
  ).toBe(1);
  expect(same("503 Service Unavailable", "service unavailable", "ECONNREFUSED").size).toBe(1);
});

test("a redacted secret is its kind, whatever its number", () => {
  expect(text("[redacted:email#3] is unknown")).toBe(text("[redacted:email#1] is unknown"));
});

test("error codes are literals", () => {
  expect(normalize("CARD_DECLINED: closed").literals).toEqual(["card_declined"]);
  expect(normalize("code E11000 duplicate").literals).toEqual(["e11000"]);
});
