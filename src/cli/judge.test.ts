import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { sleep } from "../shared/clock.ts";
import type { Judged } from "../generate/judge-stored.ts";
import { runCommand, type Said } from "../testing/command-line.ts";
import { ollamaServer, refusing, type Reply } from "../testing/ollama-server.ts";
import { call, failed, traceOf } from "../testing/traces.ts";
import type { Trace } from "../trace/trace.ts";

const REPROS = "tests/failures/support-bot.repros.json";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "twiceshy-judge-"));
  write("package.json", '{ "name": "project", "type": "module" }\n');
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

function write(name: string, text: string): void {
  writeFileSync(join(root, name), text);
}

/** A clean run by every rule of ours: only somebody who reads it sees that it went astray. */
function run(id: string, output = "I told a joke instead."): Trace {
  return traceOf([call("get_order", { id }, { total: 40 })], {
    id: `tr_${id}`,
    taskId: `task_${id}`,
    task: `How much was order ${id}?`,
    agent: "support-bot",
    output,
  });
}

function failing(id: string): Trace {
  const steps = [failed("refund", { id }, `the card of ${id} is closed`)];
  const about = {
    task: `Refund ${id}`,
    agent: "support-bot",
    output: "The refund was completed successfully.",
  };
  return traceOf(steps, { id: `tr_${id}`, taskId: `task_${id}`, ...about });
}

function record(...traces: Trace[]): void {
  write("runs.jsonl", traces.map((trace) => `${JSON.stringify(trace)}\n`).join(""));
}

const ASTRAY: Reply = ({ messages }) =>
  messages[0]?.content.includes("OUTPUT: I told a joke") === true
    ? { off_track: true, step: 1, reason: "It told a joke.", confidence: 0.8 }
    : { off_track: false, step: null, reason: "Fine.", confidence: 0.9 };

function twiceshy(host: string, ...argv: string[]): Promise<Said> {
  return runCommand(root, argv, { env: { OLLAMA_HOST: host } });
}

async function processed(
  host: string,
  ...argv: string[]
): Promise<{ judged: Judged; counts: Record<string, number>; code: number }> {
  const { stdout, code } = await twiceshy(host, "process", "runs.jsonl", "--json", ...argv);
  return { ...(JSON.parse(stdout) as { judged: Judged; counts: Record<string, number> }), code };
}

test("process asks the model about each trace, lists what only it found, and makes no repro of it", async () => {
  const server = await ollamaServer(ASTRAY);
  record(run("A-1"), run("A-2", "It was 40."), failing("A-3"));
  const { judged, counts, code } = await processed(server.host, "--judge");
  expect(code).toBe(0);
  expect(counts).toMatchObject({ traces: 3, failing: 1, repros: 1, waiting: 0 });
  expect(judged).toEqual({
    model: "llama3.2",
    traces: 3,
    asked: 3,
    gate: false,
    offTrack: [
      {
        trace: "tr_A-1",
        failing: false,
        asked: true,
        failure: {
          kind: "off_track",
          detector: "judge",
          severity: "medium",
          signature: "off_track:-",
          message: "It told a joke. (confidence 0.8)",
          step: 1,
        },
      },
    ],
    unjudged: { traces: 0, problems: [] },
  });
  expect(readFileSync(join(root, REPROS), "utf8")).not.toContain("off_track");
  expect(server.asked.every(({ stream, format }) => !stream && typeof format === "object")).toBe(
    true,
  );
});

test("a second run asks nothing, whether or not something is new; another model is asked anew", async () => {
  const server = await ollamaServer(ASTRAY);
  record(run("A-1"), run("A-2"));
  await processed(server.host, "--judge");
  const again = await processed(server.host, "--judge");
  expect(again.judged).toMatchObject({ asked: 0, traces: 2, offTrack: [{}, {}] });
  record(run("A-1"), run("A-2"), run("A-3"));
  expect((await processed(server.host, "--judge")).judged).toMatchObject({ asked: 1, traces: 3 });
  expect((await processed(server.host, "--judge", "qwen3:8b")).judged).toMatchObject({
    model: "qwen3:8b",
    asked: 3,
  });
  expect(server.asked.map(({ model }) => model).sort()).toEqual([
    "llama3.2",
    "llama3.2",
    "llama3.2",
    "qwen3:8b",
    "qwen3:8b",
    "qwen3:8b",
  ]);
});

