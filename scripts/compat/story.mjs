import assert from "node:assert/strict";
import { copyFileSync, cpSync, existsSync, rmSync } from "node:fs";
import path from "node:path";
import { ROOT } from "./cell.mjs";
import { blocksOf, differences, filesOf } from "./files.mjs";

const TRACES = ".twiceshy/traces/support-bot.jsonl";
const SPECS = "tests/failures";
const SPEC = `${SPECS}/support-bot.agent.spec.ts`;
const BASELINE = `${SPECS}/support-bot.baseline.json`;
const CACHE = /^\.twiceshy\/twiceshy\.(?:db|runs\/)/;
const FIX = [
  ".catch(() => undefined);\n  return `Refunded ${order.total}.`;",
  ".catch(() => undefined);\n  return `Not refunded: the card of order ${order.id} is closed.`;",
];
const OWN = `import { expect, test } from "vitest";

test("a snapshot of the project's own", () => {
  expect({ answer: ANSWER }).toMatchSnapshot();
});
`;

const blocks = blocksOf(path.join(ROOT, "README.md"));

function block(name) {
  const text = blocks.get(name);
  assert(text !== undefined, `the README has no block for ${name}`);
  return text;
}

function fixed() {
  const broken = block("src/agent.ts");
  assert(broken.includes(FIX[0]), "the README's agent is another one: adapt the fix");
  return broken.replace(...FIX);
}

