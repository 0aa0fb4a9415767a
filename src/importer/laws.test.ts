import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { isObject, type Json } from "../shared/json.ts";
import { parseJson } from "../shared/parse.ts";
import { folderOf, tracesIn } from "../testing/trace-files.ts";
import { anyJson, anyTrace, call, traceOf } from "../testing/traces.ts";
import { traceSchema } from "../trace/trace.ts";
import * as builtin from "./builtin.ts";
import { importBaseline, importTests } from "./faultspool-tests.ts";
import { readTraces, type ReadItem } from "./importer.ts";

/** 400 by default; `TWICESHY_FUZZ=20000` for the long run. */
const RUNS = Number(process.env["TWICESHY_FUZZ"] ?? 400);
const LONG = { timeout: 30_000 + RUNS * 50 };

const messages: Json = [
  { role: "system", content: "s" },
  { role: "user", content: [{ type: "text", text: "hi" }] },
  {
    role: "assistant",
    content: [{ type: "tool_use", id: "u", name: "n", input: {} }],
    tool_calls: [{ id: "c", type: "function", function: { name: "t", arguments: '{"a":1}' } }],
    usage: { prompt_tokens: 1 },
    timestamp: 1_700_000_000,
  },
  { role: "tool", tool_call_id: "c", name: "t", content: '{"error":{"message":"no"}}' },
  {
    role: "user",
    content: [{ type: "tool_result", tool_use_id: "u", is_error: true, content: "x" }],
  },
  { role: "assistant", content: "bye", function_call: null },
];

/** A good record of each format. */
const RECORDS: readonly Json[] = [
  { messages, tools: [{ function: { name: "t" } }], reward: 1, usage: {} },
  messages,
  {
    task_id: 1,
    trial: 0,
    reward: 0,
    info: { task: { instruction: "i", actions: [] }, error: "boom", traceback: "E: boom" },
    traj: messages,
  },
  {
    input: "x",
    schema_version: "1",
    status: "ok",
    trace_id: "tr_1",
    started_at: 1,
    ended_at: 2,
    output: null,
    meta: { tools: ["t"], budget_s: 1, output_schema: {} },
    steps: [
      { idx: 0, kind: "llm", content: "x", ts: 1, meta: { prompt: "p" } },
      {
        idx: 1,
        kind: "tool",
        name: "t",
        args: [1],
        error: "E: x",
        meta: { params: ["a"] },
        duration_ms: 1,
      },
      { idx: 2, kind: "odd", content: {} },
      { idx: 3, kind: "error", error: "K: y" },
    ],
  },
  traceOf([call("t", {}, 1)]) as unknown as Json,
  {
    schemaVersion: "twiceshy.trace/1",
    traceId: "tr_2",
    open: { task: 1, taskId: "t", agent: "a", agentVersion: "1", source: "live" },
  },
  { traceId: "tr_2", step: { index: 0, kind: "tool", name: "t", args: {} } },
  { traceId: "tr_2", more: { index: 0, result: { ok: true, data: 1 } } },
  { traceId: "tr_2", close: { status: "ok" } },
  {
    test_id: "t_1",
    input: 1,
    mocks: [{ name: "t", args: {}, result: 1, error: null }],
    assertions: [{ type: "no_failures" }],
    failures: [{ kind: "loop" }],
    meta: {},
  },
];

/** A record with some values replaced by others or taken away. */
function mutated(): fc.Arbitrary<Json> {
  const change = fc.record({ place: fc.nat(), by: fc.option(anyJson(), { nil: undefined }) });
  return fc
    .tuple(fc.constantFrom(...RECORDS), fc.array(change, { maxLength: 3 }))
    .map(([record, changes]) => {
      const copy = structuredClone(record);
      for (const { place, by } of changes) {
        const slots = slotsOf(copy);
        const slot = slots[place % slots.length];
        if (slot === undefined) continue;
        if (by !== undefined) slot.in[slot.key] = by;
        else if (!Array.isArray(slot.in)) delete slot.in[slot.key];
      }
      return copy;
    });
}