test("equal runs are asked about once", async () => {
  const server = await ollamaServer(ASTRAY);
  record(run("A-1"), { ...run("A-1"), id: "tr_other", startedAt: 5 });
  const { judged } = await processed(server.host, "--judge");
  expect(judged).toMatchObject({ asked: 1, traces: 2 });
  expect(judged.offTrack.map(({ trace }) => trace)).toEqual(["tr_A-1", "tr_other"]);
});

test("with judge.gate what only the judge found is a repro that waits for its right answer, and makes no test", async () => {
  const server = await ollamaServer(ASTRAY);
  write(
    "twiceshy.config.json",
    '{ "agent": "./agent.js#run", "judge": { "model": "llama3.2", "gate": true } }',
  );
  write("agent.js", "export async function run() {}\n");
  record(run("A-1"), failing("A-3"));
  const { judged, counts } = await processed(server.host);
  expect(judged).toMatchObject({ gate: true, asked: 2 });
  expect(counts).toMatchObject({ failing: 2, repros: 2, waiting: 1 });
  const { repros } = JSON.parse(readFileSync(join(root, REPROS), "utf8")) as {
    repros: Record<string, unknown>[];
  };
  expect(repros.find(({ needs }) => needs !== undefined)).toMatchObject({
    signatures: ["off_track:-"],
    needs: "an expected answer",
  });
  const spec = readFileSync(join(root, "tests/failures/support-bot.agent.spec.js"), "utf8");
  expect(spec.match(/test\(/g)).toHaveLength(1);
  expect((await processed(server.host)).counts).toEqual(counts);
  expect(server.asked).toHaveLength(2);
  // Switched off, it changes nothing any more; what is written stays a person's to reject.
  expect((await processed(server.host, "--no-judge")).counts).toMatchObject({
    failing: 1,
    repros: 2,
  });
});

test("a trace that a detector finds failing keeps its repro, whatever a judge that gates says", async () => {
  const server = await ollamaServer(() => ({ off_track: true, reason: "Lost.", confidence: 1 }));
  record(failing("A-3"));
  await processed(server.host, "--no-judge");
  const repros = readFileSync(join(root, REPROS), "utf8");
  write("twiceshy.config.json", '{ "judge": { "gate": true } }');
  const { judged } = await processed(server.host);
  expect(judged.offTrack).toMatchObject([{ failing: true, failure: { severity: "high" } }]);
  expect(readFileSync(join(root, REPROS), "utf8")).toBe(repros);
});

test("a judge that is not there is a warning with the number of traces, and neither a pass nor a failure", async () => {
  record(...Array.from({ length: 12 }, (_, at) => run(`A-${at}`)));
  const said = await twiceshy("127.0.0.1:1", "process", "runs.jsonl", "--judge");
  expect(said.code).toBe(3);
  expect(said.stderr).toContain(
    "12 traces not judged, so neither on track nor off: Failed to ask llama3.2 of Ollama at http://127.0.0.1:1: ",
  );
  expect(said.stderr).toContain("[E_OLLAMA_UNREACHABLE]");
  expect(said.stdout).toContain("0 traces judged by llama3.2: 0 off track");
  const server = await ollamaServer(ASTRAY);
  expect((await processed(server.host, "--judge")).judged).toMatchObject({
    asked: 12,
    unjudged: { traces: 0 },
  });
});

test("a model that is missing is asked for once, and said with the command that fetches it", async () => {
  const server = await ollamaServer(
    refusing(404, { error: 'model "llama3.2" not found, try pulling it first' }),
  );
  record(...Array.from({ length: 12 }, (_, at) => run(`A-${at}`)));
  const { stderr, code } = await twiceshy(server.host, "process", "runs.jsonl", "--judge");
  expect(code).toBe(3);
  expect(stderr).toContain('Run "ollama pull llama3.2"');
  expect(server.asked.length).toBeLessThan(3);
});

test("an answer that cannot be used is asked for once more, then its trace alone is not judged and the rest is", async () => {
  const server = await ollamaServer((body, response) => {
    const text = body.messages[0]?.content ?? "";
    if (text.includes("A-1?")) return "I would rather not say.";
    if (text.includes("A-2?")) return '{"verdict":"good"}';
    return ASTRAY(body, response);
  });
  record(run("A-1"), run("A-2"), run("A-3"));
  const { judged, code } = await processed(server.host, "--judge");
  expect(code).toBe(3);
  expect(server.asked).toHaveLength(5);
  expect(judged).toMatchObject({
    traces: 1,
    unjudged: { traces: 2, problems: [{ code: "E_JUDGE_ANSWER", traces: 2 }] },
  });
  expect(judged.unjudged.problems[0]?.message).toContain("tr_A-1");
  // What could not be answered is asked again, what was answered is not.
  expect((await processed(server.host, "--judge")).judged).toMatchObject({ asked: 2, traces: 1 });
});

test.each([
  [
    "a server that fails",
    refusing(500, { error: "out of memory" }),
    "it answered 500: out of memory",
  ],
  ["a page of a proxy", refusing(200, "<html>hello</html>"), "its answer is no JSON"],
  ["an answer without end", () => "x".repeat(3 * 1024 * 1024), "its answer is longer than 1 MiB"],
])(
  "%s is left alone after five traces, and the others are not judged",
  async (_what, reply: Reply, because) => {
    const server = await ollamaServer(reply);
    record(...Array.from({ length: 30 }, (_, at) => run(`A-${at}`)));
    const { judged, code } = await processed(server.host, "--judge");
    expect(code).toBe(3);
    expect(judged.unjudged).toMatchObject({
      traces: 30,
      problems: [{ code: "E_OLLAMA_ANSWER", traces: 30 }],
    });
    expect(judged.unjudged.problems[0]?.message).toContain(because);
    expect(server.asked.length).toBeLessThanOrEqual(14);
  },
);

test("a slow model is given up after timeoutMs", async () => {
  const server = await ollamaServer(() => new Promise(() => undefined));
  write("twiceshy.config.json", '{ "judge": { "timeoutMs": 200, "concurrency": 3 } }');
  record(...Array.from({ length: 9 }, (_, at) => run(`A-${at}`)));
  const { judged, code } = await processed(server.host);
  expect(code).toBe(3);
  expect(judged.unjudged.problems).toMatchObject([{ code: "E_OLLAMA_TIMEOUT", traces: 9 }]);
});

test("answers are awaited several at once, and their order does not change what is said", async () => {
  let open = (): void => undefined;
  const four = new Promise<void>((resolve) => (open = resolve));
  let asked = 0;
  const server = await ollamaServer(async (body, response) => {
    asked += 1;
    if (asked === 4) open();
    // Nobody is answered before four are asked at once, and the first of them comes last.
    await Promise.race([four, sleep(5000)]);
    if (body.messages[0]?.content.includes("A-10?") === true) await sleep(100);
    return ASTRAY(body, response);
  });
  write("twiceshy.config.json", '{ "judge": { "concurrency": 4 } }');
  const ids = Array.from({ length: 12 }, (_, at) => `A-${10 + at}`);
  record(...ids.map((id) => run(id)));
  const { judged } = await processed(server.host);
  expect(server.most()).toBe(4);
  expect(judged.offTrack.map(({ trace }) => trace)).toEqual(ids.map((id) => `tr_${id}`));
});

test("detect of files says what the judge found beside what the rules did, and for a record it did not judge why", async () => {
  const server = await ollamaServer((body, response) =>
    body.messages[0]?.content.includes("A-2?") === true ? "No." : ASTRAY(body, response),
  );
  record(run("A-1"), run("A-2"), failing("A-3"));
  writeFileSync(
    join(root, "runs.jsonl"),
    `${readFileSync(join(root, "runs.jsonl"), "utf8")}{"broken\n`,
  );
  const { stdout, stderr, code } = await twiceshy(
    server.host,
    "detect",
    join(root, "runs.jsonl"),
    "--judge",
    "--json",
  );
  const lines = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines.map(({ record: at }) => at)).toEqual([0, 1, 2, 3]);
  expect(lines[0]).toMatchObject({
    failing: false,
    failures: [
      {
        kind: "off_track",
        severity: "medium",
        step: 1,
        message: "It told a joke. (confidence 0.8)",
        detector: "judge",
      },
    ],
    error: null,
  });
  expect(lines[1]?.["unjudged"]).toContain("could not be used, twice");
  expect(lines[2]).toMatchObject({ failing: true });
  expect(stderr).toContain("1 trace not judged, ");
  expect(code).toBe(3);
  const text = await twiceshy(server.host, "detect", join(root, "runs.jsonl"), "--judge");
  expect(text.stdout).toContain(
    "medium off_track (judge) at step 1: It told a joke. (confidence 0.8)",
  );
  expect(text.stdout).toContain(
    "2 traces judged by llama3.2: 1 off track that no detector found; listed only",
  );
});

