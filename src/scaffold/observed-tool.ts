import { effectOfName, runsPrograms } from "../detector/names.ts";
import { canonical, type Json, type JsonObject } from "../shared/json.ts";
import type { ToolStep, Trace } from "../trace/trace.ts";
import { asArguments } from "../workflow/arguments-object.ts";
import { aliasesOf } from "./alias.ts";
import { inferSchema } from "./infer-schema.ts";

/** Where the kind of a tool was taken from. */
export type KindSource = "recorded" | "name" | "guess";

/** What a recorded run shows of one tool. */
export interface ObservedTool {
  /** As agents call it: any text. */
  readonly name: string;
  /** As code calls it. */
  readonly alias: string;
  readonly kind: "read" | "write";
  readonly kindFrom: KindSource;
  readonly calls: number;
  /** Calls that ended in an error. */
  readonly failed: number;
  /** Calls that were never answered. */
  readonly unanswered: number;
  /** Whether equal calls were answered differently. */
  readonly varies: boolean;
  /** JSON Schema of the arguments that were seen. */
  readonly parameters: JsonObject;
}

/** The tools of a run, by their first call. */
export function observedTools({ steps }: Trace): ObservedTool[] {
  const byName = new Map<string, ToolStep[]>();
  for (const step of steps) {
    if (step.kind !== "tool") continue;
    const known = byName.get(step.name);
    if (known === undefined) byName.set(step.name, [step]);
    else known.push(step);
  }
  const aliases = aliasesOf([...byName.keys()]);
  return [...byName].map(([name, calls]) => observed(name, calls, aliases.get(name) ?? "tool"));
}

function observed(name: string, calls: readonly ToolStep[], alias: string): ObservedTool {
  return {
    name,
    alias,
    ...kindOf(name, calls),
    calls: calls.length,
    failed: calls.filter(({ result }) => result?.ok === false).length,
    unanswered: calls.filter(({ result }) => result === undefined).length,
    varies: varies(calls),
    parameters: inferSchema(calls.map(({ args }) => asArguments(args))),
  };
}

function kindOf(name: string, calls: readonly ToolStep[]): Pick<ObservedTool, "kind" | "kindFrom"> {
  const recorded = calls.find(({ write }) => write !== undefined)?.write;
  if (recorded !== undefined) return { kind: recorded ? "write" : "read", kindFrom: "recorded" };
  const effect = effectOfName(name);
  if (effect === "write") return { kind: "write", kindFrom: "name" };
  if (effect === "read") return { kind: "read", kindFrom: "name" };
  // What runs programs may change anything.
  return { kind: effect === "unknown" && runsPrograms(name) ? "write" : "read", kindFrom: "guess" };
}

function varies(calls: readonly ToolStep[]): boolean {
  const answers = new Map<string, string>();
  return calls.some(({ args, result }) => {
    if (result === undefined) return false;
    const [key, answer] = [canonical(args), canonical(result as Json)];
    const before = answers.get(key);
    answers.set(key, answer);
    return before !== undefined && before !== answer;
  });
}
