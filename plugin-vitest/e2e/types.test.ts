import path from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "./built.ts";
import { project } from "./project.ts";

const USER = `import { expect as own, expectTypeOf, test as plain } from "vitest";
import { expect, replays, test } from "twiceshy/vitest";
import twiceshy from "twiceshy/vitest/plugin";

const run = (task: { customer: string }, { tools }: { tools: { refund(args: { id: string }): Promise<number> } }) => tools.refund({ id: task.customer });
const replay = replays(import.meta.url, "desk.repros.json", run);

test("typed", async ({ replay: mock }) => {
  const result = await mock({ agent: run, task: { customer: "Ada" }, cassette: [{ tool: "refund", args: { id: "Ada" }, data: 1 }] });
  expect(result).toNotRepeatFailure();
  expect(await replay("3f2a91c4")).toMatchBaseline();
  expectTypeOf(expect(result).toPassChecks()).toEqualTypeOf<void>();
  expectTypeOf(expect(mock).resolves.toPassChecks()).toEqualTypeOf<Promise<void>>();
  own(result).not.toHaveCalledTool("refund", { id: own.any(String) });
  own(result).toStayWithinBudget({ toolCalls: 1, tokens: 2, ms: 3 });
  expect([result]).toEqual([expect.toHaveFailure("loop")]);
  // @ts-expect-error -- a kind is a text
  expect(result).toHaveFailure(1);
  // @ts-expect-error -- there is no such budget
  expect(result).toStayWithinBudget({ calls: 1 });
  // @ts-expect-error -- a recording has no such member
  await mock({ agent: run, task: 1, cassette: [{ tool: "refund", result: 1 }] });
  // @ts-expect-error -- a verdict is one of four
  expectTypeOf(result.verdict).toEqualTypeOf<"passed">();
});

plain("the runner's own test has no replay", (context) => {
  // @ts-expect-error -- only ours has
  context.replay;
});

twiceshy({ agent: "./src/agent.ts#run", gate: "any" });
// @ts-expect-error -- there is no such gate
twiceshy({ gate: "some" });
`;

test("matchers, test context and plugin are typed in a strict project, without skipping library checks", async () => {
  const p = project({
    "typed.test.ts": USER,
    "tsconfig.json": JSON.stringify({
      compilerOptions: {
        strict: true,
        noEmit: true,
        module: "nodenext",
        target: "es2023",
        types: ["node"],
        skipLibCheck: false,
      },
      include: ["*.test.ts"],
    }),
  });
  const checked = await p.node([path.join(ROOT, "node_modules/typescript/bin/tsc"), "-p", p.dir]);
  expect(checked).toEqual({ code: 0, output: "" });
});
