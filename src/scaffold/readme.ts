import type { Decision } from "./decisions.ts";
import type { Proof } from "./proof.ts";
import { faultText } from "./decisions.ts";

/** What the README of a scaffold tells. */
export interface ReadmeParts {
  readonly title: string;
  readonly format: string;
  readonly calls: number;
  readonly proof: Proof;
  readonly decisions: readonly Decision[];
  readonly files: { readonly world: string; readonly spec: string };
}

/** The README.md of a scaffold. Holds no text of the trace. */
export function readmeText(parts: ReadmeParts): string {
  const { title, format, calls, proof, decisions, files } = parts;
  const { tools, fault, underFault } = proof;
  const [call, tool] = [calls === 1 ? "call" : "calls", tools.length === 1 ? "tool" : "tools"];
  return [
    `# ${title}`,
    "",
    `Written by \`twiceshy scaffold\` from one recorded run (format: \`${format}\`) with ${calls} ${call} of ${tools.length} ${tool}. All files are yours to change.`,
    "",
    "```sh",
    `npx vitest run ${files.spec}`,
    "```",
    "",
    `The test \`control\` plays the recorded run back without a fault, and passes. The other one puts a fault in its way: ${faultText(fault)}; it ${underFault === "passed" ? "passes, as the scripted agent stops and says so" : "fails with the scripted agent"}.`,
    "",
    "| file | what it holds |",
    "| --- | --- |",
    `| \`${files.spec}\` | the tests: agent, scenarios, checks |`,
    `| \`${files.world}\` | the world: each tool answers what it answered in the recorded run |`,
    "| `tools.json` | the tools' own names and the schemas of their arguments, by alias |",
    "| `trace.json` | the recorded run, redacted |",
    "",
    "## What a person must decide",
    "",
    "The numbers are those of the TODOs in the code.",
    "",
    ...decisions.map(({ text }, index) => `${index + 1}. ${text}`),
    "",
  ].join("\n");
}
