import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { call, failed, traceOf } from "../testing/traces.ts";
import type { Json } from "../shared/json.ts";
import { openTrace } from "./open-trace.ts";

const TRACE = traceOf([call("get.slot", { id: 1 }, "free"), failed("book", { id: 1 }, "full")], {
  task: "Book it.",
  output: "It is full.",
});
const TOOLS = { tools: { get_slot: { name: "get.slot" }, book: { name: "book", parameters: {} } } };

/** The path of a module beside these files. */
function module(files: Readonly<Record<string, unknown>>): string {
  const folder = mkdtempSync(join(tmpdir(), "twiceshy-open-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, value] of Object.entries(files))
    writeFileSync(join(folder, name), typeof value === "string" ? value : JSON.stringify(value));
  return join(folder, "world.ts");
}

test("a module finds the recorded run beside it by its URL and by its path; the state has a list for each writing tool", () => {
  const path = module({ "trace.json": TRACE, "tools.json": TOOLS });
  for (const from of [path, pathToFileURL(path).href]) {
    const trace = openTrace(from, { get_slot: "read", book: "write" });
    expect(trace.names).toEqual({ get_slot: "get.slot", book: "book" });
    expect(trace.task).toBe("Book it.");
    const { state } = trace.play();
    expect(state).toEqual({ book: [] });
    const { book }: { book: Json[] } = state;
    expect(book).toEqual([]);
    // @ts-expect-error -- there is no such tool
    expect(trace.names.refund).toBeUndefined();
  }
});

test("an ending other than the recorded one is told with its place", () => {
  const trace = openTrace(module({ "trace.json": TRACE, "tools.json": TOOLS }), {});
  expect(
    trace.endsAsRecorded({ status: "completed", message: "It is full.", output: "It is full." }),
  ).toBe(true);
  expect(trace.endsAsRecorded({ status: "blocked", message: "It is full." })).toBe(
    'it ended otherwise than the recorded run: /output is missing, recorded is "It is full."',
  );
  expect(trace.endsAsRecorded(undefined)).toContain("it is null");
});

test.for<[string, Readonly<Record<string, unknown>>, string]>([
  ["no trace.json", { "tools.json": TOOLS }, "no such file"],
  ["no tools.json", { "trace.json": TRACE }, "no such file"],
  ["a torn trace.json", { "trace.json": '{"steps": [', "tools.json": TOOLS }, "trace.json"],
  ["a list for a trace", { "trace.json": [], "tools.json": TOOLS }, "it holds no object"],
  ["a trace without steps", { "trace.json": { task: 1 }, "tools.json": TOOLS }, "it is no trace"],
  [
    "a call without a name",
    { "trace.json": { ...TRACE, steps: [{ kind: "tool" }] }, "tools.json": TOOLS },
    "it is no trace",
  ],
  [
    "an error without a message",
    {
      "trace.json": {
        ...TRACE,
        steps: [{ kind: "tool", name: "a", args: {}, result: { ok: false, error: {} } }],
      },
      "tools.json": TOOLS,
    },
    "it is no trace",
  ],
  [
    "tools without a name",
    { "trace.json": TRACE, "tools.json": { tools: { book: {} } } },
    "/tools/book",
  ],
])("%s beside the module is an error that names the file", ([, files, wanted]) => {
  expect(() => openTrace(module(files), {})).toThrow(
    expect.objectContaining({ code: "E_TRACE_FILE", message: expect.stringContaining(wanted) }),
  );
});

test("an alias that tools.json does not know is an error that names the nearest one", () => {
  const path = module({ "trace.json": TRACE, "tools.json": TOOLS });
  expect(() => openTrace(path, { get_slots: "read" })).toThrow(
    expect.objectContaining({
      code: "E_TRACE_TOOL",
      message: expect.stringContaining("Write get_slot if that is meant"),
    }),
  );
});
