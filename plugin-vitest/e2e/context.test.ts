import { expect, test } from "vitest";
import { desk, REPROS, reproFor, SPEC } from "./desk.ts";

const MOCKS = `import { expect, test } from "twiceshy/vitest";
import { run } from "./src/agent.ts";

test("a declined refund is reported", async ({ replay }) => {
  const result = await replay({ agent: run, task: "A-1 ok", cassette: [
    { tool: "refund", args: { id: "A-1" }, error: { code: "DECLINED", message: "card closed", retryable: false } },
  ], checks: [{ type: "tool_called", name: "refund" }] });
  expect(result).toNotRepeatFailure();
  expect(result).toPassChecks();
  expect(result).toHaveCalledTool("refund", { id: "A-1" });
  expect(result).not.toHaveCalledTool("lookup");
  expect(result).toStayWithinBudget({ toolCalls: 1 });
  expect(result).not.toHaveFailure("tool_error");
});

test("an Error stands for its members", async ({ replay }) => {
  const result = await replay({ agent: run, task: "A-1 same", cassette: [{ tool: "refund", args: { id: "A-1" }, error: new RangeError("too much") }] });
  expect(result).toHaveFailure("tool_error:refund");
});

test("a typing error in a cassette is refused", async ({ replay }) => {
  await expect(replay({ agent: run, task: "A-1", cassette: [{ tool: "refund", result: 1 } as never] })).rejects.toThrow("/cassette/0/result");
});

test("an inline result has no baseline", async ({ replay }) => {
  const result = await replay({ agent: run, task: "A-1 ok", cassette: [] });
  expect(() => expect(result).toMatchBaseline()).toThrow("inline cassette");
});

test("an unanswered call is never a pass", async ({ replay }) => {
  const result = await replay({ agent: run, task: "A-1 miss", cassette: [{ tool: "refund", args: { id: "A-1" }, data: "done" }] });
  expect(result.verdict).toBe("unreplayable");
  expect(result).toHaveCalledTool("refund");
  expect(result).not.toHaveCalledTool("nothing");
  expect(() => expect(result).toNotRepeatFailure()).toThrow("lookup");
});
`;

test("a mock is an ordinary test with the replay of the test context", async () => {
  const p = desk([], {}, { "mocks.test.ts": MOCKS });
  const run = await p.run();
  expect(run.output).toContain("5 passed");
  expect(run.code).toBe(0);
});

test("the matchers are there with vitest's own expect too", async () => {
  const own =
    'import { expect, test } from "vitest";\ntest("mine", () => { expect(() => expect(1).toHaveFailure("loop")).toThrow("a number"); });\n';
  expect((await desk([], {}, { "mine.test.ts": own }).run()).code).toBe(0);
});

test("fifty concurrent replays do not mix", async () => {
  const repros = Array.from({ length: 50 }, (_, index) =>
    reproFor(`C-${index} ${["ok", "same", "other", "miss"][index % 4]}`),
  );
  const p = desk(repros);
  const tests = repros.map(
    ({ id, title }) =>
      `test.concurrent(${JSON.stringify(`${title} [${id}]`)}, async () => { expect(await replay("${id}")).toMatchBaseline(); });`,
  );
  p.remove(SPEC);
  p.write({
    "concurrent.test.ts": `import { expect, replays, test as base } from "twiceshy/vitest";
import { run } from "./slow.ts";
const test = base;
const replay = replays(import.meta.url, ${JSON.stringify(`./${REPROS}`)}, run);
${tests.join("\n")}
`,
    "slow.ts": `import { setTimeout } from "node:timers/promises";
import { run as quick } from "./src/agent.ts";
let turn = 0;
export async function run(task, context) { await setTimeout((turn++ * 7) % 23); return quick(task, context); }
`,
    "vitest.config.ts": p
      .read("vitest.config.ts")
      .replace("plugins:", "test: { maxConcurrency: 50 }, plugins:"),
  });
  const run = await p.run({ args: ["-u", "concurrent.test.ts"] });
  expect(run).toMatchObject({ code: 0 });
  const verdicts = run.json.testResults[0]?.assertionResults.map((one) => [
    one.title.split(" ")[1],
    one.meta.twiceshy?.["repro"],
    one.meta.twiceshy?.["verdict"],
  ]);
  const expected = {
    ok: "passes",
    same: "still_fails",
    other: "fails_differently",
    miss: "unreplayable",
  } as const;
  expect(verdicts).toEqual(
    repros.map(({ id, title }) => [
      title.split(" ")[1],
      id,
      expected[title.split(" ")[1] as keyof typeof expected],
    ]),
  );
});

test("a spec whose agent is not exported is refused by name, and not judged", async () => {
  const p = desk([reproFor("A-1 ok")], {}, { "src/agent.ts": "export const walk = 1;\n" });
  const { output, code } = await p.run();
  expect(output).toContain("E_AGENT_EXPORT");
  expect(output).not.toContain("fails_differently");
  expect(code).toBe(1);
});

test("an agent that hangs for longer than a test may take is judged by its own limit", async () => {
  const hanging = "export const run = () => new Promise(() => {});\n";
  const p = desk(
    [reproFor("A-1 ok")],
    {},
    {
      "src/agent.ts": hanging,
      "twiceshy.config.json": JSON.stringify({ limits: { ms: 6000 } }),
    },
  );
  const { output, code } = await p.run();
  expect(output).toContain("fails_differently: timeout:- is new");
  expect(output).not.toContain("Test timed out");
  expect(code).toBe(1);
});
