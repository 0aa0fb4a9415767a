import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runCommand, type Said } from "../testing/command-line.ts";
import { call, failed, traceOf } from "../testing/traces.ts";

const REPROS = "tests/failures/support-bot.repros.json";

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "twiceshy-process-"));
  writeFileSync(join(root, "package.json"), '{ "name": "project", "type": "module" }\n');
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

function line(at: number): string {
  const steps = [
    call("get_order", { id: at }, { total: 40 + at }),
    failed("refund", { id: at }, `card ${at} closed`),
  ];
  const trace = traceOf(steps, {
    id: `tr_${at}`,
    taskId: `task_${at}`,
    task: `refund order ${at}`,
    agent: "support-bot",
    startedAt: 1_700_000_000_000 + at,
    usage: { totalTokens: 100 },
    output: "The refund was completed successfully.",
  });
  return `${JSON.stringify(trace)}\n`;
}

function lines(from: number, to: number): string {
  return Array.from({ length: to - from }, (_, at) => line(from + at)).join("");
}

function process(): Promise<Said> {
  return runCommand(root, ["process", "traces.jsonl", "--db", "own.db", "--json"]);
}

interface Shown {
  readonly read: readonly { readonly added: number; readonly known: number }[];
  readonly counts: { readonly traces: number; readonly repros: number };
  readonly written: readonly string[];
}

test("a second process of the same file adds and writes nothing, and says the same counts", async () => {
  writeFileSync(join(root, "traces.jsonl"), lines(0, 12));
  const first = JSON.parse((await process()).stdout) as Shown;
  expect(first).toMatchObject({ read: [{ added: 12 }], counts: { traces: 12, repros: 12 } });
  const repros = readFileSync(join(root, REPROS));
  const again = JSON.parse((await process()).stdout) as Shown;
  expect(again).toMatchObject({
    read: [{ added: 0, known: 12 }],
    counts: first.counts,
    written: [],
  });
  expect(readFileSync(join(root, REPROS)).equals(repros)).toBe(true);
});

test("a grown file adds only what is new, and repros that were removed come back", async () => {
  writeFileSync(join(root, "traces.jsonl"), lines(0, 5));
  await process();
  appendFileSync(join(root, "traces.jsonl"), lines(5, 7));
  const grown = JSON.parse((await process()).stdout) as Shown;
  expect(grown).toMatchObject({ read: [{ added: 2, known: 5 }], counts: { traces: 7, repros: 7 } });
  rmSync(join(root, REPROS));
  const restored = JSON.parse((await process()).stdout) as Shown;
  expect(restored.written.map((path) => path.endsWith(REPROS))).toContain(true);
});

test("clusters name their traces, their newest run and their cost", async () => {
  writeFileSync(join(root, "traces.jsonl"), lines(0, 12));
  await process();
  const { stdout } = await runCommand(root, ["cluster", "--db", "own.db", "--json"]);
  const [only] = JSON.parse(stdout) as {
    size: number;
    traces: string[];
    latest: number;
    cost: number;
  }[];
  expect(only).toMatchObject({ size: 12, latest: 1_700_000_000_011, cost: 1200 });
  expect(only?.traces).toHaveLength(12);
  const { stdout: text } = await runCommand(root, ["cluster", "--db", "own.db"]);
  expect(text.split("\n")[0]).toContain("12 runs · last 2023-11-14 · 1200 tokens · support-bot");
});

test("a file that is ingested three times, once as a copy, gives one trace, one repro and a cluster of one", async () => {
  writeFileSync(join(root, "traces.jsonl"), line(1));
  writeFileSync(join(root, "copy.jsonl"), line(1));
  for (const name of ["traces.jsonl", "traces.jsonl", "copy.jsonl"])
    await runCommand(root, ["ingest", name, "--db", "own.db"]);
  const shown = JSON.parse((await process()).stdout) as Shown;
  expect(shown).toMatchObject({ read: [{ added: 0, known: 1 }], counts: { traces: 1, repros: 1 } });
  const { stdout } = await runCommand(root, ["cluster", "--db", "own.db", "--json"]);
  expect(JSON.parse(stdout)).toMatchObject([{ size: 1 }]);
});

test("a report that is written beside a run after it was processed is seen by the next process", async () => {
  mkdirSync(join(root, "runs"));
  const run = { trajectory: [{ action: "ls", observation: "a", thought: "look" }], info: {} };
  writeFileSync(join(root, "runs/shop-1.traj"), JSON.stringify({ ...run, history: [] }));
  const added = async (): Promise<unknown> => {
    const { stdout } = await runCommand(root, ["process", "runs/shop-1.traj", "--json"]);
    return (JSON.parse(stdout) as Shown).read[0]?.added;
  };
  expect([await added(), await added()]).toEqual([1, 0]);
  writeFileSync(join(root, "runs/shop-1.report.json"), '{ "shop-1": { "resolved": false } }');
  expect([await added(), await added()]).toEqual([1, 0]);
});

test("lone surrogates, integers beyond 2^53 and numbers beyond a double stand in the repros as in the trace", async () => {
  const args = '{"id":9007199254740993,"text":"\\ud800","most":1e400}';
  const lineWith = line(1).replace('"args":{"id":1}', `"args":${args}`);
  writeFileSync(join(root, "traces.jsonl"), lineWith.replace("order 1", "order \\ud800"));
  await process();
  const { repros } = JSON.parse(readFileSync(join(root, REPROS), "utf8")) as {
    repros: { task: string; cassette: { args: unknown }[] }[];
  };
  expect(repros[0]).toMatchObject({
    task: "refund order \ud800",
    cassette: [
      {
        args: {
          id: { $t: "bigint", v: "9007199254740993" },
          text: "\ud800",
          most: { $t: "infinity" },
        },
      },
      {},
    ],
  });
});
