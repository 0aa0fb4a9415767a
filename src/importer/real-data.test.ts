import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { outcomes, toolsOf, tracesIn } from "../testing/trace-files.ts";
import { traceSchema } from "../trace/trace.ts";
import { readTraces } from "./importer.ts";

const DATA = fileURLToPath(new URL("../../../shared/data", import.meta.url));
const MISSING = !existsSync(DATA);
const WHY = "../shared/data is missing";

interface Label {
  readonly file: string;
  readonly record: number;
  readonly format: string;
  readonly ground_truth: { readonly reward: number };
}

function labels(format: string): Label[] {
  const lines = readFileSync(`${DATA}/labels.jsonl`, "utf8").trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line) as Label).filter((label) => label.format === format);
}

test("every record of openai-chat is read, one a line", ({ skip }) => {
  skip(MISSING, WHY);
  const items = [...readTraces([`${DATA}/openai-chat`])];
  const file = readFileSync(`${DATA}/openai-chat/swesmith-ft_xml_example.jsonl`, "utf8");
  const lines = file.trimEnd().split("\n");
  expect(outcomes(items)).toEqual(lines.map(() => "trace"));
  expect(items.map(({ line }) => line)).toEqual(lines.map((_, i) => i + 1));
  for (const trace of tracesIn(items)) {
    const task = expect.stringContaining("<pr_description>");
    expect(trace).toMatchObject({ status: "ok", source: "openai", task });
  }
});

test("every labelled record of tau-bench is read with its reward, the crashed one as an error", ({
  skip,
}) => {
  skip(MISSING, WHY);
  const items = [...readTraces([`${DATA}/tau-bench`])];
  const read = items.map((item) => {
    const reward = "trace" in item ? item.trace.score?.value : undefined;
    return [item.file.replace(`${DATA}/`, ""), item.record, reward];
  });
  const wanted = labels("tau-bench").map((label) => {
    return [label.file, label.record, label.ground_truth.reward];
  });
  expect(read).toEqual(wanted);
  const statuses = tracesIn(items).map(({ status }) => status);
  expect(statuses.filter((status) => status === "error")).toHaveLength(1);
  expect(statuses.filter((status) => status === "ok")).toHaveLength(wanted.length - 1);
});

test("every tool call of the tau-bench runs has its result", ({ skip }) => {
  skip(MISSING, WHY);
  const calls = tracesIn(readTraces([`${DATA}/tau-bench`])).flatMap((trace) => toolsOf(trace));
  expect(calls).toHaveLength(18);
  expect(calls.filter(({ result }) => result?.ok !== true)).toEqual([]);
});

test("all real files give traces of the schema or a reason with the file's name, and the same when read again", ({
  skip,
}) => {
  skip(MISSING, WHY);
  const items = [...readTraces([DATA])];
  expect(items.length).toBeGreaterThan(150);
  const traces = tracesIn(items);
  expect(traces.filter((trace) => !traceSchema.safeParse(trace).success)).toEqual([]);
  const reasons = items.flatMap((item) => {
    if ("trace" in item) return [];
    return [["error" in item ? item.error.message : item.skipped.message, item.file] as const];
  });
  expect(reasons.filter(([message, file]) => !message.includes(file))).toEqual([]);
  expect([...readTraces([DATA])]).toEqual(items);
});