/** Every place in a value that can be changed. */
function slotsOf(value: Json): { in: Record<string, Json>; key: string }[] {
  if (typeof value !== "object" || value === null) return [];
  const object = value as Record<string, Json>;
  const here = Object.keys(object).map((key) => ({ in: object, key }));
  return here.concat(Object.values(object).flatMap((member) => slotsOf(member)));
}

/** The code of what a function throws; empty when it throws nothing. */
function codeOf(run: () => unknown): string {
  try {
    run();
    return "";
  } catch (thrown) {
    return String((thrown as { code?: unknown }).code);
  }
}

function readAll(content: string | Uint8Array): ReadItem[] {
  const path = join(folder(), "any.jsonl");
  writeFileSync(path, content);
  return [...readTraces([path])];
}

let made: string | undefined;
function folder(): string {
  made ??= folderOf({});
  return made;
}

test(
  "reading never throws, keeps the order, gives only traces of the schema, and gives the same again",
  LONG,
  () => {
    made = folderOf({});
    const bytes = fc.uint8Array({ maxLength: 200 });
    const texts = fc.array(
      fc.oneof(
        mutated().map((json) => JSON.stringify(json)),
        anyJson().map((json) => JSON.stringify(json)),
        fc.string(),
      ),
      { maxLength: 6 },
    );
    const content = fc.oneof(
      bytes,
      texts.map((all) => all.join("\n")),
      mutated().map((json) => JSON.stringify(json, null, 2)),
    );
    fc.assert(
      fc.property(content, (any) => {
        const items = readAll(any);
        const places = items.map(({ record }) => record);
        expect(places).toEqual(places.toSorted((a, b) => a - b));
        for (const trace of tracesIn(items)) {
          expect(traceSchema.safeParse(trace).error).toBeUndefined();
          expect(trace.steps.map(({ index }) => index)).toEqual(
            trace.steps.map((_, place) => place),
          );
        }
        expect(readAll(any)).toEqual(items);
      }),
      { numRuns: RUNS },
    );
  },
);

test(
  "every importer is total: it recognises or refuses any value, and throws only errors with a code",
  LONG,
  () => {
    const any = fc.oneof(mutated(), anyJson());
    for (const importer of Object.values(builtin)) {
      fc.assert(
        fc.property(any, (record) => {
          if (!importer.recognises(record)) return;
          const before = JSON.stringify(record);
          const code = codeOf(() => importer.read(record, { file: "f", record: 0, agent: "a" }));
          expect(code).toMatch(/^$|^E_RECORD_/);
          expect(JSON.stringify(record)).toBe(before);
        }),
        { numRuns: Math.ceil(RUNS / 2) },
      );
    }
  },
);

test("a trace of ours that is written and read is the same", LONG, () => {
  made = folderOf({});
  const path = join(made, "any.jsonl");
  fc.assert(
    fc.property(
      fc.uniqueArray(anyTrace(), { maxLength: 3, selector: ({ id }) => id }),
      (traces) => {
        writeFileSync(path, traces.map((trace) => `${JSON.stringify(trace)}\n`).join(""));
        const read = tracesIn(readTraces([path], { redact: { off: true } }));
        expect(read).toEqual(traces.map((trace) => parseJson(JSON.stringify(trace))));
      },
    ),
    { numRuns: Math.ceil(RUNS / 4) },
  );
});

test("exported tests and baselines of any content never crash the reader", LONG, () => {
  made = folderOf({});
  const path = join(made, "tests.jsonl");
  fc.assert(
    fc.property(fc.array(fc.oneof(mutated(), anyJson()), { maxLength: 4 }), (records) => {
      writeFileSync(path, records.map((record) => JSON.stringify(record)).join("\n"));
      const { tests, problems } = importTests(path);
      expect(
        tests.every(
          ({ task, mocks }) => task !== undefined && mocks.every(({ args }) => isObject(args)),
        ),
      ).toBe(true);
      expect(problems.every(({ code }) => /^E_(?:RECORD|FILE|TEST)_/.test(code))).toBe(true);
      expect(codeOf(() => importBaseline(path))).toMatch(/^$|^E_(?:BASELINE|FILE)_/);
    }),
    { numRuns: Math.ceil(RUNS / 2) },
  );
});
