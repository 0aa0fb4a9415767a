// Prints what twiceshy costs beside plain Vitest: CPU time (user and system, the whole process tree),
// interleaved pairs, the median of the pairwise ratios. Never a test: the machine's noise is not a bug.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { record } from "../dist/src/index.js";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const HOME = path.join(ROOT, ".tmp-bench");
const VITEST = path.join(ROOT, "node_modules/vitest/vitest.mjs");
const PAIRS = Number(process.argv[2] ?? 15);
const REPROS = 1000;

function project(name, files) {
  const dir = path.join(HOME, name);
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(dir, file)), { recursive: true });
    writeFileSync(path.join(dir, file), text);
  }
  mkdirSync(path.join(dir, "node_modules"), { recursive: true });
  symlinkSync(ROOT, path.join(dir, "node_modules/twiceshy"));
  return dir;
}

/** CPU seconds of one run, user and system, children too. */
function cost(dir) {
  const command = `TIMEFORMAT='%U %S'; time ${process.execPath} ${VITEST} run --root ${dir} >${HOME}/out.txt 2>&1`;
  const { stderr, status } = spawnSync("bash", ["-c", command], { cwd: dir, encoding: "utf8" });
  if (status !== 0) throw new Error(`the run in ${dir} failed; its output is in ${HOME}/out.txt`);
  const [user, system] = stderr.trim().split("\n").at(-1).split(" ").map(Number);
  return user + system;
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

function compare(title, limit, { ours, plain }) {
  cost(ours);
  cost(plain);
  const pairs = Array.from({ length: PAIRS }, () => [cost(ours), cost(plain)]);
  const ratio = median(pairs.map(([a, b]) => a / b));
  const [a, b] = [0, 1].map((side) => median(pairs.map((pair) => pair[side])).toFixed(2));
  console.log(
    `${title}: ${a} s against ${b} s CPU, ratio ${ratio.toFixed(2)} (limit ${limit}, median of ${PAIRS} pairs)`,
  );
}

rmSync(HOME, { recursive: true, force: true });
const plainConfig =
  'import { defineConfig } from "vitest/config";\nexport default defineConfig({});\n';
const ourConfig = `import { defineConfig } from "vitest/config";
import twiceshy from "twiceshy/vitest/plugin";
export default defineConfig({ plugins: [twiceshy({ agent: "./agent.mjs#run" })] });
`;
const trivial =
  'import { expect, test } from "vitest";\ntest("one", () => {\n  expect(1).toBe(1);\n});\n';
// The agent that failed, for the recording; and the fixed one, which the thousand tests replay.
const agent = (report) => `export async function run(task, { tools }) {
  const order = await tools.getOrder({ id: task.id });
  try {
    await tools.refund({ id: order.id, amount: order.total });
  } catch {
    return ${report};
  }
  return "Refunded " + order.id + ".";
}
`;
const broken = agent('"Refund " + order.id + " completed successfully."');
const fixed = agent('"The refund of " + order.id + " failed: the card is closed."');

const idle = project("idle", {
  "vitest.config.mjs": ourConfig,
  "one.test.mjs": trivial,
  "agent.mjs": fixed,
  "package.json": '{"type":"module"}',
});
const bare = project("bare", {
  "vitest.config.mjs": plainConfig,
  "one.test.mjs": trivial,
  "package.json": '{"type":"module"}',
});

const many = project("many", {
  "vitest.config.mjs": ourConfig,
  "agent.mjs": fixed,
  "package.json": '{"type":"module"}',
});
writeFileSync(path.join(many, "broken.mjs"), broken);
const { run } = await import(path.join(many, "broken.mjs"));
const sink = path.join(many, ".twiceshy/traces/runs.jsonl");
for (let i = 0; i < REPROS; i++) {
  const tools = {
    getOrder: async ({ id }) => ({ id, total: i }),
    refund: async () => {
      throw Object.assign(new Error("card closed"), { code: "CARD_CLOSED" });
    },
  };
  await record(
    run,
    { id: `A-${i}`, note: `order ${i}` },
    { tools, agent: "desk", agentVersion: "1", writes: ["refund"], sink },
  );
}
// The first run accepts what is there; the runs that are measured find everything in place.
spawnSync(process.execPath, [VITEST, "run", "-u", "--root", many], {
  cwd: many,
  stdio: "ignore",
  env: { ...process.env, CI: "" },
});
const tests = Array.from(
  { length: REPROS },
  (_, i) =>
    `test("order ${i} [${i.toString(16).padStart(8, "0")}]", () => {\n  expect(1).toBe(1);\n});\n`,
);
const thousand = project("thousand", {
  "vitest.config.mjs": plainConfig,
  "many.test.mjs": `import { describe, expect, test } from "vitest";\ndescribe("tool_error in refund", () => {\n${tests.join("")}});\n`,
  "package.json": '{"type":"module"}',
});

// The same file: the generated spec with its environment, imports and titles, and nothing in its tests.
const same = project("same", {
  "vitest.config.mjs": ourConfig.replace("./agent.mjs#run", "./none.mjs#run"),
  "agent.mjs": fixed,
  "package.json": '{"type":"module"}',
});
const spec = readFileSync(path.join(many, "tests/failures/desk.agent.spec.js"), "utf8");
mkdirSync(path.join(same, "tests"), { recursive: true });
writeFileSync(
  path.join(same, "tests/same.test.js"),
  spec
    .replaceAll("expect(await replay(", "expect(String(")
    .replaceAll(")).toMatchBaseline()", ")).not.toBe(1)")
    .replace("../../agent.mjs", "../agent.mjs")
    .replace(/^const replay = .*$/m, ""),
);

compare("plugin with nothing to generate", 1.15, { ours: idle, plain: bare });
compare(`${REPROS} generated repros, against the same file with trivial tests`, 1.5, {
  ours: many,
  plain: same,
});
compare(`${REPROS} generated repros, against plain Vitest without the plugin`, 1.5, {
  ours: many,
  plain: thousand,
});
rmSync(HOME, { recursive: true, force: true });
