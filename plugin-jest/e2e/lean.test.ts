import { expect, test } from "vitest";
import { reproFor } from "../../plugin-vitest/e2e/desk.ts";
import { watchLoading } from "../../plugin-vitest/e2e/loaded.ts";
import { config, desk } from "./desk.ts";
import { project } from "./project.ts";

const names = "describeWorkflow, expect, fault, replays, scenarioTests, test";
const BODY = `
test("a mock", async ({ replay }) => {
  const agent = (task, { call }) => call("get");
  expect(await replay({ agent, task: "x", cassette: [{ tool: "get", data: "y" }] })).toNotRepeatFailure();
  expect(typeof [describeWorkflow, fault, replays, scenarioTests]).toBe("object");
});
`;
const REQUIRED = `const { ${names} } = require("twiceshy/jest");${BODY}`;
const IMPORTED = `import { ${names} } from "twiceshy/jest";${BODY}`;

test("a test that uses all of twiceshy/jest loads no schema library, store, fast-check, ollama or command line", async () => {
  const p = project({ "jest.config.js": config(), "mine.test.js": REQUIRED });
  const watch = watchLoading(p);
  const { code, output } = await p.run(watch.env);
  expect([code, watch.loaded(), code === 0 ? "" : output]).toEqual([0, [], ""]);
});

test("nor does one that imports it as an ES module", async () => {
  const p = project({ "jest.config.js": config(), "mine.test.mjs": IMPORTED });
  p.write({ "jest.config.js": config("", '{ testMatch: ["**/mine.test.mjs"] }') });
  const watch = watchLoading(p);
  const NODE_OPTIONS = `${watch.env["NODE_OPTIONS"]} --experimental-vm-modules`;
  const { code, output } = await p.run({ NODE_OPTIONS });
  expect([code, watch.loaded(), code === 0 ? "" : output]).toEqual([0, [], ""]);
});

test("replaying generated specs loads none of them either, although the verdicts are kept", async () => {
  const p = desk([reproFor("A-1 ok")], {}, { ".twiceshy/keep": "" });
  const watch = watchLoading(p);
  const { code, output } = await p.run(watch.env);
  expect([code, watch.loaded(), code === 0 ? "" : output]).toEqual([0, [], ""]);
});

test("what a test loads itself is seen, inside Jest's sandbox, too", async () => {
  const packages = ["ajv", "ollama", "zod"];
  const requires = packages.map((name) => `require("${name}");\n`).join("");
  const p = project({ "jest.config.js": config(), "mine.test.js": `${requires}${REQUIRED}` });
  const watch = watchLoading(p);
  const { code, output } = await p.run(watch.env);
  expect([code, watch.loaded(), code === 0 ? "" : output]).toEqual([0, packages, ""]);
});
