import { expect, test } from "vitest";
import { config, desk, reproFor } from "./desk.ts";
import { watchLoading } from "./loaded.ts";
import { project } from "./project.ts";

const MINE =
  'import { expect, test } from "vitest";\ntest("mine", () => { expect(1).toBe(1); });\n';

const IMPORTED = `import { describeWorkflow, expect, fault, replays, scenarioTests, test } from "twiceshy/vitest";
test("a mock", async ({ replay }) => {
  const agent = (task, { call }) => call("get");
  expect(await replay({ agent, task: "x", cassette: [{ tool: "get", data: "y" }] })).toNotRepeatFailure();
  expect(typeof [describeWorkflow, fault, replays, scenarioTests]).toBe("object");
});
`;

test("a test that uses all of twiceshy/vitest loads no schema library, store, fast-check, ollama or command line", async () => {
  const p = project({ "vitest.config.ts": config(), "mine.test.ts": IMPORTED });
  const watch = watchLoading(p);
  const { code, output } = await p.run({ env: watch.env });
  expect([code, watch.loaded(), code === 0 ? "" : output]).toEqual([0, [], ""]);
});

test("what a test loads itself is seen", async () => {
  const packages = ["ajv", "fast-check", "ollama", "zod"];
  const imports = packages.map((name) => `import "${name}";\n`).join("");
  const p = project({ "vitest.config.ts": config(), "mine.test.ts": `${imports}${MINE}` });
  const watch = watchLoading(p);
  expect((await p.run({ env: watch.env })).code).toBe(0);
  expect(watch.loaded()).toEqual(packages);
});

test("a project with nothing to generate loads no schema library, store or fast-check", async () => {
  const p = project({ "vitest.config.ts": config(), "mine.test.ts": MINE });
  const watch = watchLoading(p);
  expect((await p.run({ env: watch.env })).code).toBe(0);
  expect(watch.loaded()).toEqual([]);
});

test("replaying generated specs loads nothing of them either, although the verdicts are kept", async () => {
  const p = desk([reproFor("A-1 ok")], {}, { ".twiceshy/keep": "" });
  const watch = watchLoading(p);
  expect((await p.run({ env: watch.env })).code).toBe(0);
  expect(watch.loaded()).toEqual([]);
});

test("the lean door replays with no schema library, store or fast-check in the process", async () => {
  const p = project({});
  const watch = watchLoading(p);
  const script = `import { replay, decide, detect } from "./node_modules/twiceshy/dist/src/runtime.js";
const { verdict } = await replay((task, { call }) => call("get"), { task: "x", cassette: [{ tool: "get", data: "y" }] });
console.log(verdict, typeof decide, typeof detect);`;
  expect(await p.node(["--input-type=module", "-e", script], watch.env)).toEqual({
    code: 0,
    output: "passes function function\n",
  });
  expect(watch.loaded()).toEqual([]);
});
