import { failure } from "../shared/error.ts";
import { sha256 } from "../shared/hash.ts";
import { literal } from "../shared/literal.ts";
import { oneLine, title } from "../shared/text.ts";
import { scenariosOf } from "../workflow/scenarios.ts";
import type { Workflow } from "../workflow/workflow.ts";

/** Where a workflow is defined, seen from its spec. */
export interface WorkflowFile {
  /** What the spec imports: `./booking.workflow.ts`, with the ending that the project's compiler wants. */
  readonly path: string;
  /** Its export; `default` too. */
  readonly export: string;
  /** What the command is given to write the spec again. */
  readonly name: string;
}

const HEADER = "// Written by twiceshy; its tests are the scenarios of the workflow beside it.";
const DIGEST = /^\/\/ Digest of what follows: (?<digest>[0-9a-f]{16})$/;

/**
 * A Vitest spec with one test for the control and one for each scenario, titles as literals, for tools that read test files without
 * running them. Its first test fails when the workflow has other scenarios by now. The same bytes for the same workflow.
 */
export function matrixSpec(workflow: Workflow, file: WorkflowFile): string {
  const scenarios = scenariosOf(workflow).map((scenario) => ({
    id: scenario.id,
    title: title(scenario.title),
  }));
  const again = `npx twiceshy matrix ${title(file.name)}`;
  const body = [
    "",
    'import { describe, expect, scenarioTests, test } from "twiceshy/vitest";',
    importLine(file),
    "",
    "const trials = scenarioTests(workflow);",
    "",
    `describe(${literal(title(workflow.title ?? workflow.id))}, () => {`,
    `  test(${literal(title(`has every scenario; else run: ${again}`))}, async () => {`,
    "    expect(await trials.scenarios()).toEqual([",
    ...scenarios.map((one) => `      [${literal(one.id)}, ${literal(one.title)}],`),
    "    ]);",
    "  });",
    "",
    ...testLines({ id: "control", title: "control" }),
    ...named(scenarios).flatMap((one) => ["", testLines(one)].flat()),
    "});",
    "",
  ].join("\n");
  return `${HEADER}\n// Digest of what follows: ${digestOf(body)}\n${body}`;
}

const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;

function importLine(file: WorkflowFile): string {
  if (!IDENTIFIER.test(file.export)) {
    throw failure("E_WORKFLOW_EXPORT", {
      to: `write a spec for ${oneLine(file.name, 300)}`,
      because: `its export ${JSON.stringify(oneLine(file.export, 60))} is no name`,
      fix: "Export the workflow under a plain name",
    });
  }
  const clause =
    file.export === "default"
      ? "workflow"
      : file.export === "workflow"
        ? "{ workflow }"
        : `{ ${file.export} as workflow }`;
  return `import ${clause} from ${literal(file.path)};`;
}

function testLines({ id, title: text }: Named): string[] {
  return [
    `  test(${literal(text)}, async ({ skip }) => {`,
    `    await trials.run(${literal(id)}, skip);`,
    "  });",
  ];
}

interface Named {
  readonly id: string;
  readonly title: string;
}

/** Titles that several scenarios have are told apart by the id. */
function named(scenarios: readonly Named[]): Named[] {
  const count = new Map<string, number>([["control", 1]]);
  for (const { title: text } of scenarios) count.set(text, (count.get(text) ?? 0) + 1);
  return scenarios.map(({ id, title: text }) =>
    (count.get(text) ?? 0) > 1 ? { id, title: `${text} [${id}]` } : { id, title: text },
  );
}

/** Whether a text is a spec of a matrix as we wrote it, but for its layout: only such a file is written again. */
export function isUntouchedMatrixSpec(text: string): boolean {
  const lines = text.split(/\r?\n/);
  const digest = DIGEST.exec(lines[1] ?? "")?.groups?.["digest"];
  return lines[0] === HEADER && digest === digestOf(lines.slice(2).join("\n"));
}

/** What a formatter may change: white space, the kind of quotes, semicolons, trailing commas. */
function digestOf(body: string): string {
  const bare = body
    .replaceAll(/\\(?=["'])/g, "")
    .replaceAll(/["'`]/g, '"')
    .replaceAll(/[\s;]+/g, "")
    .replaceAll(/,(?=[)\]}])/g, "");
  return sha256(bare, 16);
}
