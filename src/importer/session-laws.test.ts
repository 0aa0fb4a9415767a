import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { isObject, type Json } from "../shared/json.ts";
import { parseJson } from "../shared/parse.ts";
import { folderOf, outcomes, readText, tracesIn } from "../testing/trace-files.ts";
import { anyJson } from "../testing/traces.ts";
import { traceSchema } from "../trace/trace.ts";
import * as builtin from "./builtin.ts";
import { readTraces } from "./importer.ts";

/** 300 by default; `TWICESHY_FUZZ=20000` for the long run. */
const RUNS = Number(process.env["TWICESHY_FUZZ"] ?? 300);
const LONG = { timeout: 30_000 + RUNS * 50 };

const FORMATS = [
  "anthropic-managed-agents",
  "claude-code",
  "claude-sdk-stream",
  "codex-exec-json",
  "codex-rollout",
  "copilot-chat",
  "copilot-cli-events",
  "gemini-cli",
  "openai-responses",
  "pi",
];
const FILES = FORMATS.flatMap((format) =>
  readdirSync(`fixtures/traces/${format}`, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => ({
      name: entry.name,
      text: readFileSync(`fixtures/traces/${format}/${entry.name}`, "utf8"),
    })),
);
const file = fc.constantFrom(...FILES);

/** The JSON values of a file: its lines, or the whole. */
function valuesIn({ name, text }: { name: string; text: string }): Json[] {
  return name.endsWith(".json")
    ? [parseJson(text)]
    : text
        .trimEnd()
        .split("\n")
        .map((line) => parseJson(line));
}

/** Every place in a value that can be changed. */
function slotsOf(value: Json): { in: Record<string, Json>; key: string }[] {
  if (typeof value !== "object" || value === null) return [];
  const object = value as Record<string, Json>;
  const here = Object.keys(object).map((key) => ({ in: object, key }));
  return here.concat(Object.values(object).flatMap((member) => slotsOf(member)));
}

test("a session that is cut anywhere is read or named, and what is read is a trace", LONG, () => {
  fc.assert(
    fc.property(file, fc.double({ min: 0, max: 1, noNaN: true }), (any, share) => {
      const items = readText(any.text.slice(0, Math.floor(any.text.length * share)), any.name);
      expect(items.length).toBeGreaterThan(0);
      for (const trace of tracesIn(items))
        expect(traceSchema.safeParse(trace).error).toBeUndefined();
      for (const outcome of outcomes(items)) expect(outcome).toMatch(/^trace$|E_(?:RECORD|FILE)_/);
    }),
    { numRuns: Math.ceil(RUNS / 2) },
  );
});

test(
  "a session with any values in any places is read or named, twice alike, with steps in order",
  LONG,
  () => {
    const path = join(folderOf({}), "any.jsonl");
    const change = fc.record({ place: fc.nat(), by: fc.option(anyJson(), { nil: undefined }) });
    fc.assert(
      fc.property(file, fc.array(change, { minLength: 1, maxLength: 6 }), (any, changes) => {
        const values = valuesIn(any);
        for (const { place, by } of changes) {
          const slots = slotsOf(values);
          const slot = slots[place % slots.length];
          if (slot === undefined) continue;
          if (by !== undefined) slot.in[slot.key] = by;
          else if (!Array.isArray(slot.in)) delete slot.in[slot.key];
        }
        writeFileSync(path, values.map((value) => `${JSON.stringify(value)}\n`).join(""));
        const items = [...readTraces([path])];
        expect([...readTraces([path])]).toEqual(items);
        for (const trace of tracesIn(items)) {
          expect(traceSchema.safeParse(trace).error).toBeUndefined();
          expect(trace.steps.map(({ index }) => index)).toEqual(
            trace.steps.map((_, place) => place),
          );
        }
        expect(outcomes(items)).not.toContain("E_RECORD_READ");
        expect(outcomes(items)).not.toContain("E_RECORD_SCHEMA");
      }),
      { numRuns: RUNS },
    );
  },
);

test("each value of each sample is claimed by one format, but for those that read any messages", () => {
  const importers = Object.values(builtin).filter((importer) => !("general" in importer));
  for (const any of FILES) {
    for (const value of valuesIn(any)) {
      const names = importers
        .filter((importer) => importer.recognises(value))
        .map(({ name }) => name);
      expect([any.name, ...names.slice(1)]).toEqual([any.name]);
    }
  }
});

test("ids are unique in a trace, and a batch begins with one of its calls", () => {
  for (const trace of tracesIn(readTraces(FORMATS.map((format) => `fixtures/traces/${format}`)))) {
    const ids = trace.steps
      .flatMap((step) => (step.kind === "tool" ? [step.id] : []))
      .filter((id) => id !== undefined);
    expect(new Set(ids).size).toBe(ids.length);
    for (const step of trace.steps) {
      if (step.kind !== "tool" || step.batch === undefined) continue;
      expect(trace.steps[step.batch]).toMatchObject({ kind: "tool", batch: step.batch });
      expect(isObject(step.args)).toBe(true);
    }
  }
});