test("detect of the store shows what the judge found of the traces that are new, or of all", async () => {
  const server = await ollamaServer(ASTRAY);
  write("twiceshy.config.json", '{ "traces": "runs.jsonl" }');
  record(run("A-1"), run("A-2", "It was 40."));
  const first = await twiceshy(server.host, "detect", "--judge");
  expect(first.stdout).toContain(
    "medium off_track in tr_A-1 at step 1: It told a joke. (confidence 0.8)",
  );
  expect((await twiceshy(server.host, "detect", "--judge")).stdout).not.toContain("off_track in");
  expect((await twiceshy(server.host, "detect", "--judge", "--all")).stdout).toContain(
    "off_track in tr_A-1",
  );
  expect(server.asked).toHaveLength(2);
});

test("without a judge nothing is asked, nothing of it is said, and detect of files makes no store", async () => {
  const server = await ollamaServer(ASTRAY);
  record(run("A-1"));
  const said = await twiceshy(server.host, "detect", join(root, "runs.jsonl"));
  expect(`${said.stdout}${said.stderr}`).not.toMatch(/judge/);
  expect(existsSync(join(root, ".twiceshy"))).toBe(false);
  expect(await processed(server.host)).not.toHaveProperty("judged");
  expect(server.asked).toEqual([]);
});

