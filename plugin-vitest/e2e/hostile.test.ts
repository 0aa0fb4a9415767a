import * as fc from "fast-check";
import { expect, test } from "vitest";
import { failed, traceOf } from "../../src/testing/traces.ts";
import type { Trace } from "../../src/trace/trace.ts";
import { config, jsonl } from "./desk.ts";
import { project } from "./project.ts";

const CANARY = "globalThis.process.getBuiltinModule?.('node:fs').writeFileSync('canary.txt','x')";
const KNOWN = [
  `\`\${${CANARY}}\``,
  `*/ ${CANARY} /*`,
  `\u2028${CANARY}\u2029`,
  `\\'); ${CANARY};//`,
  "\u0040vitest-environment deploy",
  "\u0040vitest-environment-options {",
  "// \u0040module-tag x",
  "\u0040jest-environment ./evil",
  "//# sourceMappingURL=file:///etc/passwd",
  "\u202e\u2066\u{e0041}",
  "\u001b[2J\u001b]8;;http://e\u0007x\u001b]8;;\u0007\u001b]52;c;eA==\u0007\u009b31m",
  "\n::stop-commands::x\n::error::y\n  ::warning::z ##[error]q",
  "100% %s $x %j",
  "",
  "</script><img onerror=alert(1)>",
];
/** Controls but tab, and what turns the order of a line around. */
const UNSEEN = /(?!\t)\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u;
const AGENT = `export async function run(task, { tools }) {
  for (const tool of Object.values(tools)) await Promise.resolve(tool({ text: task })).catch(() => undefined);
  return "Done: " + task;
}
`;

/** Texts as a model or a tool may give them. */
function texts(count: number): string[] {
  const piece = fc.oneof(
    fc.constantFrom(...KNOWN),
    fc.string({ unit: "binary", maxLength: 20 }),
    fc.constantFrom("\n::", "\r", "\u0000", "@vitest", "`", "${", "'"),
  );
  const text = fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join(""));
  return [...KNOWN, ...fc.sample(text, { numRuns: count - KNOWN.length, seed: 20 })];
}

function hostileTrace(text: string, index: number): Trace {
  return traceOf(
    [
      failed(
        `tool ${text}`,
        { text },
        { message: text, code: text.slice(0, 40), name: "ToolError" },
      ),
    ],
    {
      id: `tr_${index.toString().padStart(16, "0")}`,
      taskId: `task_${index}`,
      task: text,
      agent: "desk",
      output: `Done: ${text}`,
    },
  );
}

test("hostile tasks, tool names and results run nothing, are no pragma and no command, and print no control character", async () => {
  const given = texts(120);
  const p = project({
    "vitest.config.ts": config(),
    "src/agent.ts": AGENT,
    "deploy.ts": CANARY,
    "evil.js": CANARY,
    ".twiceshy/traces/hostile.jsonl": jsonl(given.map((text, index) => hostileTrace(text, index))),
  });
  for (const args of [[], ["-u"], []]) {
    const run = await p.run({
      args: ["--reporter=verbose", "--reporter=github-actions", ...args],
      env: { GITHUB_ACTIONS: "true" },
    });
    expect(run.json.numTotalTests).toBeGreaterThan(80);
    // The runner's own commands name a file of the project; a text of a trace must not begin any line.
    const own = new RegExp(
      `^::(?:error|warning) file=${p.dir}/tests/failures/desk\\.agent\\.spec\\.ts,`,
    );
    const lines = run.raw.split("\n").filter((line) => !own.test(line));
    expect(lines.filter((line) => /^\s*::|##\[/.test(line))).toEqual([]);
    expect(lines.filter((line) => UNSEEN.test(line))).toEqual([]);
    expect(p.has("canary.txt")).toBe(false);
  }
});

test("texts that look like pragmas leave the runner's own ones alone", async () => {
  const pragmas = KNOWN.filter((text) => text.includes("@") || text.includes("environment"));
  const p = project({
    "vitest.config.ts": config(),
    "src/agent.ts": AGENT,
    "deploy.ts": CANARY,
    "mine.test.ts":
      'import { expect, test } from "vitest";\ntest("mine", () => { expect(1).toBe(1); });\n',
    ".twiceshy/traces/hostile.jsonl": jsonl(
      pragmas.map((text, index) => hostileTrace(text, index)),
    ),
  });
  const run = await p.run({ args: ["-u"] });
  expect(run).toMatchObject({ code: 0 });
  expect(run.json.numTotalTests).toBe(pragmas.length + 1);
  expect(p.has("canary.txt")).toBe(false);
});
