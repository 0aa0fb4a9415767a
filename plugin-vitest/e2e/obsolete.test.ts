import { expect, test } from "vitest";
import {
  accepted,
  baseline,
  BASELINE,
  desk as deskOf,
  entriesIn,
  REPROS,
  reproFor,
  SPEC,
} from "./desk.ts";
import type { Project } from "./project.ts";

const OK = reproFor("A-1 ok");
const SAME = reproFor("A-2 same");
const ENTRIES = {
  [OK.id]: accepted(OK, "passes"),
  [SAME.id]: accepted(SAME, "still_fails", { signatures: SAME.signatures }),
};
const GONE = { ...ENTRIES, "00000000": { verdict: "passes", hash: "0" } } as const;

const OWN = `import { expect, test } from "vitest";
test("own", () => {
  expect("a\\n\\\`\${b}\\\\").toMatchSnapshot();
  expect([1]).toMatchSnapshot("list");
});
`;
const OWN_SNAP = `// Vitest Snapshot v1, https://vitest.dev/guide/snapshot.html

exports[\`own > list 1\`] = \`
[
  1,
]
\`;

exports[\`own 1\`] = \`
"a
\\\`\\\${b}\\\\"
\`;
`;

function desk(more: Record<string, string> = {}): Project {
  return deskOf([OK, SAME], ENTRIES, more);
}

test("an entry whose test is gone is reported as obsolete, and -u removes it", async () => {
  const p = desk({ [BASELINE]: baseline(GONE) });
  const seen = await p.run();
  expect(seen.code).toBe(0);
  expect(seen.output).toContain("1 obsolete");
  expect(seen.output).toContain(`obsolete  ${SPEC}: 00000000 has no test any more`);
  expect(entriesIn(p.read(BASELINE))).toEqual(GONE);
  await p.run({ args: ["-u"] });
  expect(entriesIn(p.read(BASELINE))).toEqual(ENTRIES);
});

test("in CI nothing obsolete is removed, even with -u", async () => {
  const p = desk({ [BASELINE]: baseline(GONE) });
  const text = p.read(BASELINE);
  await p.run({ args: ["-u"], env: { CI: "1" } });
  expect(p.read(BASELINE)).toBe(text);
});

test("a filtered run with -u keeps the entries of the tests that did not run", async () => {
  const p = desk();
  const run = await p.run({ args: ["-u", "-t", OK.id] });
  expect(run.output).toContain("1 passed | 1 skipped");
  expect(run.output).not.toContain("obsolete");
  expect(entriesIn(p.read(BASELINE))).toEqual(ENTRIES);
});

test("tests that fail before the matcher keep their entries with -u", async () => {
  const p = desk();
  const whole = p.read(REPROS);
  p.write({ [REPROS]: "{" });
  const broken = await p.run({ args: ["-u"] });
  expect(broken.code).toBe(1);
  expect(broken.output).toContain("E_REPROS_JSON");
  expect(entriesIn(p.read(BASELINE))).toEqual(ENTRIES);
  p.write({
    [REPROS]: whole,
    "src/agent.ts": "throw new Error('the agent cannot be loaded');",
  });
  expect((await p.run({ args: ["-u"] })).output).toContain("the agent cannot be loaded");
  expect(entriesIn(p.read(BASELINE))).toEqual(ENTRIES);
});

test("an id or a file that is missing is a clear error, and the titles stay", async () => {
  const spec = (
    id: string,
    file: string,
  ): string => `import { expect, replays, test } from "twiceshy/vitest";
import { run } from "./src/agent.ts";
const replay = replays(import.meta.url, "${file}", run);
test("by hand [${id}]", async () => { expect(await replay("${id}")).toMatchBaseline(); });
`;
  const p = desk({
    "a.test.ts": spec("11111111", REPROS),
    "b.test.ts": spec(OK.id, "none.repros.json"),
    "c.test.ts": spec(OK.id, REPROS),
  });
  const run = await p.run();
  expect(run.output).toContain("Failed to replay the repro 11111111: desk.repros.json has only");
  expect(run.output).toMatch(/Failed to read the repros .*none\.repros\.json/);
  expect(run.json).toMatchObject({ numPassedTests: 3, numFailedTests: 2 });
  expect(entriesIn(p.read("c.agent.baseline.json"))).toEqual({ [OK.id]: ENTRIES[OK.id] });
});

test("a merge conflict in the baseline makes its tests red with its name, and nothing is lost", async () => {
  const text = baseline(ENTRIES).replace('  "agent"', '<<<<<<< HEAD\n  "agent"');
  const p = desk({ [BASELINE]: text });
  for (const args of [[], ["-u"]]) {
    const run = await p.run({ args });
    expect(run.json.numFailedTests).toBe(2);
    expect(run.output).toContain("is a merge-conflict marker");
    expect(p.read(BASELINE)).toBe(text);
  }
});

