import { expect, test } from "vitest";
import {
  AGENT_SOURCE,
  BASELINE,
  config,
  failingTrace,
  jsonl,
  REPROS,
  reproFor,
  SPEC,
} from "./desk.ts";
import { project } from "./project.ts";

const TRACES = ".twiceshy/traces/one.jsonl";
const FRESH = {
  "vitest.config.ts": config(),
  "src/agent.ts": AGENT_SOURCE,
  [TRACES]: jsonl([failingTrace("A-1 same"), failingTrace("A-2 ok")]),
};
const MINE =
  'import { expect, test } from "vitest";\ntest("mine", () => { expect(1).toBe(1); });\n';

test("specs generated on a fresh checkout run in the same run, and a second run changes no file", async () => {
  const p = project({ ...FRESH, "mine.test.ts": MINE });
  const first = await p.run();
  expect(first.code).toBe(1);
  expect(first.output).toMatch(/× .*A-1 same \[[0-9a-f]{8}\]/);
  expect(first.json).toMatchObject({ numPassedTests: 2, numFailedTests: 1 });
  const files = [SPEC, REPROS, BASELINE].map((file) => p.read(file));
  const second = await p.run();
  expect(second.json).toMatchObject({ numPassedTests: 2, numFailedTests: 1 });
  expect([SPEC, REPROS, BASELINE].map((file) => p.read(file))).toEqual(files);
});

test("a user's own include stays, and the generated specs run beside it", async () => {
  const p = project({
    ...FRESH,
    "vitest.config.ts": config("", '{ include: ["unit/**/*.check.ts"] }'),
    "unit/a.check.ts": MINE,
    "other.test.ts": MINE,
  });
  const names = (await p.run()).json.testResults
    .map((file) => file.name.slice(p.dir.length + 1))
    .sort();
  expect(names).toEqual([SPEC, "unit/a.check.ts"]);
});

test("with two projects the specs run once, and each project keeps its own tests and exclusions", async () => {
  const projects = `{ projects: [
    { extends: true, test: { name: "a", include: ["a/*.test.ts"], exclude: ["a/skip.test.ts"] } },
    { extends: true, test: { name: "b", include: ["b/*.test.ts"] } },
  ] }`;
  const p = project({
    ...FRESH,
    "vitest.config.ts": config("", projects),
    "a/x.test.ts": MINE,
    "a/skip.test.ts": MINE,
    "b/skip.test.ts": MINE,
  });
  const run = await p.run();
  const names = run.json.testResults.map((file) => file.name.slice(p.dir.length + 1)).sort();
  expect(names).toEqual(["a/x.test.ts", "b/skip.test.ts", SPEC]);
});

test("titles are literal: listed before a run, and one test is run by its id alone", async () => {
  const { id, title } = reproFor("A-1 same");
  const p = project(FRESH);
  const listed = await p.run({ command: ["list", "--json"] });
  expect(listed.output).toContain(`"name": "${title} [${id}]"`.replace('"name": "', ""));
  const parsed = await p.run({ command: ["list", "--json", "--static-parse"] });
  expect(parsed.output).toContain(`${title} [${id}]`);
  const one = await p.run({ args: ["-t", id] });
  expect(one.output).toContain("1 failed | 1 skipped");
});

test("in CI specs that do not match the traces end the run with E_SPECS_STALE, and nothing is written", async () => {
  const p = project(FRESH);
  const run = await p.run({ env: { CI: "true" } });
  expect(run.code).toBe(1);
  expect(run.output).toContain(
    "tests/failures/desk.agent.spec.ts do not match the traces and repros at hand",
  );
  expect(run.output).toContain("E_SPECS_STALE");
  expect(p.list("tests")).toEqual([]);
});

test("an option that does not exist ends the run and names the nearest", async () => {
  const p = project({ ...FRESH, "vitest.config.ts": config("gates: 1") });
  const run = await p.run();
  expect(run.code).toBe(1);
  expect(run.output).toContain("E_CONFIG_UNKNOWN");
  expect(run.output).toContain("gate");
});

test("a record that cannot be read is named with its file and line, and the rest runs", async () => {
  const p = project({
    ...FRESH,
    [TRACES]: `{"schemaVersion":"twiceshy.trace/9"}\n${FRESH[TRACES]}`,
  });
  const run = await p.run();
  expect(run.output).toMatch(/twiceshy {2}.*one\.jsonl/);
  expect(run.json.numTotalTests).toBe(2);
});

test("a plain Vite build with the plugin generates nothing", async () => {
  const p = project({ ...FRESH, "index.html": "<p>hello</p>" });
  const script =
    'import { build } from "vite"; await build({ configFile: "./vitest.config.ts", logLevel: "error" });';
  const built = await p.node(["--input-type=module", "-e", script]);
  expect(built).toEqual({ code: 0, output: "" });
  expect(p.list("tests")).toEqual([]);
});
