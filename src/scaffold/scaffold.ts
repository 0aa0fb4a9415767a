import type { Style } from "../generate/style.ts";
import { failure } from "../shared/error.ts";
import { fileText, type Json } from "../shared/json.ts";
import type { Trace } from "../trace/trace.ts";
import { TOOLS_FILE, TRACE_FILE } from "../workflow/open-trace.ts";
import { specCode, worldCode, type CodeParts, type OwnAgent } from "./code.ts";
import { draftDecisions, specDecisions, type Decision } from "./decisions.ts";
import { observedTools, type ObservedTool } from "./observed-tool.ts";
import { proveScaffold } from "./proof.ts";
import { readmeText } from "./readme.ts";

/** Version of `tools.json`. */
const VERSION = 1;

/** One file of a scaffold. */
export interface ScaffoldFile {
  /** Beside the others; never a path. */
  readonly name: string;
  readonly text: string;
}

/** What is to be written, and what is left to decide. */
export interface Scaffold {
  readonly files: readonly ScaffoldFile[];
  readonly tools: readonly ObservedTool[];
  readonly decisions: readonly Decision[];
}

/** A trace as it was read. */
export interface Source {
  readonly trace: Trace;
  /** What its reader found odd. */
  readonly warnings: readonly string[];
}

export interface ScaffoldOptions {
  /** A plain name, `[a-z0-9-]`: title and file names. */
  readonly name: string;
  readonly style: Style;
  /** The importer's name. */
  readonly format: string;
  readonly own?: OwnAgent | undefined;
}

/** The redacted trace and what it shows of its tools. Throws E_SCAFFOLD_EMPTY for a trace without tool calls. */
export function draftScaffold(source: Source): Scaffold {
  const { trace, warnings } = source;
  const tools = observedTools(trace);
  if (tools.length === 0) throw empty("it has no tool call");
  const decisions = draftDecisions(trace, tools, warnings.length > 0);
  return { files: draftFiles(source, tools, decisions), tools, decisions };
}

/**
 * A fault test made of a recorded run (redacted already): world, spec, README and draft, the same bytes for the same trace. What is
 * written was tried out: the control passes, and the fault is reached.
 * @throws E_SCAFFOLD_EMPTY, E_SCAFFOLD_CONTROL or E_SCAFFOLD_FAULT for a trace that no test can be made of
 */
export async function scaffold(
  source: Source,
  { name, style, format, own }: ScaffoldOptions,
): Promise<Scaffold> {
  const { trace, warnings } = source;
  const observed = draftScaffold(source).tools;
  if (observed.every(({ calls, unanswered }) => calls === unanswered))
    throw empty("none of its tool calls was answered");
  const proof = await proveScaffold(trace, observed);
  const { tools } = proof;
  const decisions = [...specDecisions(proof), ...draftDecisions(trace, tools, warnings.length > 0)];
  const places = new Map(decisions.map(({ id }, index) => [id, index + 1]));
  const parts: CodeParts = { title: name, style, proof, own, todo: (id) => places.get(id) ?? 0 };
  const files = { world: `world${style.extension}`, spec: `${name}.fault.test${style.extension}` };
  const calls = tools.reduce((sum, tool) => sum + tool.calls, 0);
  const readme = readmeText({ title: name, format, calls, proof, decisions, files });
  return {
    files: [
      { name: "README.md", text: readme },
      { name: files.spec, text: specCode(parts, files.world) },
      { name: files.world, text: worldCode(parts) },
      ...draftFiles(source, tools, decisions),
    ],
    tools,
    decisions,
  };
}

function draftFiles(
  { trace, warnings }: Source,
  tools: readonly ObservedTool[],
  decisions: readonly Decision[],
): ScaffoldFile[] {
  const about = {
    formatVersion: VERSION,
    status: "needs_review",
    decisions: decisions.map(({ id, text }) => ({ id, text })),
    ...(warnings.length === 0 ? {} : { warnings: [...warnings] }),
    tools: Object.fromEntries(tools.map((tool) => [tool.alias, factsOf(tool)])),
  };
  return [
    { name: TOOLS_FILE, text: fileText(about) },
    { name: TRACE_FILE, text: fileText(trace as unknown as Json) },
  ];
}

function factsOf(tool: ObservedTool): Json {
  const { name, kind, kindFrom, calls, failed, unanswered, parameters } = tool;
  return { name, kind, kindFrom, calls, failed, unanswered, parameters };
}

function empty(because: string): Error {
  return failure("E_SCAFFOLD_EMPTY", {
    to: "scaffold from the trace",
    because,
    fix: "Choose a trace in which the agent called tools and was answered",
  });
}
