import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  folderOf,
  itemFrom,
  outcomes,
  readRecords,
  readText,
  toolsOf,
  tracesIn,
} from "../testing/trace-files.ts";
import { traceOf } from "../testing/traces.ts";
import { importerOf } from "./file-reading.ts";
import { readTraces, type ReadItem } from "./importer.ts";

const chat = (text: string) => ({
  messages: [
    { role: "user", content: text },
    { role: "assistant", content: `${text}!` },
  ],
});
const line = (text: string) => `${JSON.stringify(chat(text))}\n`;
const tasks = (items: readonly ReadItem[]) => tracesIn(items).map(({ task }) => task);

test("formats are told apart by their keys: native traces and OpenAI messages", () => {
  const messages = [{ role: "user", content: "x" }];
  expect(importerOf({ messages })?.name).toBe("openai");
  expect(importerOf({ steps: [], schema_version: "1" })?.name).toBe("faultspool");
  expect(importerOf({ schemaVersion: "twiceshy.trace/1" })?.name).toBe("twiceshy");
  expect(importerOf({ task_id: 1, traj: messages })?.name).toBe("tau-bench");
  expect(importerOf({ answer_generation: {}, messages })?.name).toBe("toolbench");
});

test("one broken line of three is named with its line, and the others are read", () => {
  const items = readText(`${line("a")}{"messages": [\n${line("b")}`);
  expect(outcomes(items)).toEqual(["trace", "E_RECORD_JSON", "trace"]);
  expect(items[1]).toMatchObject({ line: 2, record: 1 });
  expect(tasks(items)).toEqual(["a", "b"]);
});

test("one unknown line of three is named with its line, and the others are read", () => {
  const items = readText(`${line("a")}{"hello":"world","n":1}\n${line("b")}`);
  expect(outcomes(items)).toEqual(["trace", "E_RECORD_FORMAT", "trace"]);
  const error = items[1] !== undefined && "error" in items[1] ? items[1].error.message : "";
  expect(
    error.replace(/^.*traces/, "traces").replace(/Known are [\w, -]*openai[\w, -]*/, "Known are …"),
  ).toMatchInlineSnapshot(
    `"traces.jsonl:2: Failed to tell the format of the record: it is an object with hello, n. Known are …."`,
  );
});

test("a bad line costs no row of the good ones, wherever it stands", () => {
  for (let place = 0; place < 10; place++) {
    const lines = Array.from({ length: 10 }, (_, i) => (i === place ? "{oops}\n" : line(`t${i}`)));
    expect(tracesIn(readText(lines.join("")))).toHaveLength(9);
  }
});

test("a broken line in the middle is quarantined with its line number", () => {
  const lines = Array.from({ length: 10 }, (_, i) =>
    i === 6 ? '{"messages":[{"role":"us\n' : line(`t${i}`),
  );
  const items = readText(lines.join(""));
  expect(tracesIn(items)).toHaveLength(9);
  expect(items.filter((item) => "error" in item)).toMatchObject([
    { line: 7, record: 6, error: { code: "E_RECORD_JSON" } },
  ]);
});

test("a torn last line is skipped with a warning and is no error", () => {
  const items = readText(`${line("a")}${line("b").slice(0, 20)}`);
  expect(outcomes(items)).toEqual(["trace", "skipped E_RECORD_TORN"]);
  expect(items[1]).toMatchObject({ line: 2 });
});

test("a whole last line without a line break is read", () => {
  expect(tasks(readText(line("a") + line("b").trimEnd()))).toEqual(["a", "b"]);
});

test("raw U+2028, U+2029, U+0085 and form feeds within a string do not end a line", () => {
  const text = "a\u2028b\u2029c\u0085d";
  expect(tasks(readText(line(text) + line("z")))).toEqual([text, "z"]);
});

test("a byte order mark, CRLF and blank lines are accepted", () => {
  const items = readText(`\ufeff${line("a")}\r\n\n  \n${line("b").replace("\n", "\r\n")}`);
  expect(tasks(items)).toEqual(["a", "b"]);
  expect(items.map((item) => item.line)).toEqual([1, 5]);
});