test.each([
  [["--judge", "runs.jsonl"], "llama3.2", 1],
  [["runs.jsonl", "--judge"], "llama3.2", 1],
  [["--judge", "qwen3:8b", "runs.jsonl"], "qwen3:8b", 1],
  [["runs.jsonl", "--judge", "hf.co/a/b.gguf"], "hf.co/a/b.gguf", 1],
  [["--judge=gemma3", "runs.jsonl"], "gemma3", 1],
  [["--judge", "--", "runs.jsonl"], "llama3.2", 1],
  [["--judge", "folder"], "llama3.2", 0],
  [["--judge", "./missing.jsonl", "runs.jsonl"], "llama3.2", 1],
])("process %j asks %s", async (argv, model, count) => {
  const server = await ollamaServer(ASTRAY);
  record(run("A-1"));
  write("folder", "");
  await twiceshy(server.host, "process", ...argv);
  expect(server.asked.map((body) => body.model)).toEqual(
    Array.from({ length: count }, () => model),
  );
});

test("TWICESHY_JUDGE_MODEL sets the judge, and what is typed wins over it", async () => {
  const server = await ollamaServer(ASTRAY);
  record(run("A-1"));
  const env = { OLLAMA_HOST: server.host, TWICESHY_JUDGE_MODEL: "mistral" };
  for (const argv of [[], ["--judge"], ["--judge=gemma3"], ["--no-judge"]])
    await runCommand(root, ["process", "runs.jsonl", ...argv], { env });
  expect(server.asked.map(({ model }) => model)).toEqual(["mistral", "gemma3"]);
});

const FUNCTION = `export const ask = async (prompt, { trace, format, signal }) => {
  if (!(signal instanceof AbortSignal) || format.type !== "object") throw new Error("no context");
  if (trace.id === "tr_slow") await new Promise(() => {});
  if (trace.id === "tr_broken") throw new TypeError("no key\\u001b[2J");
  return prompt.includes("joke") ? { off_track: true, step: 0, reason: "A joke.", confidence: 0.95 } : '{"off_track": false}';
};
`;

