import { existsSync } from "node:fs";
import { join } from "node:path";
import { styleOf } from "../generate/style.ts";
import { failure } from "../shared/error.ts";
import { literal } from "../shared/literal.ts";
import { nearest } from "../shared/nearest.ts";
import { oneLine } from "../shared/text.ts";
import type { Io } from "./io.ts";
import { type Template, templates } from "./templates.ts";

/** A test file that starts a project off. */
export interface Starter {
  readonly path: string;
  /** From the project's folder. */
  readonly name: string;
  readonly text: string;
}

/** The starter of a shipped world; throws E_TEMPLATE_UNKNOWN, and E_DESTINATION_EXISTS where there is a file. */
export function starterOf(io: Io, name: string, virtualTime: boolean): Starter {
  const known = templates();
  const template = known.find((one) => one.name === name);
  if (template === undefined) {
    const names = known.map((one) => one.name);
    const meant = nearest(name, names);
    throw failure("E_TEMPLATE_UNKNOWN", {
      to: `start with the template ${oneLine(name, 60)}`,
      because: "there is none of that name",
      fix:
        meant === undefined
          ? `Use one of ${names.join(", ")}`
          : `Write ${meant} if that is meant, or see "twiceshy templates"`,
    });
  }
  const folder = join(io.cwd, "tests");
  const { style } = styleOf(folder, io.cwd, false);
  const file = `${template.name}.fault.test${style.extension}`;
  const path = join(folder, file);
  if (existsSync(path)) {
    throw failure("E_DESTINATION_EXISTS", {
      to: `write tests/${file}`,
      because: "it exists already",
      fix: "Move it away; nothing is ever overwritten",
    });
  }
  const typed = style.extension.endsWith("ts");
  return {
    path,
    name: `tests/${file}`,
    text: virtualTime ? patientText(template, typed) : starterText(template),
  };
}

function starterText({ export: world, title, bug }: Template): string {
  return `import { ${world} } from "twiceshy/fixtures";
import { describeWorkflow } from "twiceshy/vitest";

// One test for the control, and one for each fault at each tool that the task needs. The shipped agent is safe.
// Put your own in its place: ${world}.workflow({ agent: run }), where run(task, { tools }) works the task.
// To see it fail: ${world}.workflow({ agent: ${world}.planted }).
// Its bug: ${oneLine(bug)}.
describeWorkflow(${literal(title)}, ${world}.workflow());
`;
}

function patientText({ export: world, title }: Template, typed: boolean): string {
  const [task, context] = typed ? ["task: never", "context: never"] : ["task", "context"];
  return `import { setTimeout as sleep } from "node:timers/promises";
import { ${world} } from "twiceshy/fixtures";
import { describeWorkflow, expect, test } from "twiceshy/vitest";

// An agent that rests for 40 seconds before it begins. In a trial time is virtual: nobody waits for it.
const patient = async (${task}, ${context}) => {
  await sleep(40_000);
  return ${world}.agent(task, context);
};

describeWorkflow(${literal(title)}, {
  ...${world}.workflow({ agent: patient }),
  clock: { startMs: 1_767_225_600_000, budgetMs: 600_000 },
});

test("40 seconds of rest are 40 seconds on the trial's clock", async ({ runTrial }) => {
  const { task, checks } = ${world};
  const { clock } = await runTrial({ agent: patient, task, world: ${world}(), checks });
  expect((clock?.endMs ?? 0) - (clock?.startMs ?? 0)).toBeGreaterThanOrEqual(40_000);
});
`;
}
