import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { detect } from "../detector/detector.ts";
import { TwiceshyError } from "../shared/error.ts";
import type { Json } from "../shared/json.ts";
import { anyTrace, call, crash, traceOf } from "../testing/traces.ts";
import { toRepro } from "./convert.ts";
import { readRepros, reprosText } from "./file.ts";
import { loadRepros } from "./load.ts";
import type { Repro, ReprosFile } from "./repro.ts";

const dir = mkdtempSync(join(tmpdir(), "twiceshy-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

function written(text: string): string {
  const path = join(dir, "bot.repros.json");
  writeFileSync(path, text);
  return path;
}

function fileOf(trace: Parameters<typeof detect>[0]): ReprosFile | undefined {
  const conversion = toRepro(trace, detect(trace), { agent: "bot" });
  if (!("repro" in conversion)) return undefined;
  return {
    formatVersion: 1,
    agent: "bot",
    clusters: {},
    repros: [conversion.repro],
    blobs: { ...conversion.blobs },
  };
}

const one = fileOf(
  traceOf([call("get", { k: 1 }, "x".repeat(9000)), crash("boom", "KeyError")]),
) as ReprosFile;

function problem(read: (path: string) => unknown, text: string): string {
  try {
    read(written(text));
    return "none";
  } catch (thrown) {
    if (!TwiceshyError.is(thrown)) throw thrown;
    return `${thrown.code} ${thrown.message.replaceAll(dir, "DIR")}`;
  }
}

function changed(change: (file: any) => void): string {
  const copy = structuredClone(one);
  change(copy);
  return JSON.stringify(copy);
}

test("what is written is read again, and written again it has the same bytes", () => {
  fc.assert(
    fc.property(anyTrace(), (trace) => {
      const file = fileOf(trace);
      if (file === undefined) return;
      const text = reprosText(file);
      const read = readRepros(written(text));
      expect(reprosText(read)).toBe(text);
      expect(loadRepros(written(text))).toEqual(read);
    }),
    { numRuns: 60 },
  );
});

test("the text does not depend on the order of repros, members and blobs, and drops unused blobs", () => {
  const [first] = one.repros as [Repro];
  const second: Repro = { ...first, id: "0000000a" };
  const blobs = { ...one.blobs, unused: { ok: true, data: 1 } };
  const text = reprosText({ ...one, repros: [first, second], blobs });
  const reversed = Object.fromEntries(Object.entries(first).toReversed()) as Repro;
  expect(reprosText({ ...one, repros: [second, reversed] })).toBe(text);
  expect(text).not.toContain("unused");
  expect(text.endsWith("}\n")).toBe(true);
});

test("CRLF line ends and a byte order mark are accepted", () => {
  const text = `\uFEFF${reprosText(one).replaceAll("\n", "\r\n")}`;
  expect(readRepros(written(text))).toEqual(one);
  expect(loadRepros(written(text))).toEqual(one);
});

test("a merge conflict is named with its line, in the main process and inside a test", () => {
  const lines = reprosText(one).split("\n");
  const text = [
    ...lines.slice(0, 3),
    "<<<<<<< HEAD",
    ...lines.slice(3, 5),
    "=======",
    ">>>>>>> theirs",
    ...lines.slice(5),
  ].join("\n");
  expect(problem(readRepros, text)).toMatchInlineSnapshot(
    `"E_REPROS_CONFLICT Failed to read the repros DIR/bot.repros.json: line 4 is a merge-conflict marker (<<<<<<< HEAD). Resolve the conflict in bot.repros.json, or take one side and generate again."`,
  );
  expect(problem(loadRepros, text)).toBe(problem(readRepros, text));
});

test("half a file is named with its line", () => {
  const text = reprosText(one);
  expect(problem(readRepros, text.slice(0, text.length / 2))).toMatch(/^E_REPROS_JSON .*line \d+/);
  expect(problem(loadRepros, '{\n  "repros": [,]\n}')).toMatch(/^E_REPROS_JSON .*line 2/);
  expect(problem(readRepros, "")).toMatch(/^E_REPROS_JSON /);
});

test("a newer version is refused, and both versions are named", () => {
  const text = changed((file) => {
    file.formatVersion = 99;
  });
  expect(problem(readRepros, text)).toMatchInlineSnapshot(
    `"E_REPROS_VERSION Failed to read the repros DIR/bot.repros.json: its formatVersion is 99, this package reads version 1. Install the newer twiceshy that wrote it."`,
  );
  expect(problem(loadRepros, text)).toBe(problem(readRepros, text));
});

test("an unknown check type or field is refused with its JSON Pointer", () => {
  expect(
    problem(
      readRepros,
      changed((file) => {
        file.repros[0].checks = [{ type: "equalz", value: 1 }];
      }),
    ),
  ).toMatchInlineSnapshot(
    `"E_REPROS_SCHEMA Failed to read the repros DIR/bot.repros.json: /repros/0/checks/0/type "equalz" is no check; give one of max_tool_calls, no_failure, no_failures, output_contains, output_equals, output_matches, output_schema, tool_called, tool_not_called. Correct these places, or restore the file from version control."`,
  );
  expect(
    problem(
      readRepros,
      changed((file) => {
        file.repros[0].checks = [{ type: "output_matches", pattern: "a", flags: "gy" }];
      }),
    ),
  ).toMatchInlineSnapshot(
    `"E_REPROS_SCHEMA Failed to read the repros DIR/bot.repros.json: /repros/0/checks/0/flags is no field of output_matches; it has pattern. Correct these places, or restore the file from version control."`,
  );
  expect(
    problem(
      readRepros,
      changed((file) => {
        file.repros[0]["a/b"] = 1;
      }),
    ),
  ).toMatch(/\/repros\/0\/a~1b is unknown/);
});

test("a check that asserts nothing is refused with its JSON Pointer", () => {
  for (const check of [
    { type: "output_contains", value: "" },
    { type: "output_matches", pattern: ".*" },
  ]) {
    expect(
      problem(
        readRepros,
        changed((file) => {
          file.repros[0].checks = [check];
        }),
      ),
    ).toMatch(/\/repros\/0\/checks\/0\/\w+ asserts nothing/);
  }
});

test("two repros with one id are refused", () => {
  expect(
    problem(
      readRepros,
      changed((file) => {
        file.repros.push(file.repros[0]);
      }),
    ),
  ).toMatchInlineSnapshot(
    `"E_REPROS_DUPLICATE Failed to read the repros DIR/bot.repros.json: /repros/0 and /repros/1 have the same id 9ff95932. Remove one of them; generating again restores what is missing."`,
  );
});

test("a file that is not there, or holds something else, is an error and never an empty one", () => {
  expect(() => readRepros(join(dir, "missing.json"))).toThrow(/E?NOENT/);
  for (const value of [
    null,
    [],
    "x",
    {},
    { formatVersion: 1, agent: "bot", clusters: {}, blobs: {} },
  ] as Json[]) {
    expect(problem(loadRepros, JSON.stringify(value))).toMatch(/^E_REPROS_(?:SCHEMA|VERSION) /);
    expect(problem(readRepros, JSON.stringify(value))).toMatch(/^E_REPROS_(?:SCHEMA|VERSION) /);
  }
});
