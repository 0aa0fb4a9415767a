import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { runCommand, type Said } from "../testing/command-line.ts";
import { failed, traceOf } from "../testing/traces.ts";
import type { Trace } from "../trace/trace.ts";

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "twiceshy-cluster-"));
  mkdirSync(join(root, "logs"));
  writeFileSync(
    join(root, "package.json"),
    '{ "name": "project", "type": "module", "version": "1.0.0" }\n',
  );
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

interface Shown {
  id: string;
  label: string;
  size: number;
  wordings?: number;
  latest?: number;
  cost?: number;
  aliases: string[];
  embedder: { name: string; dimensions: number };
  traces: string[];
  repros: { id: string }[];
}

function twiceshy(argv: readonly string[], host?: string): Promise<Said> {
  return runCommand(root, argv, host === undefined ? {} : { env: { OLLAMA_HOST: host } });
}

async function clusters(...argv: string[]): Promise<Shown[]> {
  const { stdout, code, stderr } = await twiceshy(["cluster", "--json", ...argv]);
  expect(stderr).toBe("");
  expect(code).toBe(0);
  return JSON.parse(stdout) as Shown[];
}

const LONG = "the card has no money left after all that was bought with it on the last";

let made = 0;
function run(message: string, about: Partial<Trace> = {}, tool = "pay"): Trace {
  made += 1;
  return traceOf([failed(tool, { order: "A-1" }, message)], {
    id: `tr_${String(made)}`,
    agent: "desk",
    output: "It was paid.",
    ...about,
  });
}

async function process(name: string, ...traces: Trace[]): Promise<void> {
  const text = traces.map((trace) => `${JSON.stringify(trace)}\n`).join("");
  writeFileSync(join(root, "logs", name), text);
  expect((await twiceshy(["process", "logs"])).code).toBe(0);
}

/** A local server with `/api/embed`: texts about money point one way, others another. */
async function embedding(
  answer: (input: string[], response: ServerResponse) => string | undefined = (input) =>
    JSON.stringify({
      embeddings: input.map((text) => (/money|funds/.test(text) ? [3, 1] : [1, 3])),
    }),
): Promise<string> {
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk: Buffer) => (text += chunk.toString("utf8")));
    request.on("end", () => {
      const body = answer((JSON.parse(text) as { input: string[] }).input, response);
      if (body !== undefined) response.end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("clusters are listed by size, then the newest, then the dearest; equal messages are counted once", async () => {
  const usage = { totalTokens: 700 };
  await process(
    "a.jsonl",
    run(`${LONG} day`, { startedAt: 5 }, "pay"),
    run(`${LONG} day`, { startedAt: 6, taskId: "task_2", task: "Pay 2." }, "pay"),
    run(`${LONG} month`, { startedAt: 7, taskId: "task_3", task: "Pay 3." }, "pay"),
    run("the printer is out of paper", { startedAt: 9, usage }, "print"),
    run("the lid of the printer is open", { startedAt: 9 }, "print"),
    run("the truck has no driver", { startedAt: 8, usage }, "ship"),
  );
  const shown = await clusters();
  expect(
    shown.map(({ size, latest, cost, wordings }) => ({ size, latest, cost, wordings })),
  ).toEqual([
    { size: 3, latest: 7, cost: undefined, wordings: 2 },
    { size: 1, latest: 9, cost: 700, wordings: 1 },
    { size: 1, latest: 9, cost: undefined, wordings: 1 },
    { size: 1, latest: 8, cost: 700, wordings: 1 },
  ]);
  expect(shown[0]).toMatchObject({
    label: expect.stringMatching(/^tool_error in pay: the card has no money left/),
    embedder: { name: "hashing-512", dimensions: 512 },
    aliases: [],
  });
  const { stdout } = await twiceshy(["cluster"]);
  expect(stdout.split("\n")[0]).toBe(
    `${shown[0]?.label}  ${shown[0]?.id} · 3 runs · last 1970-01-01 · 2 wordings · desk`,
  );
});

test("further traces change no id, and the ids are the same in another place and order", async () => {
  const first = [run(`${LONG} day`), run("the printer is out of paper", {}, "print")];
  await process("a.jsonl", ...first);
  const before = await clusters();
  const more = [
    run(`${LONG} month`, { taskId: "task_9", task: "Pay 9." }),
    run("the truck has no driver", {}, "ship"),
  ];
  await process("b.jsonl", ...more);
  const after = await clusters();
  expect(after).toHaveLength(3);
  expect(after.map(({ id }) => id)).toEqual(expect.arrayContaining(before.map(({ id }) => id)));
  rmSync(join(root, "tests"), { recursive: true });
  rmSync(join(root, ".twiceshy"), { recursive: true });
  rmSync(join(root, "logs/a.jsonl"));
  await process("b.jsonl", ...more.toReversed(), ...first.toReversed());
  expect((await clusters()).map(({ id }) => id)).toEqual(after.map(({ id }) => id));
});

test("with Ollama the clusters say which model told them apart, and no file of the project changes", async () => {
  await process(
    "a.jsonl",
    run("there is no money left on the card"),
    run("insufficient funds for this payment", { taskId: "task_2", task: "Pay 2." }),
    run("the printer has run out of paper", { taskId: "task_3", task: "Pay 3." }),
  );
  const path = join(root, "tests/failures/desk.repros.json");
  const before = readFileSync(path, "utf8");
  expect(await clusters()).toHaveLength(3);
  const host = await embedding();
  const { stdout, code } = await twiceshy(["cluster", "--embedder", "ollama", "--json"], host);
  expect(code).toBe(0);
  const shown = JSON.parse(stdout) as Shown[];
  expect(shown.map(({ size, wordings }) => [size, wordings])).toEqual([
    [2, 2],
    [1, 1],
  ]);
  expect(shown[0]?.embedder).toEqual({
    name: expect.stringMatching(/^ollama:nomic-embed-text#/),
    dimensions: 2,
  });
  expect(readFileSync(path, "utf8")).toBe(before);
  expect((await clusters())[0]?.embedder.name).toBe("hashing-512");
});

test.each([
  ["garbage", () => "<html>", /no JSON/],
  ["no vectors", () => '{"embeddings":[]}', /does not have 1 vectors/],
  [
    "a missing model",
    (_: string[], response: ServerResponse) => {
      response.writeHead(404);
      return '{"error":"model \\"nomic-embed-text\\" not found, try pulling it first"}';
    },
    /ollama pull nomic-embed-text/,
  ],
  [
    "a broken line",
    (_: string[], response: ServerResponse) => {
      response.writeHead(200, { "content-length": "100" });
      response.write("{");
      setTimeout(() => response.destroy(), 10);
      return undefined;
    },
    /OLLAMA_HOST/,
  ],
])(
  "a server that answers with %s is named, and nothing is shown as if it had answered",
  async (_, answer, message) => {
    await process("a.jsonl", run("no money left"));
    const host = await embedding(answer);
    const { stdout, stderr, code } = await twiceshy(["cluster", "--embedder", "ollama"], host);
    expect(stderr).toMatch(message);
    expect(stdout).toBe("");
    expect(code).not.toBe(0);
  },
);
