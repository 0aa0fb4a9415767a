import type { Style } from "../generate/style.ts";
import { importPath } from "../generate/style.ts";
import { literal } from "../shared/literal.ts";
import type { ObservedTool } from "./observed-tool.ts";
import type { ChosenCheck, ChosenFault, Proof } from "./proof.ts";

/** An agent of the user. */
export interface OwnAgent {
  /** As the folder of the scaffold sees it. */
  readonly path: string;
  /** An identifier. */
  readonly export: string;
}

/** What the code of a scaffold is made of: nothing of it is text of the trace but aliases. */
export interface CodeParts {
  /** A plain title, chosen by the user. */
  readonly title: string;
  readonly style: Style;
  readonly proof: Proof;
  /** Where the user's own agent is, when that is known. */
  readonly own?: OwnAgent | undefined;
  /** The number of a decision in the README. */
  readonly todo: (id: string) => number;
}

const FROM: Readonly<Record<ObservedTool["kindFrom"], string>> = {
  recorded: "as the trace says",
  name: "by its name",
  guess: "a guess",
};

/** The module with the world. */
export function worldCode({ title, style, proof, todo }: CodeParts): string {
  const typed = style.extension.endsWith("ts");
  const { tools } = proof;
  const write = tools.find(({ kind }) => kind === "write") ?? tools[0];
  const example = write?.alias ?? "tool";
  return [
    "// Written by twiceshy from a recorded run; it is yours to change. What a person must decide is marked TODO, and listed in README.md.",
    'import { defineWorld, openTrace } from "twiceshy";',
    "",
    `// TODO ${todo("kinds")}: a tool that changes something is a "write"; its accepted calls are kept in the state, under its alias.`,
    "const kinds = {",
    ...tools.map(({ alias, kind, kindFrom }) => `  ${alias}: "${kind}", // ${FROM[kindFrom]}`),
    typed ? "} as const;" : "};",
    "",
    "/** The recorded run in trace.json, and what tools.json knows of its tools. */",
    `const trace = openTrace(${style.self}, kinds);`,
    "",
    "/** The scripted agent, its task, and the tools' own names by alias. */",
    "export const { agent, endsAsRecorded, names, task } = trace;",
    "",
    "/** A world for one trial: each tool answers what it answered in the recorded run. */",
    "export function world() {",
    "  const { state, tools } = trace.play();",
    "  return defineWorld({",
    `    name: ${literal(title)},`,
    "    state,",
    "    tools: {",
    `      // TODO ${todo("answers")}: for what a service would really do, give a tool an execute of its own:`,
    `      //   [names.${example}]: { ...tools.${example}, execute: (args, state) => ({ … }) },`,
    ...tools.map(({ alias }) => `      [names.${alias}]: { ...tools.${alias} },`),
    "    },",
    "  });",
    "}",
    "",
  ].join("\n");
}

const BUILDERS: Readonly<Record<ChosenFault["type"], string>> = {
  timeout_after: "timeoutAfter",
  timeout_before: "timeoutBefore",
  unavailable: "unavailable",
};

/** The spec: the control, and one scenario. `world` is the world's file. */
export function specCode(parts: CodeParts, world: string): string {
  const { title, style, proof, todo } = parts;
  const { fault, limits } = proof;
  const { type, alias, occurrence } = fault;
  const at = occurrence === 1 ? "" : `, { occurrence: ${occurrence} }`;
  return [
    "// Written by twiceshy from a recorded run; it is yours to change. What a person must decide is marked TODO, and listed in README.md.",
    'import { describeWorkflow, fault } from "twiceshy/vitest";',
    `import { agent, endsAsRecorded, names, task, world } from ${literal(importPath(`./${world}`, style))};`,
    "",
    `describeWorkflow(${literal(title)}, {`,
    `  // TODO ${todo("agent")}: put your own agent here: ${ownText(parts)}. This one makes the`,
    "  // recorded calls, and stops at the first answer that was not recorded.",
    "  agent,",
    "  task,",
    "  world,",
    ...(limits?.toolCalls === undefined ? [] : [`  limits: { toolCalls: ${limits.toolCalls} },`]),
    "  scenarios: [",
    `    // TODO ${todo("fault")}: try others; scenarios: "matrix" tries every fault that applies, at every tool.`,
    "    {",
    `      id: ${literal(`${type.replace("_", "-")}-${alias}`)},`,
    `      faults: [fault.${BUILDERS[type]}(names.${alias}${at})],`,
    "    },",
    "  ],",
    "  checks: [",
    `    // TODO ${todo("checks")}: say what must be true at the end.`,
    ...proof.checks.flatMap((check) => checkLines(check, todo)),
    "    {",
    '      id: "ends-as-recorded",',
    "      test: ({ completion, faults }) => faults.length > 0 || endsAsRecorded(completion),",
    "    },",
    "  ],",
    "});",
    "",
  ].join("\n");
}

function ownText({ own, style }: CodeParts): string {
  if (own === undefined) return "async (task, { call }) => …";
  const clause = own.export === "default" ? "run" : `{ ${own.export} }`;
  return `import ${clause} from ${literal(importPath(own.path, style))}`;
}

function checkLines(
  { id, type, alias, max, broken }: ChosenCheck,
  todo: CodeParts["todo"],
): string[] {
  const tool = alias === undefined ? "" : `, tool: names.${alias}, max: ${max ?? 0}`;
  const line = `{ id: ${literal(id)}, type: "${type}"${tool} },`;
  if (broken === undefined) return [`    ${line}`];
  return [
    `    // TODO ${todo("broken-checks")}: the recorded run does not hold this one.`,
    `    // ${line}`,
  ];
}