test("any function may judge: named as file#export, with a limit of time; its answers are kept until it changes", async () => {
  write("judge.mjs", FUNCTION);
  write("twiceshy.config.json", '{ "judge": { "ask": "./judge.mjs#ask", "timeoutMs": 150 } }');
  record(
    run("A-1"),
    run("A-2", "It was 40."),
    { ...run("slow"), id: "tr_slow" },
    { ...run("broken"), id: "tr_broken" },
  );
  const { judged, code } = await processed("127.0.0.1:1");
  expect(code).toBe(3);
  expect(judged).toMatchObject({ model: "./judge.mjs#ask", asked: 4, traces: 2 });
  expect(judged.offTrack).toMatchObject([
    { trace: "tr_A-1", failure: { severity: "high", step: 0 } },
  ]);
  expect(judged.unjudged.problems.map(({ code: each, message }) => `${each} ${message}`)).toEqual([
    "E_JUDGE_FAILED Failed to ask the judge ./judge.mjs#ask: it threw no key\\x1b[2J",
    'E_JUDGE_TIMEOUT Failed to ask the judge ./judge.mjs#ask: there was no answer within 150 ms. Give it more time ("judge": { "timeoutMs": ... }).',
  ]);
  expect((await processed("127.0.0.1:1")).judged).toMatchObject({ asked: 2 });
});

test("a judge that cannot be loaded is invalid set-up, said before anything is judged", async () => {
  record(run("A-1"));
  write("judge.mjs", "export const other = () => 1;");
  for (const [ask, said] of [
    [
      "./gone.mjs#ask",
      /Failed to load the judge \.\/gone\.mjs#ask: there is no file .* \[E_JUDGE_MISSING\]/,
    ],
    ["./judge.mjs#ask", /It exports the functions other.*\[E_JUDGE_EXPORT\]/],
  ] as const) {
    const { code, stderr } = await twiceshy("", "process", "runs.jsonl", "--judge", ask);
    expect(code).toBe(2);
    expect(stderr).toMatch(said);
  }
});

test("what leaves this machine is redacted, also where traces are kept as they are", async () => {
  const secret = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789";
  write(
    "judge.mjs",
    "import { appendFileSync } from 'node:fs';\nexport const ask = (prompt, { trace }) => { appendFileSync('SENT', prompt + JSON.stringify(trace)); return { off_track: false }; };\n".replace(
      "SENT",
      join(root, "sent.txt"),
    ),
  );
  write("twiceshy.config.json", '{ "redact": false, "judge": "./judge.mjs#ask" }');
  record({ ...run("A-1", `Your key is ${secret}`), meta: { note: `key ${secret}` } });
  expect((await processed("")).judged).toMatchObject({ asked: 1, traces: 1 });
  const sent = readFileSync(join(root, "sent.txt"), "utf8");
  expect(sent).not.toContain(secret);
  expect(sent).toContain("[redacted:");
  const server = await ollamaServer(ASTRAY);
  await processed(server.host, "--judge=llama3.2");
  expect(server.prompts()[0]).toContain(secret);
});

/** Leads to this machine, as a name that is not known to. */
const ELSEWHERE = "http://[::ffff:127.0.0.1]";
const hasIpv6 = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ address }) => address === "::1"),
);

test.skipIf(!hasIpv6)(
  "what goes to an Ollama that is not known to be on this machine is redacted (needs IPv6)",
  async () => {
    const secret = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789";
    const server = await ollamaServer(ASTRAY);
    write("twiceshy.config.json", '{ "redact": false, "judge": true }');
    record(run("A-1", `Your key is ${secret}`));
    const { judged } = await processed(`${ELSEWHERE}:${server.host.split(":")[1]}`);
    expect(judged).toMatchObject({ asked: 1, traces: 1 });
    expect(server.prompts()[0]).toContain("OUTPUT: Your key is [redacted:");
    expect(server.prompts()[0]).not.toContain(secret);
  },
);

test("a model's words reach the terminal on one line and without control characters", async () => {
  const server = await ollamaServer(() => ({
    off_track: true,
    reason: "bad\n::error::x\u001b[2J\u202e",
    confidence: 0.7,
  }));
  record(run("A-1"));
  const { stdout } = await twiceshy(server.host, "process", "runs.jsonl", "--judge");
  expect(stdout).toContain(
    "medium off_track in tr_A-1: bad\\n::error::x\\x1b[2J\\u202e (confidence 0.7)\n",
  );
});
