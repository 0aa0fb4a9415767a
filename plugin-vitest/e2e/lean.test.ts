import { expect, test } from "vitest";
import { config, desk, reproFor } from "./desk.ts";
import { watchLoading } from "./loaded.ts";
import { project } from "./project.ts";

const MINE =
  'import { expect, test } from "vitest";\ntest("mine", () => { expect(1).toBe(1); });\n';

test("a project with nothing to generate loads no schema library, store or fast-check", async () => {
  const p = project({ "vitest.config.ts": config(), "mine.test.ts": MINE });
  const watch = watchLoading(p);
  expect((await p.run({ env: watch.env })).code).toBe(0);
  expect(watch.loaded()).toEqual([]);
});

test("replaying generated specs loads nothing but the store that keeps the verdicts", async () => {
  const p = desk([reproFor("A-1 ok")], {}, { ".twiceshy/keep": "" });
  const watch = watchLoading(p);
  expect((await p.run({ env: watch.env })).code).toBe(0);
  expect(watch.loaded()).toEqual(["better-sqlite3"]);
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
