import {
  appendFileSync,
  closeSync,
  mkdtempSync,
  openSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { readLines, type Line } from "./lines.ts";

const folder = mkdtempSync(join(tmpdir(), "twiceshy-lines-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const path = join(folder, "lines.jsonl");

function read(content: string | Uint8Array, options?: { readonly maxLineBytes?: number }): Line[] {
  writeFileSync(path, content);
  return [...readLines(path, options)];
}

test("the lines of any text come back with their numbers, and blank ones are left out", () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.string({ unit: fc.constantFrom("a", "é", "😀", " ", "\u2028", "\u0000", "\u0085") }),
        { minLength: 1 },
      ),
      fc.constantFrom("\n", "\r\n"),
      (lines, end) => {
        const found = read(lines.map((line) => line + end).join(""));
        const wanted = lines
          .map((text, i) => ({ number: i + 1, text }))
          .filter(({ text }) => text.trim() !== "");
        expect(found).toEqual(wanted);
      },
    ),
  );
});

test("lines longer than a chunk are whole", () => {
  const lines = [1, 262_143, 262_144, 262_145, 900_000, 3].map((length, i) =>
    String(i).repeat(length),
  );
  expect(read(`${lines.join("\n")}\n`).map(({ text }) => text)).toEqual(lines);
});

test("a last line without its line break is given and marked torn", () => {
  expect(read('{"a":1}\n{"a":')).toEqual([
    { number: 1, text: '{"a":1}' },
    { number: 2, text: '{"a":', torn: true },
  ]);
  expect(read('{"a":1}\n  ')).toEqual([{ number: 1, text: '{"a":1}' }]);
  expect(read("")).toEqual([]);
});

test("a line beyond the cap is skipped, and the next one is read", () => {
  expect(read(`a\n${"x".repeat(101)}\nb\n${"y".repeat(100)}\n`, { maxLineBytes: 100 })).toEqual([
    { number: 1, text: "a" },
    { number: 2, tooLong: true },
    { number: 3, text: "b" },
    { number: 4, text: "y".repeat(100) },
  ]);
  expect(read("x".repeat(101), { maxLineBytes: 100 })).toEqual([
    { number: 1, tooLong: true, torn: true },
  ]);
});

test("a line of 100 MB is skipped with little memory", () => {
  const descriptor = openSync(path, "w");
  const chunk = Buffer.alloc(1024 * 1024, "x");
  for (let i = 0; i < 100; i++) writeSync(descriptor, chunk);
  closeSync(descriptor);
  appendFileSync(path, "\nnext\n");
  const before = process.memoryUsage().rss;
  const found = [...readLines(path)];
  expect(found).toEqual([
    { number: 1, tooLong: true },
    { number: 2, text: "next" },
  ]);
  expect(process.memoryUsage().rss - before).toBeLessThan(80 * 1024 * 1024);
});

test("a BOM is skipped, and NUL is kept", () => {
  expect(read("\ufeff{}\n\ufeffa\u0000b\n")).toEqual([
    { number: 1, text: "{}" },
    { number: 2, text: "\ufeffa\u0000b" },
  ]);
});

test("bytes that are not UTF-8 are reported in their line alone", () => {
  expect(read(Buffer.from([0x61, 0x0a, 0xff, 0x62, 0x0a, 0x63, 0x0a, 0xc3]))).toEqual([
    { number: 1, text: "a" },
    { number: 2, invalid: "bytes that are not UTF-8" },
    { number: 3, text: "c" },
    { number: 4, invalid: "bytes that are not UTF-8", torn: true },
  ]);
});

test("a UTF-16 file is named as such and not read further", () => {
  for (const bom of [
    [0xff, 0xfe],
    [0xfe, 0xff],
  ]) {
    const bytes = Buffer.concat([Buffer.from(bom), Buffer.from('{"a":1}\n{"b":2}\n', "utf16le")]);
    expect(read(bytes)).toEqual([{ number: 1, invalid: "UTF-16: write the file as UTF-8" }]);
  }
});

test("a reader that stops early leaves no file open", () => {
  writeFileSync(path, "a\nb\n");
  for (let i = 0; i < 3000; i++) for (const line of readLines(path)) if (line.number === 1) break;
  expect([...readLines(path)]).toHaveLength(2);
});

test("a folder is refused", () => {
  expect(() => [...readLines(folder)]).toThrow("it is a directory, not a file");
});
