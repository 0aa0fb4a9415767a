import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "./built.ts";
import { project, type JsonTest, type Outcome, type Project } from "./project.ts";

const CONFIG = `import { defineConfig } from "vitest/config";
import twiceshy from "twiceshy/vitest/plugin";
export default defineConfig({ plugins: [twiceshy()], test: { include: ["**/*.{test,spec}.{mjs,js,ts}"] } });
`;
const WORKFLOW = (options: string): string => `import { calendar } from "twiceshy/fixtures";
export const booking = calendar.workflow(${options});
`;
const TIMEOUT = 120_000;

function command(one: Project, ...argv: string[]): ReturnType<Project["node"]> {
  return one.node([join(ROOT, "dist/src/cli/bin.js"), ...argv]);
}

function testsOf({ json }: Outcome): readonly JsonTest[] {
  return json.testResults.flatMap(({ assertionResults }) => assertionResults);
}

function failed(outcome: Outcome): string[] {
  return testsOf(outcome)
    .filter(({ status }) => status === "failed")
    .map(({ title }) => title);
}

test(
  "a written spec has a test for each scenario, and one that says when it is stale",
  { timeout: TIMEOUT },
  async () => {
    const one = project({ "vitest.config.mjs": CONFIG, "booking.workflow.mjs": WORKFLOW("") });
    const { code, output } = await command(one, "matrix", "booking.workflow.mjs");
    expect({ code, output }).toMatchObject({
      code: 0,
      output: expect.stringContaining("wrote booking.workflow.spec.mjs"),
    });
    const good = await one.run();
    expect(failed(good)).toEqual([]);
    const literal = one.read("booking.workflow.spec.mjs").match(/^ {2}test\(/gm)?.length;
    expect(testsOf(good)).toHaveLength(literal ?? 0);

    one.write({
      "booking.workflow.mjs": WORKFLOW(
        '{ agent: calendar.planted, faults: ["timeout_after", "timeout_before"].map((type) => ({ type, tool: "reserve_slot" })) }',
      ),
    });
    const stale = await one.run();
    expect(failed(stale)).toEqual(
      expect.arrayContaining([
        "has every scenario; else run: npx twiceshy matrix booking.workflow.mjs",
        "lost confirmation of reserve_slot",
      ]),
    );
    await command(one, "matrix", "booking.workflow.mjs");
    const anew = await one.run();
    expect(failed(anew)).toEqual(["lost confirmation of reserve_slot"]);
    expect(anew.output).toContain("Exactly one booking");
  },
);

test(
  "the starter of a template passes in a fresh project, 40 seconds of virtual time too",
  { timeout: TIMEOUT },
  async () => {
    const one = project({ "vitest.config.mjs": CONFIG });
    expect(await command(one, "init", "--template", "calendar", "--virtual-time")).toMatchObject({
      code: 0,
    });
    expect(await command(one, "init", "--template", "duplicate-delivery")).toMatchObject({
      code: 0,
    });
    const outcome = await one.run();
    expect(failed(outcome)).toEqual([]);
    const titles = testsOf(outcome).map(({ title }) => title);
    expect(titles).toContain("40 seconds of rest are 40 seconds on the trial's clock");
    expect(titles).toContain("duplicate delivery of credit_account");
  },
);
