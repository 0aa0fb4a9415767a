import { spawnSync } from "node:child_process";
import path from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "./built.ts";
import { project, type Project } from "./project.ts";

const BIN = path.join(ROOT, "dist/src/cli/bin.js");
const TSC = path.join(ROOT, "node_modules/typescript/bin/tsc");
const fixture = (name: string): string => path.join(ROOT, "fixtures/traces", name);

/** An installed package is not transformed either. */
const CONFIG =
  "export default { test: { server: { deps: { external: [/\\/dist\\/src\\//] } } } };\n";

const CHAT = JSON.stringify({
  messages: [
    { role: "user", content: "Book slot 7 for Grace." },
    {
      role: "assistant",
      content: null,
      tool_calls: [
        {
          id: "c1",
          type: "function",
          function: { name: "calendar.get-slot", arguments: '{"slot":7}' },
        },
      ],
    },
    { role: "tool", tool_call_id: "c1", content: '{"free":true}' },
    {
      role: "assistant",
      content: null,
      tool_calls: [
        {
          id: "c2",
          type: "function",
          function: { name: "reserve_slot", arguments: '{"slot":7,"for":"Grace"}' },
        },
      ],
    },
    { role: "tool", tool_call_id: "c2", content: '{"id":"b1"}' },
    {
      role: "assistant",
      content: null,
      tool_calls: [
        {
          id: "c3",
          type: "function",
          function: { name: "calendar.get-slot", arguments: '{"slot":7}' },
        },
      ],
    },
    { role: "tool", tool_call_id: "c3", content: '{"free":false}' },
    { role: "assistant", content: "Slot 7 is booked." },
  ],
});

const EVIL =
  '`${process.exit(9)}` */ ");process.exit(9);(" \n// \u0040vitest-environment x \u2028 </script>';

/** A run of LangSmith with this text wherever a text can be, and the name of a tool that is no plain member. */
const HOSTILE = JSON.stringify({
  id: "r1",
  trace_id: "r1",
  name: EVIL,
  run_type: "chain",
  start_time: "2026-03-01T10:00:00",
  end_time: "2026-03-01T10:00:09",
  inputs: { input: EVIL },
  outputs: { output: EVIL },
  child_runs: [EVIL, "__proto__", "search orders", "search.orders", ""].map((name, i) => ({
    id: `t${i}`,
    trace_id: "r1",
    parent_run_id: "r1",
    name,
    run_type: "tool",
    start_time: `2026-03-01T10:00:0${i + 1}`,
    end_time: `2026-03-01T10:00:0${i + 2}`,
    inputs: { [EVIL]: EVIL, ["__proto__x"]: i },
    outputs: { output: EVIL },
  })),
});

/** What a person writes next: an agent of their own, and what must be true at the end. */
const OWN = `import { expect, test } from "twiceshy/vitest";
import { names, task, world } from "./world.ts";

test("an agent of my own reserves once", async ({ runTrial }) => {
  const agent = async (_task: unknown, { call }: { call(tool: string, args: object): Promise<unknown> }) => {
    await call(names.calendar_get_slot, { slot: 7 });
    await call(names.reserve_slot, { slot: 7, for: "Grace" });
    return { status: "completed", message: "Slot 7 is booked." };
  };
  const trial = await runTrial({ agent, task, world });
  expect(trial).toHaveExactlyOneMutation({ tool: names.reserve_slot });
  expect(trial.state.reserve_slot).toEqual([{ slot: 7, for: "Grace" }]);
  // @ts-expect-error -- what is read is not kept
  trial.state.calendar_get_slot;
});
`;

const TSCONFIG = JSON.stringify({
  compilerOptions: {
    strict: true,
    noEmit: true,
    module: "nodenext",
    target: "es2023",
    allowImportingTsExtensions: true,
    noUncheckedIndexedAccess: true,
    noPropertyAccessFromIndexSignature: true,
    exactOptionalPropertyTypes: true,
    noUnusedLocals: true,
    noUnusedParameters: true,
    verbatimModuleSyntax: true,
    types: [],
    skipLibCheck: true,
  },
  include: ["cases"],
});

function twiceshy(one: Project, ...argv: string[]): ReturnType<Project["node"]> {
  return one.node([BIN, ...argv]);
}

test("a fresh TypeScript project scaffolds from any format: the control passes, the fault is reached, and it type-checks", async () => {
  const one = project({
    "vitest.config.mjs": CONFIG,
    "tsconfig.json": TSCONFIG,
    "chat.json": CHAT,
    "hostile.json": HOSTILE,
  });
  const sources = {
    langsmith: fixture("langsmith/nested-run.json"),
    chat: "chat.json",
    otel: fixture("opentelemetry/openinference.json"),
    claude: fixture("claude-code/trip-session.jsonl"),
    hostile: "hostile.json",
  };
  for (const [name, file] of Object.entries(sources)) {
    const command = name === "langsmith" ? "import-langsmith" : "scaffold";
    const said = await twiceshy(one, command, file, "--out", `cases/${name}`);
    expect(said).toMatchObject({ code: 0, output: expect.stringContaining("wrote") });
  }
  one.write({ "cases/chat/own.test.ts": OWN });
  const { json, output, code } = await one.run();
  const tests = json.testResults.flatMap(({ assertionResults }) => assertionResults);
  expect({ code, bad: tests.filter(({ status }) => status !== "passed"), output }).toMatchObject({
    code: 0,
    bad: [],
  });
  expect(tests.filter(({ title }) => title === "control")).toHaveLength(5);
  expect(tests).toHaveLength(11);
  expect(await one.node([TSC, "-p", one.dir])).toEqual({ code: 0, output: "" });
});

test.skipIf(process.platform === "win32")(
  "a disk that takes no more leaves neither files nor a folder",
  () => {
    const one = project({ "chat.json": CHAT });
    const command = `ulimit -f 2; "$0" "$1" scaffold chat.json --out tests/case`;
    const { status, stderr } = spawnSync("bash", ["-c", command, process.execPath, BIN], {
      cwd: one.dir,
      encoding: "utf8",
    });
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: expect.stringContaining("[E_FILE_WRITE]"),
    });
    expect(one.has("tests")).toBe(false);
  },
);
