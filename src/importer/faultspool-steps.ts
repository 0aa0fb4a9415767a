import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import type { Step, ToolResult, TraceError } from "../trace/trace.ts";
import { argumentsOf, usageOf } from "./content.ts";
import { maybe, objectIn, own, textIn, textsIn } from "./member.ts";

/** One step of a Faultspool trace; a kind that we do not know is kept as it was. */
export function faultspoolStep(raw: Json, index: number): Step {
  if (!isObject(raw)) return { index, kind: "other", name: "unknown", content: raw };
  const kind = own(raw, "kind");
  const content = own(raw, "content") ?? null;
  const at = timeOf(raw);
  // The commonest steps are written out: spreading makes objects that everything after this reads slowly.
  if (kind === "tool") return toolStep(raw, index, at);
  if (kind === "input" || kind === "reasoning" || kind === "output")
    return at === undefined ? { index, kind, content } : { index, at, kind, content };
  const common = { index, ...maybe("at", at) };
  if (kind === "llm") return { ...common, kind: "model", ...modelOf(raw), content };
  if (kind === "error") return { ...common, kind, error: classError(messageIn(raw)) };
  const { idx: _idx, ts: _ts, kind: _kind, ...rest } = raw;
  return { ...common, kind: "other", name: textIn(raw, "kind") ?? "unknown", content: rest };
}

function modelOf(raw: JsonObject): Pick<Step & { kind: "model" }, "name" | "prompt" | "usage"> {
  const meta = objectIn(raw, "meta");
  return {
    ...maybe("name", textIn(raw, "name")),
    ...maybe("prompt", own(meta, "prompt") ?? undefined),
    ...maybe("usage", usageOf(own(meta, "usage")) ?? usageOf(meta)),
  };
}

function toolStep(raw: JsonObject, index: number, at: number | undefined): Step {
  const params = textsIn(objectIn(raw, "meta"), "params");
  const duration = own(raw, "duration_ms");
  const step: Step & { kind: "tool" } = {
    index,
    kind: "tool",
    name: textIn(raw, "name") ?? "unknown",
    args: argumentsOf(own(raw, "args")),
    result: faultspoolResult(raw, "content"),
  };
  if (at !== undefined) step.at = at;
  if (params !== undefined) step.params = params;
  if (typeof duration === "number" && duration >= 0) step.durationMs = duration;
  return step;
}

/**
 * What a tool answered. The format drops nulls, so a tool that returned null and one without a recorded result look
 * the same: both are read as an answer of null. Over MCP an error is a flag of the result, not something thrown.
 */
export function faultspoolResult(raw: JsonObject, member: "content" | "result"): ToolResult {
  const error = own(raw, "error");
  const data = own(raw, member) ?? null;
  if (error === undefined || error === null || error === "") return { ok: true, data };
  const text = typeof error === "string" ? error : JSON.stringify(error);
  const flagged = own(objectIn(raw, "meta"), "transport") === "mcp";
  return {
    ok: false,
    error: flagged ? { message: text, source: "flag" } : classError(text),
    ...maybe("data", data ?? undefined),
  };
}

/** `RuntimeError: HTTP 503` as class and message; an identifier directly before a colon is the class there. */
function classError(text: string): TraceError {
  const found = /^([A-Za-z_][\w.]{0,120}):(?:\s+|$)/.exec(text);
  if (found === null) return { message: text };
  return { ...maybe("name", found[1]), message: text.slice(found[0].length) };
}

function messageIn(raw: JsonObject): string {
  const value = own(raw, "error") ?? own(raw, "content") ?? "an error without a message";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function timeOf(raw: JsonObject): number | undefined {
  const seconds = own(raw, "ts");
  return typeof seconds === "number" && seconds > 0 ? Math.round(seconds * 1000) : undefined;
}