test("other titles and clusters change no entry", async () => {
  const p = desk();
  const text = p.read(BASELINE);
  p.write({
    [SPEC]: p.read(SPEC).replace("refunds", "another cluster").replace("A-1 ok [", "a new title ["),
  });
  const run = await p.run();
  expect(run.code).toBe(0);
  expect(run.output).not.toContain("obsolete");
  expect(run.output).not.toContain("Snapshots");
  expect(p.read(BASELINE)).toBe(text);
});

test("a user's own snapshots in the same file go on working beside the baseline", async () => {
  const p = desk({ "own.test.ts": OWN });
  const text = p.read(BASELINE);
  const own = `${p.read(SPEC)}\ntest("mine", () => {\n  expect("\`\${1}\\\\").toMatchSnapshot();\n  expect({ a: 1 }).toMatchInlineSnapshot();\n});\n`;
  p.write({ [SPEC]: own });
  const first = await p.run();
  expect(first.output).toContain("4 written");
  expect(p.read("__snapshots__/own.test.ts.snap")).toBe(OWN_SNAP);
  const snap = "tests/failures/__snapshots__/desk.agent.spec.ts.snap";
  expect(p.read(snap)).toContain("exports[`mine 1`]");
  expect(p.read(snap)).not.toContain(OK.id);
  expect(p.read(BASELINE)).toBe(text);
  const again = await p.run({ env: { CI: "1" } });
  expect(again.code).toBe(0);
  p.write({ [SPEC]: own.replace('"`${1}', '"other'), "src/mode.txt": "ok" });
  expect((await p.run()).json.numFailedTests).toBe(1);
  await p.run({ args: ["-u"] });
  expect(p.read(snap)).toContain("other");
  expect(entriesIn(p.read(BASELINE))[SAME.id]).toMatchObject({ verdict: "passes" });
});

test("without a baseline, CI writes none and every failing test is red", async () => {
  const p = desk();
  p.remove(BASELINE);
  const run = await p.run({ env: { CI: "1" } });
  expect(run.json).toMatchObject({ numPassedTests: 1, numFailedTests: 1 });
  expect(p.has(BASELINE)).toBe(false);
});

test("a second run changes no file", async () => {
  const p = desk();
  const text = p.read(BASELINE);
  await p.run();
  expect(p.read(BASELINE)).toBe(text);
  expect(p.list("tests/failures")).toEqual([
    "desk.agent.spec.ts",
    "desk.baseline.json",
    "desk.repros.json",
  ]);
});

test("a retried test is matched anew, and one repro twice in a file is refused", async () => {
  const p = desk();
  p.remove(BASELINE);
  const retried = await p.run({ args: ["--retry=2"] });
  expect(retried.output).toContain("new failure: still_fails");
  expect(retried.output).not.toContain("another call in this file");
  p.write({
    [SPEC]: p
      .read(SPEC)
      .replace(`expect(await replay("${OK.id}"))`, "$&.toMatchBaseline();\n    $&"),
  });
  expect((await p.run()).output).toContain("another call in this file did already");
});

test("a repros file that cannot be used stops the run by name, in CI too, and stays as it is", async () => {
  const p = deskOf([OK]);
  const whole = p.read(REPROS);
  const cases = [
    [whole.replace('\n  "agent"', '\n<<<<<<< ours\n  "agent"'), "E_REPROS_CONFLICT"],
    [whole.replace('"formatVersion": 1', '"formatVersion": 99'), "E_REPROS_VERSION"],
    [whole.replace('"no_failure"', '"equalz"'), "E_REPROS_SCHEMA"],
  ] as const;
  for (const [text, code] of cases) {
    expect(text).not.toBe(whole);
    p.write({ [REPROS]: text });
    for (const CI of ["", "true"]) {
      const run = await p.run({ env: { CI } });
      expect([run.code, run.output.includes(code) ? code : run.output]).toEqual([1, code]);
    }
    expect(p.read(REPROS)).toBe(text);
  }
});

test("a repro that was rejected since its entry was written makes no run red in CI", async () => {
  const p = deskOf([{ ...OK, status: "rejected" }, SAME], ENTRIES);
  const ci = await p.run({ env: { CI: "true" } });
  expect([ci.code, ci.output.includes("obsolete") ? ci.output : ""]).toEqual([0, ""]);
});

test("an agent whose file is missing ends the run by name, with other tests at hand too", async () => {
  const p = deskOf([OK]);
  p.write({
    "own.test.ts": 'import { test } from "vitest";\ntest("own", () => undefined);\n',
  });
  p.remove("src/agent.ts");
  const run = await p.run();
  expect([run.code, run.output.includes("E_AGENT_MISSING") ? "" : run.output]).toEqual([1, ""]);
});
