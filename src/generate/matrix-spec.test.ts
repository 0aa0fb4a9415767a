import * as fc from "fast-check";
import { expect, test } from "vitest";
import { defineWorld } from "../world/define.ts";
import type { Workflow } from "../workflow/workflow.ts";
import { hostileText } from "../testing/hostile.ts";
import { isUntouchedMatrixSpec, matrixSpec } from "./matrix-spec.ts";

const world = defineWorld({
  name: "calendar",
  state: { bookings: [] as string[] },
  tools: {
    reserve_slot: {
      kind: "write",
      execute: ({ slot }: { slot: string }, state) => state.bookings.push(slot),
    },
  },
});
const FILE = { path: "./booking.workflow.ts", export: "booking", name: "booking.workflow.ts" };

function workflow(parts: Partial<Workflow> = {}): Workflow {
  return {
    id: "booking",
    title: "Books one slot",
    agent: () => undefined,
    task: "",
    world,
    scenarios: [
      { id: "lost", faults: [{ type: "timeout_after", tool: "reserve_slot" }] },
      { id: "twice", faults: [{ type: "duplicate_delivery", tool: "reserve_slot" }] },
    ],
    ...parts,
  };
}

test("a spec has a test for the control and one for each scenario, with literal titles", () => {
  expect(matrixSpec(workflow(), FILE)).toMatchInlineSnapshot(`
    "// Written by twiceshy; its tests are the scenarios of the workflow beside it.
    // Digest of what follows: e4fac95d34c9d139

    import { describe, expect, scenarioTests, test } from "twiceshy/vitest";
    import { booking as workflow } from "./booking.workflow.ts";

    const trials = scenarioTests(workflow);

    describe("Books one slot", () => {
      test("has every scenario; else run: npx twiceshy matrix booking.workflow.ts", async () => {
        expect(await trials.scenarios()).toEqual([
          ["lost", "lost confirmation of reserve_slot"],
          ["twice", "duplicate delivery of reserve_slot"],
        ]);
      });

      test("control", async ({ skip }) => {
        await trials.run("control", skip);
      });

      test("lost confirmation of reserve_slot", async ({ skip }) => {
        await trials.run("lost", skip);
      });

      test("duplicate delivery of reserve_slot", async ({ skip }) => {
        await trials.run("twice", skip);
      });
    });
    "
  `);
});

test("a matrix is written out, the same bytes each time", () => {
  const spec = matrixSpec(workflow({ scenarios: "matrix" }), FILE);
  expect(spec).toBe(matrixSpec(workflow({ scenarios: "matrix" }), FILE));
  expect(spec.match(/^ {2}test\(/gm)?.length).toBeGreaterThan(10);
});

test("titles that several scenarios have are told apart by the id", () => {
  const twice = ["a", "b"].map((id) => ({ id, title: "same", faults: [] }));
  const spec = matrixSpec(workflow({ scenarios: twice }), FILE);
  expect(spec).toContain('test("same [a]",');
  expect(spec).toContain('test("same [b]",');
});

test("no title, id, path or name of a user becomes code, a pragma or another line", () => {
  fc.assert(
    fc.property(hostileText(), (text) => {
      const scenarios = [{ id: text, title: text, faults: [] }];
      const file = { path: `./${text}`, export: "default", name: text };
      const spec = matrixSpec(workflow({ title: text, scenarios }), file);
      const plain = matrixSpec(
        workflow({ title: "x", scenarios: [{ id: "x", title: "x", faults: [] }] }),
        {
          ...file,
          path: "./x",
          name: "x",
        },
      );
      expect(spec).not.toMatch(/@|\p{Cf}|[\u2028\u2029]/u);
      const shape = (code: string): string =>
        code.replace(/"(?:[^"\\\n]|\\.)*"/g, '""').replace(/Digest.*/, "");
      expect(shape(spec)).toBe(shape(plain));
      expect(isUntouchedMatrixSpec(spec)).toBe(true);
    }),
  );
});

test("an export that is no name is refused", () => {
  expect(() => matrixSpec(workflow(), { ...FILE, export: "a as b; evil()" })).toThrow(/is no name/);
});

test("a spec that was laid out anew is untouched, and one with another test is not", () => {
  const spec = matrixSpec(workflow(), FILE);
  expect(isUntouchedMatrixSpec(spec.replaceAll('"', "'").replaceAll("  ", "\t"))).toBe(true);
  expect(isUntouchedMatrixSpec(spec.replace('"lost"', '"list"'))).toBe(false);
});
