import { spawnSync } from "node:child_process";
import path from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../../plugin-vitest/e2e/built.ts";
import { project } from "./project.ts";

const USER = `import { expect as own, test as plain } from "@jest/globals";
import { calendar } from "twiceshy/fixtures";
import { describeWorkflow, expect, fault, replays, test } from "twiceshy/jest";

const run = (task: { customer: string }, { tools }: { tools: { refund(args: { id: string }): Promise<number> } }) => tools.refund({ id: task.customer });
const replay = replays("desk.repros.json", run);
type Is<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const is = <A, B>(_: Is<A, B>): void => undefined;

test("typed", async ({ replay: mock, runTrial }) => {
  const result = await mock({ agent: run, task: { customer: "Ada" }, cassette: [{ tool: "refund", args: { id: "Ada" }, data: 1 }] });
  expect(result).toNotRepeatFailure();
  expect(await replay("3f2a91c4")).toMatchBaseline();
  const plainly = expect(result).toPassChecks();
  is<typeof plainly, void>(true);
  const later = expect(mock).resolves.toPassChecks();
  is<typeof later, Promise<void>>(true);
  own(result).not.toHaveCalledTool("refund", { id: own.any(String) });
  own(result).toStayWithinBudget({ toolCalls: 1, tokens: 2, ms: 3 });
  expect([result]).toEqual([expect.toHaveFailure("loop")]);
  const trial = await runTrial({ agent: async () => "done", task: 1, world: calendar(), faults: [fault.timeoutAfter("reserve_slot")] });
  expect(trial).toHaveReachedFault();
  // @ts-expect-error -- a kind is a text
  expect(result).toHaveFailure(1);
  // @ts-expect-error -- there is no such budget
  expect(result).toStayWithinBudget({ calls: 1 });
  // @ts-expect-error -- a recording has no such member
  await mock({ agent: run, task: 1, cassette: [{ tool: "refund", result: 1 }] });
}, 10_000);

test.only("alone", () => undefined);
test.concurrent("beside", async ({ replay: mock }) => void mock);
test.each([[1, 2]])("%d", (a, b) => is<typeof a, typeof b>(true));
describeWorkflow("one", { agent: async () => "done", task: "x", world: calendar(), scenarios: [] });
plain("the runner's own test goes on", (done) => done());
`;

const CONFIG = `import { withTwiceshy } from "twiceshy/jest/config";
import type { Config } from "jest";

const config: () => Promise<Config> = withTwiceshy({ testTimeout: 1000 }, { agent: "./src/agent.js#run", gate: "any" });
export default config;
// @ts-expect-error -- there is no such gate
withTwiceshy({}, { gate: "some" });
`;

test.each([
  ["an ESM", "module"],
  ["a CommonJS", "commonjs"],
])(
  "matchers, test and configuration are typed in %s project, without skipping library checks",
  (_, type) => {
    const p = project({
      "package.json": JSON.stringify({ name: "project", type }),
      "typed.test.ts": USER,
      "jest.config.mts": CONFIG,
      "tsconfig.json": JSON.stringify({
        compilerOptions: {
          strict: true,
          noEmit: true,
          module: "nodenext",
          target: "es2023",
          types: ["node"],
          skipLibCheck: false,
        },
        include: ["*.ts", "*.mts"],
      }),
    });
    const tsc = path.join(ROOT, "node_modules/typescript/bin/tsc");
    const checked = spawnSync(process.execPath, [tsc, "-p", p.dir], { encoding: "utf8" });
    expect(checked.stdout).toBe("");
  },
);
