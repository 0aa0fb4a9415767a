import assert from "node:assert/strict";
import { TYPESCRIPTS } from "./cell.mjs";
import { store } from "./store.mjs";

// Every published door, used as its documentation says, without the package's own tests around it.
const DOORS = `import { defineConfig as runner } from "vitest/config";
import { expect as own, expectTypeOf } from "vitest";
import type { Reporter, TestProject } from "vitest/node";
import type { Environment, SnapshotEnvironment } from "vitest/runtime";
import { defineConfig, record, replay, toRepro, detect, instrument } from "twiceshy";
import type { Config, ReplayResult, Trace, Verdict } from "twiceshy";
import * as matchers from "twiceshy/matchers";
import { describe, expect, replays, test } from "twiceshy/vitest";
import twiceshy from "twiceshy/vitest/plugin";
import environment from "twiceshy/vitest/environment";
import globalSetup from "twiceshy/vitest/global-setup";
import TwiceshyReporter from "twiceshy/vitest/reporter";
import "twiceshy/vitest/setup";
import metadata from "twiceshy/package.json" with { type: "json" };

runner({ plugins: [twiceshy({ agent: "./src/agent.ts#run" })], test: { reporters: [new TwiceshyReporter()] } });
defineConfig({ gate: "any" });
own.extend({ ...matchers });
expectTypeOf(environment).toExtend<Environment>();
expectTypeOf(globalSetup).toExtend<(project: TestProject) => unknown>();
expectTypeOf<TwiceshyReporter>().toExtend<Reporter>();
expectTypeOf(metadata.version).toEqualTypeOf<string>();

const tools = instrument({ refund: async ({ id }: { id: string }) => id });
const run = (task: { id: string }): Promise<string> => tools.refund({ id: task.id });
const again = replays(import.meta.url, "desk.repros.json", run);

describe("typed", () => {
  test("a replay", async ({ replay: mock }) => {
    const trace: Trace = await record(run, { id: "A-1" });
    toRepro(trace, detect(trace), { agent: "desk" });
    const result: ReplayResult = await replay(run, { task: { id: "A-1" }, cassette: [] });
    expectTypeOf(result.verdict).toEqualTypeOf<Verdict>();
    expectTypeOf<Config["gate"]>().toEqualTypeOf<"regression" | "any" | "none">();
    expect(await again("3f2a91c4")).toMatchBaseline();
    own(result).toNotRepeatFailure();
    own(result).not.toHaveCalledTool("refund", { id: own.any(String) });
    own(result).toStayWithinBudget({ toolCalls: 1, tokens: 2, ms: 3 });
    own.soft(trace).toHaveFailure("loop");
    own([result]).toEqual([own.toPassChecks(), own.not.toHaveFailure("loop")]);
    expectTypeOf(own(result).toPassChecks()).toEqualTypeOf<void>();
    expectTypeOf(expect(mock).resolves.toPassChecks()).toEqualTypeOf<Promise<void>>();
    await own.poll(() => result).toPassChecks();
    // @ts-expect-error -- a kind is a text
    own(result).toHaveFailure(1);
    // @ts-expect-error -- there is no such matcher
    own(result).toBeHeld();
    // @ts-expect-error -- there is no such gate
    twiceshy({ gate: "some" });
  });
});
`;

const REQUIRED = `import twiceshy = require("twiceshy");
import matchers = require("twiceshy/matchers");

const verdict: Promise<twiceshy.Verdict> = twiceshy
  .replay((task: string) => task, { task: "x", cassette: [] })
  .then((result) => result.verdict);
export = { verdict, names: Object.keys(matchers) };
`;

const OPTIONS = JSON.stringify({
  compilerOptions: {
    noEmit: true,
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    module: "nodenext",
    target: "es2023",
    types: ["node"],
  },
});

const COMMON_JS = `const { record, detect, toRepro, replay, TwiceshyError } = require("twiceshy");
const matchers = require("twiceshy/matchers");

const tools = {
  getOrder: async ({ id }) => ({ id, total: 40 }),
  refund: async () => { throw new Error("the card is closed"); },
};
async function run({ id }, { tools }) {
  const order = await tools.getOrder({ id });
  await tools.refund({ id }).catch(() => undefined);
  return "Refunded " + order.total + ".";
}
void (async () => {
  const trace = await record(run, { id: "A-1" }, { tools, agent: "desk", writes: ["refund"] });
  const { repro } = toRepro(trace, detect(trace), { agent: "desk" });
  const result = await replay(run, repro);
  const { pass } = matchers.toNotRepeatFailure.call({ isNot: false }, result);
  // Both forms may meet in one process: neither may take the other's values for a stranger's.
  const esm = await import("twiceshy");
  const same = TwiceshyError.is(new esm.TwiceshyError("E_X", "x")) && esm.isReplayResult(result);
  console.log(repro.signatures.join(), result.verdict, pass, same);
})();
`;

/** What holds of the package as it is installed; no fact needs another. */
export const installed = [
  store,
  ...["", ...TYPESCRIPTS.map((version) => `-${version}`)].map((which) => ({
    fact: `every door is typed in a strict project that checks libraries too${which === "" ? "" : `, with TypeScript ${which.slice(1)}`}`,
    holds(cell) {
      cell.write("doors/doors.test.ts", DOORS);
      cell.write("doors/required.cts", REQUIRED);
      cell.write("doors/tsconfig.json", OPTIONS);
      const checked = cell.node([`node_modules/typescript${which}/bin/tsc`, "-p", "doors"]);
      cell.remove("doors");
      assert.equal(checked.output, "");
      assert.equal(checked.code, 0);
    },
  })),
  {
    fact: "CommonJS records and replays, beside an ESM copy",
    holds(cell) {
      cell.write("required.cjs", COMMON_JS);
      const done = cell.node(["required.cjs"]);
      cell.remove("required.cjs");
      const output = "tool_error:refund,unsupported_claim:refund still_fails false true\n";
      assert.deepEqual(done, { code: 0, output });
    },
  },
  {
    fact: "the binary helps and tells its version",
    holds(cell) {
      const help = cell.npx(["twiceshy", "--help"]);
      assert.equal(help.code, 0, help.output);
      assert.match(help.output, /^twiceshy: .*\n\nUsage: twiceshy <command>/);
      const { version } = JSON.parse(cell.read("node_modules/twiceshy/package.json"));
      assert.deepEqual(cell.npx(["twiceshy", "--version"]), { code: 0, output: `${version}\n` });
    },
  },
];