test("UTF-16 is named as such, escaped NULs are kept and bytes that are no UTF-8 cost one line", () => {
  for (const text of [
    Buffer.from(`\ufeff${line("a")}`, "utf16le"),
    Buffer.from(line("a"), "utf16le"),
  ]) {
    expect(outcomes(readText(text))).toEqual(["E_FILE_ENCODING"]);
  }
  const bytes = Buffer.concat([
    Buffer.from(line("nul\u0000")),
    Buffer.from([0x22, 0xff, 0xfe, 0x22, 0x0a]),
    Buffer.from(line("b")),
  ]);
  const items = readText(bytes);
  expect(outcomes(items)).toEqual(["trace", "E_RECORD_ENCODING", "trace"]);
  expect(tasks(items)).toEqual(["nul\u0000", "b"]);
});

test("a document that is printed over many lines is one record", () => {
  expect(tasks(readText(JSON.stringify(chat("a"), null, 2), "run.json"))).toEqual(["a"]);
});

test("a list is a record for each of its items, counted from 0", () => {
  const items = readText(JSON.stringify([chat("a"), { no: 1 }, chat("b")], null, 1), "runs.json");
  expect(outcomes(items)).toEqual(["trace", "E_RECORD_FORMAT", "trace"]);
  expect(items.map((item) => [item.record, item.line])).toEqual([
    [0, undefined],
    [1, undefined],
    [2, undefined],
  ]);
});

test("an object of records is a record for each of its members", () => {
  expect(tasks(readText(JSON.stringify({ first: chat("a"), second: chat("b") })))).toEqual([
    "a",
    "b",
  ]);
});

test("a single document with a conversation is read", () => {
  expect(
    tasks(readText(JSON.stringify({ id: 4, conversation: chat("a").messages }), "one.json")),
  ).toEqual(["a"]);
});

test("a bare list of messages is one run, as a document and as a line", () => {
  expect(tasks(readText(JSON.stringify(chat("a").messages), "one.json"))).toEqual(["a"]);
  expect(
    tasks(
      readText(`${JSON.stringify(chat("a").messages)}\n${JSON.stringify(chat("b").messages)}\n`),
    ),
  ).toEqual(["a", "b"]);
});

test("a record with a trajectory and a task_id but no intent is told by the messages in it", () => {
  expect(tasks(readRecords({ task_id: 9, trajectory: chat("a").messages }))).toEqual(["a"]);
});

test("formats that are mixed in one file are told apart for each record", () => {
  const native = traceOf([], { task: "n", output: "x" });
  const faultspool = { input: "f", steps: [], status: "ok", schema_version: "1" };
  const items = readRecords(chat("o"), native, { what: 1 }, faultspool, {
    task_id: 1,
    reward: 1,
    traj: chat("t").messages,
    info: {},
  });
  expect(items.map(({ format }) => format)).toEqual([
    "openai",
    "twiceshy",
    undefined,
    "faultspool",
    "tau-bench",
  ]);
  expect(tasks(items)).toEqual(["o", "n", "f", "t"]);
});

test("reading a file again gives the same traces with the same ids, also as a copy under another name", () => {
  const text = line("a") + line("b");
  const folder = folderOf({ "a.jsonl": text, "copy.jsonl": text });
  const read = (name: string) => tracesIn(readTraces([join(folder, name)]));
  expect(read("a.jsonl")).toEqual(read("a.jsonl"));
  expect(read("copy.jsonl")).toEqual(read("a.jsonl"));
});

test("a file that is ingested three times gives one trace, not three", () => {
  const folder = folderOf({ "a.jsonl": line("a") });
  const path = join(folder, "a.jsonl");
  expect(tracesIn(readTraces([path, path, folder]))).toHaveLength(1);
  expect(
    new Set([1, 2, 3].flatMap(() => tracesIn(readTraces([path])).map(({ id }) => id))).size,
  ).toBe(1);
});

test("two traces with one id and other content are both kept, the second under an id of its content", () => {
  const [a, b] = [
    traceOf([], { task: "a", id: "tr_same" }),
    traceOf([], { task: "b", id: "tr_same" }),
  ];
  const items = readRecords(a, b, a, b);
  const ids = tracesIn(items).map(({ id }) => id);
  expect(ids[0]).toBe("tr_same");
  expect(ids[1]).toMatch(/^tr_[0-9a-f]{16}$/);
  expect(ids).toEqual([ids[0], ids[1], ids[0], ids[1]]);
  expect(items.map((item) => "warnings" in item && item.warnings.length)).toEqual([0, 1, 0, 1]);
  expect(tasks(items)).toEqual(["a", "b", "a", "b"]);
});