/** The generated test's names, as they stand in the spec. */
function titleOf(cell) {
  const text = cell.read(SPEC);
  const suite = /^describe\("(.*)", /m.exec(text)[1];
  const test = /^ {2}test\("(.*)", /m.exec(text)[1];
  return { full: `${suite} > ${test}`, id: /\[([0-9a-f]{8})\]$/.exec(test)[1] };
}

/** A run with its output as the message of whatever is wrong with it. */
function ran(cell, code, options = {}) {
  const { args = [], env, has = [], lacks = [] } = options;
  const done = cell.vitest(["run", ...args], env);
  const wrong = [
    ...(done.code === code ? [] : [`exit code ${done.code} in place of ${code}`]),
    ...has.filter((text) => !done.output.includes(text)).map((text) => `no "${text}"`),
    ...lacks.filter((text) => done.output.includes(text)).map((text) => `a "${text}"`),
  ];
  const aboutStore = done.output.match(/^.*better-sqlite3.*$/gm) ?? [];
  if (aboutStore.length > (cell.hasStore ? 0 : 1)) wrong.push("lines about better-sqlite3");
  assert(wrong.length === 0, `${wrong.join(", ")} in\n${done.output}`);
  return done.output;
}

/** Fails when something but the cache of verdicts is changed by what is done. */
function unchanged(dir, act) {
  const before = filesOf(dir);
  act();
  const changed = differences(before, filesOf(dir)).filter((name) => !CACHE.test(name));
  assert.deepEqual(changed, []);
}

function keep(cell, when) {
  for (const [name, text] of filesOf(cell.at(SPECS))) cell.kept.set(`${name} ${when}`, text);
}

function entriesIn(cell) {
  return JSON.parse(cell.read(BASELINE)).entries;
}

/** A stranger's first day, in order. */
export const story = [
  {
    fact: "the README's agent is recorded where it runs",
    holds(cell) {
      for (const name of ["vitest.config.ts", "src/tools.ts", "src/agent.ts", "src/server.ts"])
        cell.write(name, block(name));
      // Plain Node runs the server, so it is compiled first, as strictly as the compiler can.
      const options = "--ignoreConfig --strict --module nodenext --target es2023 --types node";
      const args = [
        ...options.split(" "),
        "--rewriteRelativeImportExtensions",
        "--outDir",
        "built",
      ];
      const compiled = cell.node(["node_modules/typescript/bin/tsc", "src/server.ts", ...args]);
      assert.deepEqual(compiled, { code: 0, output: "" });
      const script = `import { handle } from "./built/server.js";
        console.log(await handle({ order: "A-1" }));`;
      const said = cell.node(["--input-type=module", "-e", script]);
      assert.deepEqual(said, { code: 0, output: "Refunded 40.\n" });
      assert(cell.read(TRACES).includes("the card of A-1 is closed"));
      // Every cell goes on with the recording of the first.
      const shared = path.join(cell.home, "recorded.jsonl");
      if (!existsSync(shared)) copyFileSync(cell.at(TRACES), shared);
      copyFileSync(shared, cell.at(TRACES));
    },
  },
  {
    fact: "the first run shows the failure as a red test",
    holds(cell) {
      const output = ran(cell, 1, { has: ["still_fails", "1 failed (1)", "support-bot"] });
      const { full } = titleOf(cell);
      assert(output.includes(`FAIL  ${SPEC} > ${full}`), output);
      const names = ["support-bot.agent.spec.ts", "support-bot.repros.json"];
      assert.deepEqual([...filesOf(cell.at(SPECS)).keys()], names);
      keep(cell, "of the failure");
    },
  },
  {
    fact: "a second run is the same and changes no file",
    holds(cell) {
      unchanged(cell.dir, () => ran(cell, 1, { has: [titleOf(cell).full] }));
    },
  },
  {
    fact: "the test of a fixed agent passes, and its verdict is accepted by itself",
    holds(cell) {
      cell.write("src/agent.ts", fixed());
      ran(cell, 0, { has: ["1 passed (1)", "1 written"] });
      const { id } = titleOf(cell);
      const { agent, formatVersion } = JSON.parse(cell.read(BASELINE));
      assert.deepEqual({ agent, formatVersion }, { agent: "support-bot", formatVersion: 1 });
      assert.deepEqual(Object.keys(entriesIn(cell)), [id]);
      assert.equal(entriesIn(cell)[id].verdict, "passes");
      keep(cell, "of the fixed agent");
    },
  },
  {
    fact: "in CI it is green and nothing is written, traces or not",
    holds(cell) {
      const env = { CI: "true" };
      unchanged(cell.dir, () => ran(cell, 0, { env, has: ["1 passed (1)"], lacks: ["written"] }));
      const traces = `${cell.dir}-traces`;
      cpSync(cell.at(".twiceshy"), traces, { recursive: true });
      cell.remove(".twiceshy");
      unchanged(cell.dir, () => ran(cell, 0, { env, has: ["1 passed (1)"], lacks: ["written"] }));
      cell.remove(".twiceshy");
      cpSync(traces, cell.at(".twiceshy"), { recursive: true });
      rmSync(traces, { recursive: true });
    },
  },
  {
    fact: "the agent's old bug is a regression that -u alone does not accept",
    holds(cell) {
      cell.write("src/agent.ts", block("src/agent.ts"));
      const has = ["regression: passed before, now still_fails", titleOf(cell).full];
      ran(cell, 1, { has });
      unchanged(cell.dir, () => ran(cell, 1, { args: ["-u"], has }));
      const env = { TWICESHY_ACCEPT_REGRESSIONS: "1" };
      ran(cell, 0, { args: ["-u"], env, has: ["1 updated", "1 expected fail"] });
      assert.equal(entriesIn(cell)[titleOf(cell).id].verdict, "still_fails");
      keep(cell, "of the accepted bug");
    },
  },
  {
    fact: "the fix improves the accepted failure by itself",
    holds(cell) {
      cell.write("src/agent.ts", fixed());
      ran(cell, 0, { has: ["1 passed (1)"] });
      assert.equal(entriesIn(cell)[titleOf(cell).id].verdict, "passes");
    },
  },
  {
    fact: "a snapshot of the project's own works as before, beside a regression too",
    holds(cell) {
      const snapshot = "tests/__snapshots__/own.test.ts.snap";
      cell.write("tests/own.test.ts", OWN.replace("ANSWER", "41"));
      ran(cell, 0, { has: ["2 passed (2)", "1 written"] });
      unchanged(cell.dir, () => ran(cell, 0, { has: ["2 passed (2)"] }));
      cell.write("tests/own.test.ts", OWN.replace("ANSWER", "42"));
      cell.write("src/agent.ts", block("src/agent.ts"));
      unchanged(cell.dir, () => ran(cell, 1, { has: ["2 failed (2)"] }));
      ran(cell, 1, { args: ["-u"], has: ["1 failed | 1 passed (2)", "1 updated"] });
      assert.match(cell.read(snapshot), /"answer": 42/);
      assert.equal(entriesIn(cell)[titleOf(cell).id].verdict, "passes");
    },
  },
  {
    fact: "the test is listed by its literal title, and -t with its id runs it alone",
    holds(cell) {
      const { full, id } = titleOf(cell);
      const listed = cell.vitest(["list"]);
      assert(listed.output.includes(`${SPEC} > ${full}\n`), listed.output);
      ran(cell, 1, { args: ["-t", id], has: [full, "1 failed | 1 skipped (2)"] });
    },
  },
  {
    fact: "the README's mock is an ordinary test",
    holds(cell) {
      cell.write("tests/declined.test.ts", block("tests/declined.test.ts"));
      ran(cell, 0, { args: ["declined"], has: ["1 passed (1)"] });
    },
  },
  {
    fact: "the binary processes the traces, or says in one sentence that its store cannot be opened",
    holds(cell) {
      cell.remove(SPECS);
      if (cell.hasStore) {
        const done = cell.npx(["twiceshy", "process"]);
        assert.equal(done.code, 0, done.output);
        assert.match(done.output, /^repros +1 /m);
        assert(existsSync(cell.at(SPEC)));
        return;
      }
      refused(cell, "it was never compiled here");
      if (cell.copyDriver()) refused(cell, "it was compiled for another version of Node");
    },
  },
];

function refused(cell, because) {
  const { code, output } = cell.npx(["twiceshy", "process"]);
  assert.equal(code, 2, output);
  assert(output.includes(`better-sqlite3 cannot be loaded (${because})`), output);
  assert.match(output, /^error .*npm rebuild better-sqlite3.* \[E_STORE_DRIVER\]\n$/);
  assert(!existsSync(cell.at(".twiceshy/twiceshy.db")), "a file for the store was made");
}
