import * as fc from "fast-check";
import { expect, test } from "vitest";
import { parseJson } from "./parse.ts";
import { decode } from "./encode.ts";

test("any JSON text is parsed as JSON.parse does", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(0, 2), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      expect(parseJson(text)).toEqual(JSON.parse(text));
    }),
  );
});

test("every integer is written as it was read", () => {
  fc.assert(
    fc.property(fc.bigInt(), (value) => {
      const parsed = decode(parseJson(`{"id": ${value}}`)) as { id: number | bigint };
      expect(String(parsed.id)).toBe(String(value));
    }),
  );
});

test("a text is refused with a code or parsed, whatever it is", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.string({ unit: fc.constantFrom(...Array.from('{}[]",:\\0123456789eE.-+NaInfity ')) }),
      ),
      (text) => {
        const code = codeOf(() => parseJson(text));
        const refused = !isJson(text.replace(/-?Infinity|NaN/gu, "0"));
        expect(code ?? "").toMatch(/^(?:E_JSON_|$)/u);
        expect(code === undefined || refused).toBe(true);
      },
    ),
    { numRuns: 1000 },
  );
});

test("an integer beyond 2^53 is kept exactly", () => {
  expect(parseJson('{"a":9007199254740993,"b":-9007199254740993,"c":9007199254740991}')).toEqual({
    a: { $t: "bigint", v: "9007199254740993" },
    b: { $t: "bigint", v: "-9007199254740993" },
    c: 9007199254740991,
  });
});

test("digits inside strings and names are left alone", () => {
  const text = String.raw`{"12345678901234567890":"\"12345678901234567890, 1e400, NaN","\\":[12345678901234567890]}`;
  expect(parseJson(text)).toEqual({
    "12345678901234567890": '"12345678901234567890, 1e400, NaN',
    "\\": [{ $t: "bigint", v: "12345678901234567890" }],
  });
});

test("numbers beyond the range of a double are marked, and not null", () => {
  expect(parseJson("[1e400,-1e400,1e-400,1234567890123456789.5]")).toEqual([
    { $t: "infinity" },
    { $t: "-infinity" },
    0,
    1234567890123456800,
  ]);
});

test("the NaN and Infinity that Python writes are read", () => {
  expect(decode(parseJson('{"reward": NaN, "best": Infinity, "worst": -Infinity}'))).toEqual({
    reward: Number.NaN,
    best: Infinity,
    worst: -Infinity,
  });
});

test("a value nested a million deep is refused without overflowing the stack", () => {
  const depth = 1_000_000;
  const refused = codeOf(() => parseJson("[".repeat(depth) + "]".repeat(depth)));
  expect(refused).toBe("E_JSON_DEPTH");
  expect(codeOf(() => parseJson('{"a":'.repeat(depth)))).toBe("E_JSON_DEPTH");
});

test("128 levels are accepted and 129 are not", () => {
  expect(() => parseJson("[".repeat(128) + "]".repeat(128))).not.toThrow();
  expect(codeOf(() => parseJson("[".repeat(129) + "]".repeat(129)))).toBe("E_JSON_DEPTH");
  expect(() => parseJson("[[1]]", { depth: 1 })).toThrow("more than 1 levels");
});

test("brackets in strings are no levels", () => {
  expect(parseJson(JSON.stringify("[".repeat(1000)))).toBe("[".repeat(1000));
});

test("more values than allowed are refused before anything is built", () => {
  expect(codeOf(() => parseJson(`[${"0,".repeat(5_000_000)}0]`))).toBe("E_JSON_NODES");
  expect(codeOf(() => parseJson('{"a":1,"b":2}', { nodes: 2 }))).toBe("E_JSON_NODES");
});

test("a BOM is skipped, and NUL and lone surrogates are kept", () => {
  expect(parseJson('\ufeff"a\\u0000b"')).toBe("a\u0000b");
  expect(parseJson('"x\\ud800"')).toBe("x\ud800");
});

test("an own __proto__ member is kept and changes no prototype", () => {
  const parsed = parseJson('{"__proto__":{"x":1}}') as { x?: unknown };
  expect(Object.keys(parsed)).toEqual(["__proto__"]);
  expect(parsed.x).toBeUndefined();
  expect(({} as { x?: unknown }).x).toBeUndefined();
});

test("a syntax error names its place and does not repeat the text", () => {
  expect(() => parseJson('{"password": hunter2}')).toThrowErrorMatchingInlineSnapshot(
    `[TwiceshyError [E_JSON_SYNTAX]: Failed to parse a JSON text: it is not JSON, at line 1, column 14. Correct the text, or write it again with a JSON library.]`,
  );
  expect(() => parseJson('{"a":\n [1,}')).toThrowErrorMatchingInlineSnapshot(
    `[TwiceshyError [E_JSON_SYNTAX]: Failed to parse a JSON text: it is not JSON, at line 2, column 5. Correct the text, or write it again with a JSON library.]`,
  );
  expect(() => parseJson('{"a": 12345678901234567890, }')).toThrowErrorMatchingInlineSnapshot(
    `[TwiceshyError [E_JSON_SYNTAX]: Failed to parse a JSON text: it is not JSON, at line 1, column 29. Correct the text, or write it again with a JSON library.]`,
  );
  expect(() => parseJson('{"a":"b')).toThrowErrorMatchingInlineSnapshot(
    `[TwiceshyError [E_JSON_SYNTAX]: Failed to parse a JSON text: it ends too early, at line 1, column 8. Correct the text, or write it again with a JSON library.]`,
  );
  expect(() => parseJson(" ")).toThrowErrorMatchingInlineSnapshot(
    `[TwiceshyError [E_JSON_SYNTAX]: Failed to parse a JSON text: it ends too early, at line 1, column 2. Correct the text, or write it again with a JSON library.]`,
  );
});

test("a cut text of many megabytes is refused with a code", () => {
  expect(codeOf(() => parseJson(`{"a":"${String.raw`\n`.repeat(10_000_000)}`))).toBe(
    "E_JSON_SYNTAX",
  );
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function codeOf(run: () => unknown): string | undefined {
  try {
    run();
    return undefined;
  } catch (thrown) {
    return (thrown as { code?: string }).code;
  }
}

test("a number that a double cannot hold stays exact wherever it stands, and a text that only looks so is a text", () => {
  for (const [text, value] of [
    ["12345678901234567890", { $t: "bigint", v: "12345678901234567890" }],
    ["[1,-12345678901234567890]", [1, { $t: "bigint", v: "-12345678901234567890" }]],
    ['{"a":1e400,"b":-9.9E+999}', { a: { $t: "infinity" }, b: { $t: "-infinity" } }],
    [
      '{"a":": 12345678901234567890","b":"x, 1e400"}',
      { a: ": 12345678901234567890", b: "x, 1e400" },
    ],
    [
      "[1234567890123456,0.12345678901234567890,1e99]",
      [1234567890123456, 0.12345678901234568, 1e99],
    ],
  ] as const)
    expect(parseJson(text)).toEqual(value);
});