test("lone surrogates, integers beyond 2^53 and numbers beyond a double are kept exactly", () => {
  const record = (args: string, result: string) =>
    `{"messages":[{"role":"user","content":"x\\ud800"},{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"t","arguments":${args}}}]},` +
    `{"role":"tool","tool_call_id":"c","content":${result}},{"role":"assistant","content":"y"}]}\n`;
  const items = readText(record('{"id":9007199254740993}', '"{\\"big\\":1e400}"'));
  const [trace] = tracesIn(items);
  expect(trace?.task).toBe("x\ud800");
  expect(trace && toolsOf(trace)).toMatchObject([
    {
      args: { id: { $t: "bigint", v: "9007199254740993" } },
      result: { ok: true, data: { big: { $t: "infinity" } } },
    },
  ]);
});

test("the own member __proto__ is kept and pollutes nothing", () => {
  const [trace] = tracesIn(
    readText(
      '{"input":"x","steps":[{"idx":0,"kind":"tool","name":"constructor","args":{"__proto__":{"x":1}}}],"schema_version":"1","meta":{"__proto__":{"y":1}}}',
    ),
  );
  expect(JSON.stringify(trace && toolsOf(trace)[0]?.args)).toBe('{"__proto__":{"x":1}}');
  expect(({} as { x?: unknown; y?: unknown }).x ?? ({} as { y?: unknown }).y).toBeUndefined();
});

test("JSON that is nested a million levels deep is refused by its line, and the next line is read", () => {
  const items = readText(
    `${line("a")}${"[".repeat(1_000_000)}\n${'{"a":'.repeat(200)}1${"}".repeat(200)}\n${line("b")}`,
  );
  expect(outcomes(items)).toEqual(["trace", "E_RECORD_DEPTH", "E_RECORD_DEPTH", "trace"]);
});

test("JSON with millions of values or steps is refused by its line, and the next line is read", () => {
  const keys = Array.from({ length: 1_100_000 }, (_, i) => `"${i}":1`).join(",");
  const steps = JSON.stringify({
    input: "x",
    schema_version: "1",
    steps: Array.from({ length: 10_001 }, (_, idx) => ({ idx, kind: "input" })),
  });
  const items = readText(`${line("a")}{${keys}}\n${steps}\n${line("b")}`);
  expect(outcomes(items)).toEqual(["trace", "E_RECORD_NODES", "E_RECORD_STEPS", "trace"]);
});

test("a line of 270 KB and one of a megabyte are read whole, beside short ones", () => {
  const long = [270_000, 1_000_000].map((length) => "x".repeat(length));
  const items = readText([...long, "short"].map((text) => line(text)).join(""));
  expect(tasks(items)).toEqual([...long, "short"]);
});

test("a line of 600 MB is quarantined by its length, and the next line is read", () => {
  const path = join(folderOf({}), "huge.jsonl");
  writeFileSync(path, line("a"));
  truncateSync(path, 600 * 1024 * 1024);
  appendFileSync(path, `\n${line("b")}`);
  const items = [...readTraces([path])];
  expect(outcomes(items)).toEqual(["trace", "E_RECORD_SIZE", "trace"]);
  expect(items[1]).toMatchObject({ line: 2 });
});

test("empty files, empty folders, missing paths, pipes, sockets and devices are named errors at once", async () => {
  const folder = folderOf({ "empty.jsonl": "", "blank.jsonl": "\n\n" });
  mkdirSync(join(folder, "none"));
  execFileSync("mkfifo", [join(folder, "pipe.jsonl")]);
  const code = (path: string) =>
    outcomes(readTraces([path.startsWith("/") ? path : join(folder, path)]));
  expect(code("empty.jsonl")).toEqual(["E_FILE_EMPTY"]);
  expect(code("blank.jsonl")).toEqual(["E_FILE_FORMAT"]);
  expect(code("none")).toEqual(["E_FOLDER_EMPTY"]);
  expect(code("missing.jsonl")).toEqual(["E_FILE_MISSING"]);
  expect(code("pipe.jsonl")).toEqual(["E_FILE_KIND"]);
  expect(code("/dev/zero")).toEqual(["E_FILE_KIND"]);
  const server = createServer().listen(join(folder, "socket.jsonl"));
  await once(server, "listening");
  expect(code("socket.jsonl")).toEqual(["E_FILE_KIND"]);
  server.close();
});

