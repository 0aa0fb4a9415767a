import { expect, test } from "vitest";
import { call, crash, failed, input, traceOf, type StepSeed } from "../testing/traces.ts";
import type { Trace } from "../trace/trace.ts";
import { detect, real } from "./detector.ts";
import { judge } from "./judge.ts";

/** The rare kinds in English, German and Chinese: each run that fails beside one that is nearly the same and does not. */
interface Pair {
  readonly title: string;
  readonly kind: string;
  readonly bad: Trace;
  readonly good: Trace;
}

function run(task: string, steps: readonly StepSeed[], output?: string): Trace {
  return traceOf(steps, { task, ...(output === undefined ? {} : { output }) });
}

const table = call("create_table", { name: "gäste" }, { id: 7 });
const dropped = call("delete_table", { id: 7 }, { ok: true });
const rows = call("get_rows", { table: 7 }, [{ name: "Ann" }]);

const EXCEPTIONS: readonly Pair[] = [
  {
    title: "en",
    kind: "exception",
    bad: run("Add up the amounts.", [rows, crash("'amount'", "KeyError")]),
    good: run(
      "Add up the amounts.",
      [failed("get_sum", {}, "KeyError: 'amount'"), call("get_sum", { of: "total" }, 12)],
      "The sum is 12.",
    ),
  },
  {
    title: "de",
    kind: "exception",
    bad: run("Rechne die Beträge zusammen.", [
      rows,
      crash("Verbindung abgebrochen", "Verbindungsfehler"),
    ]),
    good: run(
      "Was heißt „Ausnahme: Verbindung abgebrochen“?",
      [call("search", { q: "Ausnahme" }, ["Der Server hat aufgelegt."])],
      "Der Server hat aufgelegt; starte ihn neu.",
    ),
  },
  {
    title: "zh",
    kind: "exception",
    bad: run("请把金额加起来。", [rows, crash("键错误：金额")]),
    good: run(
      "日志里的“异常”是什么意思？",
      [call("read_log", {}, "异常：连接超时\n已重新连接")],
      "连接超时了一次，之后已重新连接。",
    ),
  },
];

const MALFORMED: readonly Pair[] = [
  {
    title: "en",
    kind: "malformed_output",
    bad: run("Give the guests as JSON.", [rows], '{"guests": ["Ann"'),
    good: run("Give the guests as JSON.", [rows], '```json\n{"guests": ["Ann"]}\n```'),
  },
  {
    title: "de",
    kind: "malformed_output",
    bad: run("Wer kommt?", [rows], "Es kommen {{gast}} und andere."),
    good: run("Schreib mir eine Vorlage mit Platzhalter.", [rows], "Hallo {{gast}}, willkommen!"),
  },
  {
    title: "zh",
    kind: "malformed_output",
    bad: run("谁会来？", [rows], '[{"客人": "Ann"'),
    good: run("谁会来？", [rows], "[注] 只有 Ann 会来。"),
  },
];

const CONTRADICTIONS: readonly Pair[] = [
  {
    title: "en",
    kind: "self_contradiction",
    bad: run("Make a table of the guests.", [table, dropped], "The table stands."),
    good: run("Make a table, count it, and remove it again.", [table, rows, dropped], "One guest."),
  },
  {
    title: "de",
    kind: "self_contradiction",
    bad: run("Leg eine Gästeliste an.", [table, dropped], "Die Liste steht."),
    good: run(
      "Leg eine Liste an, zähle und lösche sie wieder.",
      [table, rows, dropped],
      "Ein Gast.",
    ),
  },
  {
    title: "zh",
    kind: "self_contradiction",
    bad: run("请建一个客人表。", [table, dropped], "表已经建好。"),
    good: run("请建一个表，数一下，再删除它。", [table, rows, dropped], "一位客人。"),
  },
];

test.each([...EXCEPTIONS, ...MALFORMED, ...CONTRADICTIONS])(
  "$kind is found in the run that has it and not in its twin ($title)",
  ({ kind, bad, good }) => {
    expect(real(detect(bad)).map((failure) => failure.kind)).toContain(kind);
    expect(real(detect(good))).toEqual([]);
  },
);

/** Stands for a model: an answer that shares no word with what was asked is off track. */
function aside(prompt: string, { trace }: { readonly trace: Trace }): string {
  expect(prompt).toContain(JSON.stringify(trace.task).slice(1, 9));
  const off = !JSON.stringify(trace.output).includes("Ann");
  return JSON.stringify({
    off_track: off,
    step: 1,
    reason: off ? "Es geht um etwas anderes." : "",
    confidence: 0.8,
  });
}

test.each([
  { task: "Who is the guest?", bad: "The weather is fine.", good: "The guest is Ann." },
  { task: "Wer ist der Gast?", bad: "Das Wetter ist schön.", good: "Der Gast ist Ann." },
  { task: "客人是谁？这次请说全名。", bad: "今天天气很好。", good: "客人是 Ann。" },
])("what only a judge sees is off_track by the judge alone: $task", async ({ task, bad, good }) => {
  const off = run(task, [input(task), rows], bad);
  expect(real(detect(off))).toEqual([]);
  expect(await judge(off, aside)).toMatchObject([
    { kind: "off_track", detector: "judge", severity: "medium", step: 1 },
  ]);
  expect(await judge(run(task, [input(task), rows], good), aside)).toEqual([]);
});
