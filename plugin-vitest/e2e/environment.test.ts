import { expect, test } from "vitest";
import { desk, reproFor } from "./desk.ts";

const LIVE = `import { createServer } from "node:http";
import { expect, test } from "vitest";
test("live", async () => {
  const server = createServer((_, answer) => answer.end("hello"));
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  expect(await (await fetch("http://127.0.0.1:" + server.address().port)).text()).toBe("hello");
  server.close();
});
`;
const GUARDED = `// \u0040vitest-environment twiceshy
import { lookup } from "node:dns/promises";
import { connect } from "node:net";
import { expect, test } from "vitest";
test("guarded", async () => {
  const refused = await fetch("http://127.0.0.1:39871/").catch((error) => error);
  expect(String(refused.cause?.message ?? refused.message)).toContain("network");
  await expect(lookup("example.com")).rejects.toThrow("network");
  const error = await new Promise((done) => connect(39871, "127.0.0.1").on("error", done));
  expect(error.code).toBe("E_NETWORK_BLOCKED");
});
`;
const AGENT = `export async function run(task, { call }) {
  if (task.endsWith("net")) await fetch("http://billing.example.com/").catch(() => undefined);
  await call("refund", { id: task.split(" ")[0] }).catch(() => undefined);
  return { status: "blocked", message: "The refund was declined: card closed" };
}
`;

test.each([
  ["forks", ["--pool=forks"]],
  ["threads", ["--pool=threads"]],
  ["vmThreads", ["--pool=vmThreads"]],
  ["vmForks", ["--pool=vmForks"]],
  ["threads without isolation", ["--pool=threads", "--no-isolate"]],
  ["forks without isolation", ["--pool=forks", "--no-isolate"]],
])("in %s the network is refused where the environment is, and only there", async (_, args) => {
  const repros = [reproFor("A-1 net"), reproFor("A-2 ok")];
  const p = desk(
    repros,
    {},
    { "a-live.test.js": LIVE, "b-guarded.test.js": GUARDED, "c-live.test.js": LIVE },
  );
  p.write({ "src/agent.ts": AGENT });
  const run = await p.run({ args: ["-u", ...args] });
  const tests = run.json.testResults.flatMap((file) => file.assertionResults);
  const seen = Object.fromEntries(
    tests.map((one) => [one.title.split(" [")[0], one.meta.twiceshy?.["verdict"] ?? one.status]),
  );
  expect(seen).toEqual({
    live: "passed",
    guarded: "passed",
    "A-1 net": "unreplayable",
    "A-2 ok": "passes",
  });
  expect(run.code).toBe(0);
});

test("a host that the options name may be reached", async () => {
  const spec = LIVE.replace(
    "import { createServer }",
    "// \u0040vitest-environment twiceshy\nimport { createServer }",
  );
  const p = desk([], {}, { "live.test.js": spec });
  expect((await p.run()).code).toBe(1);
  p.write({
    "vitest.config.ts": p
      .read("vitest.config.ts")
      .replace("twiceshy({", 'twiceshy({ network: ["127.0.0.1"],'),
  });
  const run = await p.run();
  expect(run).toMatchObject({ code: 0 });
});