test("a linked file is read with a notice, and a linked folder within a folder is not followed", () => {
  const folder = folderOf({ "real/a.jsonl": line("a") + line("b"), "in/x.txt": "" });
  symlinkSync(join(folder, "real/a.jsonl"), join(folder, "in/a.jsonl"));
  symlinkSync(join(folder, "real"), join(folder, "in/linked"));
  const items = [...readTraces([join(folder, "in")])];
  expect(outcomes(items)).toEqual(["trace", "trace", "skipped E_FOLDER_LINK"]);
  const warnings = items.map((item) =>
    "warnings" in item ? item.warnings.map((text) => text.replace(folder, "")) : [],
  );
  expect(warnings).toEqual([["the file is a link, which was followed to /real/a.jsonl"], [], []]);
});

test("a folder gives its json, jsonl and traj files at any depth, sorted, without hidden ones", () => {
  const folder = folderOf({
    "b.jsonl": line("b"),
    "a/z.json": JSON.stringify(chat("az")),
    "a/a.traj": JSON.stringify(chat("aa")),
    "c.txt": line("c"),
    ".hidden/h.jsonl": line("h"),
    ".h.jsonl": line("h"),
    "node_modules/p/package.json": "{}",
  });
  expect(tasks([...readTraces([folder])])).toEqual(["aa", "az", "b"]);
  expect(tasks([...readTraces([join(folder, "c.txt"), join(folder, "b.jsonl")])])).toEqual([
    "c",
    "b",
  ]);
});

test("a file without any trace is skipped in a folder and an error when it was named", () => {
  const folder = folderOf({
    "report.json": '{"resolved":true}',
    "labels.jsonl": '{"a":1}\n{"a":2}\n',
    "t.jsonl": line("t"),
  });
  expect(outcomes(readTraces([folder]))).toEqual([
    "skipped E_FILE_FORMAT",
    "skipped E_FILE_FORMAT",
    "trace",
  ]);
  expect(outcomes(readTraces([join(folder, "labels.jsonl")]))).toEqual([
    "E_RECORD_FORMAT",
    "E_RECORD_FORMAT",
  ]);
});

test("a document that is cut off is one error with the place where it ends", () => {
  const text = JSON.stringify(chat("a"), null, 2);
  expect(outcomes(readText(text.slice(0, -20), "run.json"))).toEqual(["E_RECORD_JSON"]);
});

test("a broken first line does not hide the lines after it", () => {
  expect(outcomes(readText(`{oops\n${line("a")}`))).toEqual(["E_RECORD_JSON", "trace"]);
});

test("secrets are replaced before a trace is given out, and kept only when the caller says so", () => {
  const key = `sk-proj-${"aB3dE5fG7h".repeat(4)}`;
  const path = join(folderOf({ "a.jsonl": line(`Use ${key} please`) }), "a.jsonl");
  expect(JSON.stringify(tracesIn(readTraces([path])))).not.toContain(key);
  expect(JSON.stringify(tracesIn(readTraces([path], { redact: { off: true } })))).toContain(key);
});

test("an id with a person in it is replaced by a digest that still tells runs apart, and any other id stays", () => {
  const ids = (id: string) => {
    const [trace] = tracesIn(readRecords(traceOf([], { id, taskId: id })));
    return [trace?.id, trace?.taskId];
  };
  const [first, second] = [ids("a.person@shop.io"), ids("b.person@shop.io")];
  expect(first.join()).not.toContain("person");
  expect(second).not.toEqual(first);
  expect(ids("a.person@shop.io")).toEqual(first);
  expect(ids("task-12/2024-05-06")[0]).toBe("task-12/2024-05-06");
});

test("traces that name no agent are given the one of the caller", () => {
  const path = join(folderOf({ "a.jsonl": line("a") }), "a.jsonl");
  expect(tracesIn(readTraces([path], { agent: "support-bot" }))[0]?.agent).toBe("support-bot");
  expect(itemFrom(chat("a")).trace.agent).toBe("agent");
});

test("an exported test among traces is named as such", () => {
  const [, item] = readRecords(chat("a"), {
    test_id: "t_1",
    input: "x",
    mocks: [],
    assertions: [],
  });
  expect(item).toMatchObject({
    error: {
      code: "E_RECORD_FORMAT",
      message: expect.stringContaining("it is an exported test, not a trace"),
    },
  });
});

test("a trace that was redacted when it was recorded is read as it is", () => {
  const key = `sk-proj-${"aB3dE5fG7h".repeat(4)}`;
  const [first] = tracesIn(readText(line(`Use ${key}, mail a.person@shop.io`)));
  const [again] = tracesIn(readRecords(first));
  expect(JSON.stringify(first)).toContain("[redacted:");
  expect(again).toEqual(first);
});
