import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import * as fc from "fast-check";
import { build } from "vite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ROOT } from "../testing/imports.ts";
import { samplesIn, type Cost } from "../testing/importer-laws.ts";
import { outcomes, tracesIn } from "../testing/trace-files.ts";
import { FIXTURES, NO_SHARED, SHARED, WHY_NO_SHARED } from "../testing/trace-fixtures.ts";
import { traceSchema } from "../trace/trace.ts";
import * as builtin from "./builtin.ts";
import { readTraces, type Importer } from "./importer.ts";

/** Changed samples for each of two folders; `TWICESHY_FUZZ=20000` for the long run. */
const RUNS = Number(process.env["TWICESHY_FUZZ"] ?? 100);
const HEAP_MB = 250;
const RSS_MB = 300;

/** Reads changed samples, and says which laws they broke and what it cost. */
const PROGRAM = `
import * as fc from "fast-check";
import { MutantReader, samplesIn } from "SRC/testing/importer-laws.ts";
import { mutant } from "SRC/testing/mutants.ts";
const [folder, runs] = process.argv.slice(2);
const samples = samplesIn(folder);
const reader = new MutantReader(samples);
const property = fc.property(mutant(samples), (one) => {
  const broken = reader.brokenBy(one);
  if (broken.length > 0) throw new Error(one.name + " " + broken.join("; ").slice(0, 2000));
});
const { failed, error, counterexample, seed, numRuns } = fc.check(property, { numRuns: Number(runs) });
reader.close();
const broken = failed ? String(error) + JSON.stringify(counterexample).slice(0, 2000) + " seed " + seed : "";
const megabytes = process.resourceUsage().maxRSS / 1024;
process.stdout.write(JSON.stringify({ broken, numRuns, megabytes, ...reader.cost }));
`;

/** Reads the files of its arguments, and says what became of their records. */
const READER = `
import { readTraces } from "SRC/importer/importer.ts";
const items = [...readTraces(process.argv.slice(2))];
const outcomes = items.map((item) => "trace" in item ? "trace" : (item.error ?? item.skipped).code);
process.stdout.write(JSON.stringify({ outcomes, megabytes: process.resourceUsage().maxRSS / 1024 }));
`;

interface Report extends Cost {
  readonly broken: string;
  readonly numRuns: number;
  readonly megabytes: number;
}

let folder = "";

beforeAll(async () => {
  folder = mkdtempSync(join(ROOT, ".tmp-mutants-"));
  for (const [name, text] of [
    ["program", PROGRAM],
    ["reader", READER],
  ] as const) {
    const entry = join(folder, `${name}.ts`);
    writeFileSync(entry, text.replaceAll("SRC", join(ROOT, "src").replaceAll("\\", "/")));
    await build({
      root: folder,
      configFile: false,
      logLevel: "silent",
      build: {
        ssr: entry,
        outDir: join(folder, "out"),
        emptyOutDir: false,
        rollupOptions: { output: { entryFileNames: `${name}.mjs` } },
      },
    });
  }
}, 120_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What a program says in a process of its own with little memory. */
function said(program: string, ...argv: readonly string[]): unknown {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [`--max-old-space-size=${HEAP_MB}`, join(folder, "out", `${program}.mjs`), ...argv],
    { encoding: "utf8", maxBuffer: 2 ** 26 },
  );
  expect(stderr).toBe("");
  return JSON.parse(stdout);
}

function reported(samples: string): Report {
  return said("program", samples, String(RUNS)) as Report;
}

const LONG = { timeout: 60_000 + RUNS * 200 };

test(
  "samples with any damage are read or named, in less than 300 MB and a second for each record",
  LONG,
  () => {
    const { broken, numRuns, megabytes, traces } = reported(FIXTURES);
    expect({ broken, numRuns }).toEqual({ broken: "", numRuns: RUNS });
    expect(megabytes).toBeLessThan(RSS_MB);
    expect(traces).toBeGreaterThan(RUNS / 4);
  },
);

test(
  "public traces with any damage are read or named, in less than 300 MB and a second for each record",
  LONG,
  ({ skip }) => {
    skip(NO_SHARED, WHY_NO_SHARED);
    const { broken, numRuns, megabytes, traces } = reported(SHARED);
    expect({ broken, numRuns }).toEqual({ broken: "", numRuns: RUNS });
    expect(megabytes).toBeLessThan(RSS_MB);
    expect(traces).toBeGreaterThan(RUNS / 4);
  },
);

/** Formats whose runs are several lines of a file: a file that ends early is a run that goes on. */
const SESSIONS: ReadonlySet<string> = new Set(
  Object.values<Importer>(builtin)
    .filter((importer) => "gather" in importer)
    .map(({ name }) => name),
);

test(
  "a file that is cut at any byte is read or named, and gives no half of a record that was whole",
  LONG,
  () => {
    const samples = samplesIn(FIXTURES).map(({ name, text }) => ({
      name,
      bytes: Buffer.from(text),
    }));
    const cut = fc.tuple(fc.constantFrom(...samples), fc.nat(), fc.boolean());
    fc.assert(
      fc.property(cut, ([{ name, bytes }, at, late]) => {
        // Half of the cuts are near the end, where most of a record is there.
        const place = late ? bytes.length - (at % Math.min(bytes.length, 200)) : at % bytes.length;
        const path = join(folder, "cut", name);
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, bytes);
        const whole = tracesIn(readTraces([path])).map((trace) => JSON.stringify(trace));
        writeFileSync(path, bytes.subarray(0, place));
        const items = [...readTraces([path])];
        expect(items).not.toEqual([]);
        for (const outcome of outcomes(items))
          expect(outcome).toMatch(/^trace$|E_(?:RECORD|FILE)_/);
        const traces = tracesIn(items);
        for (const trace of traces) expect(traceSchema.safeParse(trace).error).toBeUndefined();
        for (const trace of traces.filter(({ source }) => !SESSIONS.has(source)))
          expect(whole).toContain(JSON.stringify(trace));
      }),
      { numRuns: RUNS * 2 },
    );
  },
);

test(
  "millions of keys, a million steps and lines of 100 and 600 MB are refused by their lines, in less than 300 MB",
  LONG,
  ({ skip }) => {
    skip(process.env["TWICESHY_FUZZ"] === undefined, "it is part of the long run: TWICESHY_FUZZ");
    const good =
      '{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]}\n';
    const path = join(folder, "large.jsonl");
    const many = (count: number, item: (at: number) => string) =>
      Array.from({ length: count }, (_, at) => item(at)).join(",");
    writeFileSync(path, `${good}{${many(2_500_000, (at) => `"${at}":1`)}}\n${good}`);
    const steps = many(1_000_000, (idx) => `{"idx":${idx},"kind":"tool"}`);
    appendFileSync(path, `{"input":"x","schema_version":"1","steps":[${steps}]}\n${good}`);
    for (const megabytes of [100, 600]) {
      truncateSync(path, statSync(path).size + megabytes * 2 ** 20);
      appendFileSync(path, `\n${good}`);
    }
    const { outcomes: read, megabytes } = said("reader", path) as {
      readonly outcomes: string[];
      readonly megabytes: number;
    };
    const refused = ["E_RECORD_NODES", "E_RECORD_NODES", "E_RECORD_SIZE", "E_RECORD_SIZE"];
    expect(read).toEqual(["trace", ...refused.flatMap((code) => [code, "trace"])]);
    expect(megabytes).toBeLessThan(RSS_MB);
  },
);
