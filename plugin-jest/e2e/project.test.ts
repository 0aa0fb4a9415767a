import { spawnSync } from "node:child_process";
import path from "node:path";
import { expect, test } from "vitest";
import {
  accepted,
  BASELINE,
  baseline,
  desk as vitestDesk,
  entriesIn,
  failingTrace,
  jsonl,
  REPROS,
  reproFor,
} from "../../plugin-vitest/e2e/desk.ts";
import { AGENT_SOURCE, config, desk as deskOf, SPEC } from "./desk.ts";
import { project, type JestProject } from "./project.ts";

const OK = reproFor("A-1 ok");
const SAME = reproFor("A-2 same");
const ENTRIES = {
  [OK.id]: accepted(OK, "passes"),
  [SAME.id]: accepted(SAME, "still_fails", { signatures: SAME.signatures }),
};
const GONE = { ...ENTRIES, "00000000": { verdict: "passes", hash: "0" } } as const;

function desk(more: Record<string, string> = {}): JestProject {
  return deskOf([OK, SAME], ENTRIES, more);
}

test("a captured trace is a failing test in the same run", async () => {
  const p = project({
    "jest.config.js": config(),
    "src/agent.js": AGENT_SOURCE,
    ".twiceshy/traces/a.jsonl": jsonl([failingTrace("A-1 ok"), failingTrace("A-2 same")]),
  });
  const first = await p.run();
  expect(first.json).toMatchObject({ numPassedTests: 1, numFailedTests: 1 });
  expect(first.output).toContain("new failure: still_fails");
  expect(first.output).toContain("1 snapshot written");
  expect(p.read(SPEC)).toMatch(/^\/\*\* \u0040jest-environment twiceshy\/jest\/environment \*\/\n/);
  expect(p.read(SPEC)).toContain('const { run } = require("../../src/agent.js");');
  const second = await p.run("-u");
  expect(second).toMatchObject({ code: 0 });
  expect(second.output).toContain("known failures  1: fail as accepted in the baseline");
  expect(second.output).toMatch(/↳ tests\/failures\/desk\.agent\.spec\.js:\d+ A-2 same \[/);
  const text = p.read(BASELINE);
  const third = await p.run();
  expect(third.code).toBe(0);
  expect(third.output).not.toContain("snapshot written");
  expect(p.read(BASELINE)).toBe(text);
  expect(p.has(".twiceshy/twiceshy.runs") || p.has(".twiceshy/twiceshy.db")).toBe(true);
});

test("the command line runs the same tests, and generates for Jest, too", async () => {
  const p = desk();
  const cli = path.join(p.dir, "node_modules/twiceshy/dist/src/cli/bin.js");
  const spec = p.read(SPEC);
  const twiceshy = (
    ...args: string[]
  ): { readonly stdout: string; readonly status: number | null } =>
    spawnSync(process.execPath, [cli, ...args], { cwd: p.dir, encoding: "utf8" });
  expect(twiceshy("process")).toMatchObject({ status: 0 });
  expect(p.list("tests/failures")).toEqual([
    "desk.agent.spec.js",
    "desk.baseline.json",
    "desk.repros.json",
  ]);
  expect(p.read(SPEC)).toBe(spec);
  const { stdout } = twiceshy("run", "--json", "-");
  const found = JSON.parse(stdout) as { counts: object };
  expect(found.counts).toMatchObject({ passes: 1, still_fails: 1, none: 0 });
});

test("the baseline has the same bytes as under Vitest, and either runner takes the other's", async () => {
  const repros = [OK, SAME, reproFor("A-3 other"), reproFor("A-4 miss")];
  const [ours, theirs] = [deskOf(repros), vitestDesk(repros)];
  expect((await ours.run("-u")).code).toBe(0);
  expect((await theirs.run({ args: ["-u"] })).code).toBe(0);
  expect(ours.read(BASELINE)).toBe(theirs.read(BASELINE));
  expect(ours.read(REPROS)).toBe(theirs.read(REPROS));
});

test("an entry whose test is gone is reported as obsolete, and -u removes it", async () => {
  const p = desk({ [BASELINE]: baseline(GONE) });
  const seen = await p.run();
  expect(seen.output).toContain("1 snapshot obsolete");
  expect(seen.output).toContain(`obsolete  ${SPEC}: 00000000 has no test any more`);
  expect(entriesIn(p.read(BASELINE))).toEqual(GONE);
  const updated = await p.run("-u");
  expect(updated.output).toContain("1 snapshot removed");
  expect(entriesIn(p.read(BASELINE))).toEqual(ENTRIES);
});

test("in CI nothing obsolete is removed, even with -u, and --ci is CI wherever it is said", async () => {
  const p = desk({ [BASELINE]: baseline(GONE) });
  const text = p.read(BASELINE);
  await p.run("-u", { CI: "1" });
  await p.run("-u", "--ci");
  expect(p.read(BASELINE)).toBe(text);
});

test("a filtered run with -u keeps the entries of the tests that did not run", async () => {
  const p = desk();
  for (const filter of [OK.id, "none of them"]) {
    const run = await p.run("-u", "-t", filter);
    expect(run.output).not.toMatch(/obsolete|removed/);
    expect(entriesIn(p.read(BASELINE))).toEqual(ENTRIES);
  }
});

test("tests that fail before the matcher keep their entries with -u", async () => {
  const p = desk();
  p.write({ "src/agent.js": "throw new Error('the agent cannot be loaded');" });
  expect((await p.run("-u")).output).toContain("the agent cannot be loaded");
  expect(entriesIn(p.read(BASELINE))).toEqual(ENTRIES);
});

test("a merge conflict in the baseline makes its tests red with its name, and nothing is lost", async () => {
  const text = baseline(ENTRIES).replace('  "agent"', '<<<<<<< HEAD\n  "agent"');
  const p = desk({ [BASELINE]: text });
  for (const args of [[], ["-u"]]) {
    const run = await p.run(...args);
    expect(run.json.numFailedTests).toBe(2);
    expect(run.output).toContain("is a merge-conflict marker");
    expect(p.read(BASELINE)).toBe(text);
  }
});

test("a user's own snapshots in the same file go on working beside the baseline", async () => {
  const p = desk();
  const text = p.read(BASELINE);
  const own = `${p.read(SPEC)}\ntest("mine", () => {\n  expect("\`\${1}\\\\").toMatchSnapshot();\n});\n`;
  p.write({ [SPEC]: own });
  expect((await p.run()).output).toContain("1 snapshot written");
  const snap = "tests/failures/__snapshots__/desk.agent.spec.js.snap";
  expect(p.read(snap)).toContain("exports[`mine 1`]");
  expect(p.read(snap)).not.toContain(OK.id);
  expect(p.read(BASELINE)).toBe(text);
  expect((await p.run({ CI: "1" })).code).toBe(0);
});

test("a retried test is matched anew, and one repro twice in a file is refused", async () => {
  const p = desk();
  p.remove(BASELINE);
  const spec = p.read(SPEC);
  p.write({ [SPEC]: spec.replace("const replay =", "jest.retryTimes(2);\nconst replay =") });
  const retried = await p.run();
  expect(retried.output).toContain("new failure: still_fails");
  expect(retried.output).not.toContain("another call in this file");
  expect(retried.json).toMatchObject({ numPassedTests: 1, numFailedTests: 1 });
  expect(retried.output).toContain("1 snapshot written");
  p.write({
    [SPEC]: spec.replace(`expect(await replay("${OK.id}"))`, "$&.toMatchBaseline();\n    $&"),
  });
  expect((await p.run()).output).toContain("another call in this file did already");
});

test("fifty concurrent replays do not mix", async () => {
  const repros = Array.from({ length: 50 }, (_, index) =>
    reproFor(`C-${index} ${["ok", "same", "other", "miss"][index % 4]}`),
  );
  const p = deskOf(repros, {}, { "jest.config.js": config("", "{ maxConcurrency: 50 }") });
  const tests = repros.map(
    ({ id, title }) =>
      `test.concurrent(${JSON.stringify(`${title} [${id}]`)}, async () => { expect(await replay("${id}")).toMatchBaseline(); });`,
  );
  p.remove(SPEC);
  p.write({
    "concurrent.test.js": `const { expect, replays, test } = require("twiceshy/jest");
const { run } = require("./slow.js");
const replay = replays(${JSON.stringify(`./${REPROS}`)}, run);
${tests.join("\n")}
`,
    "slow.js": `const { setTimeout } = require("node:timers/promises");
const { run: quick } = require("./src/agent.js");
let turn = 0;
exports.run = async (task, context) => { await setTimeout((turn++ * 7) % 23); return quick(task, context); };
`,
  });
  const run = await p.run("-u", "concurrent.test.js");
  expect(run).toMatchObject({ code: 0 });
  const verdicts = {
    ok: "passes",
    same: "still_fails",
    other: "fails_differently",
    miss: "unreplayable",
  } as const;
  const entries = entriesIn(p.read("concurrent.agent.baseline.json"));
  expect(Object.fromEntries(Object.entries(entries).map(([id, one]) => [id, one.verdict]))).toEqual(
    Object.fromEntries(
      repros.map(({ id, title }) => [id, verdicts[title.split(" ")[1] as keyof typeof verdicts]]),
    ),
  );
});

test("an ESM project runs its specs with import, in Jest's ESM mode", async () => {
  const p = project({
    "package.json": '{ "name": "project", "version": "1.0.0", "type": "module" }\n',
    "jest.config.js": `import { withTwiceshy } from "twiceshy/jest/config";
export default withTwiceshy({}, { agent: "./src/agent.js#run" });
`,
    "src/agent.js": `export async function run(task, { call }) {
  await call("refund", { id: task.split(" ")[0] }).catch(() => undefined);
  return { status: "blocked", message: "The refund was declined: card closed" };
}
`,
    ".twiceshy/traces/a.jsonl": jsonl([failingTrace("A-1 ok")]),
  });
  const run = await p.run({ NODE_OPTIONS: "--experimental-vm-modules" });
  expect(run).toMatchObject({ code: 0 });
  expect(p.read(SPEC)).toContain('import { run } from "../../src/agent.js";');
});

test("what a configuration may be: a function, a preset, projects, other patterns, roots and circus by name", async () => {
  const p = desk();
  const cases = [
    "async () => ({ testMatch: ['**/unit/*.js'] })",
    "{ testRegex: 'unit/.*js$', testRunner: 'jest-circus/runner' }",
    "{ roots: ['<rootDir>/src'] }",
    "{ preset: './preset/jest-preset.js' }",
    "{ projects: [{ displayName: 'one', testMatch: ['**/unit/*.js'] }] }",
  ];
  p.write({ "preset/jest-preset.js": "module.exports = { testTimeout: 7000 };\n" });
  for (const given of cases) {
    p.write({ "jest.config.js": config("", given) });
    const run = await p.run();
    expect([given, run.code, run.json.numPassedTests]).toEqual([given, 0, 2]);
    expect(run.output).toContain("known failures  1");
  }
});

test("in GitHub's actions a known failure is a warning at its line", async () => {
  const run = await desk().run({ GITHUB_ACTIONS: "true" });
  expect(run.output).toMatch(
    /^::warning file=tests\/failures\/desk\.agent\.spec\.js,line=\d+::known failure: still_fails/m,
  );
});

test("an option that does not exist stops Jest by name", async () => {
  const p = desk({ "jest.config.js": config('gaet: "any"') });
  const run = await p.run();
  expect(run.code).toBe(1);
  expect(run.output).toContain('"gate"');
});

test.each([
  ["a preset with its own testMatch", `{ preset: "./pre/jest-preset.js" }`],
  [
    "testPathIgnorePatterns over their folder",
    `{ testPathIgnorePatterns: ["/node_modules/", "tests/failures"] }`,
  ],
])("a run whose settings hide the generated specs fails and names them: %s", async (_, options) => {
  const p = desk({
    "jest.config.js": config().replace("withTwiceshy({}", `withTwiceshy(${options}`),
    "pre/jest-preset.js": 'module.exports = { testMatch: ["**/spec/*.js"] };\n',
    "spec/own.js": 'test("mine", () => {});\n',
    "src/own.test.js": 'test("mine", () => {});\n',
  });
  expect(p.read("jest.config.js")).toContain(options);
  const whole = await p.run();
  expect(whole.code).toBe(1);
  expect(whole.output).toContain("Failed to run the generated spec");
  expect(whole.output).toContain("desk.agent.spec.js: Jest's own settings leave it out");
  const chosen = await p.run("own");
  expect([chosen.code, chosen.output.includes("leave it out")]).toEqual([0, false]);
});
