import type { ToolResult, TraceError } from "../trace/trace.ts";
import type { NotJson } from "./plain.ts";
import type { WorldIssue } from "./world.ts";

// The sentences for what is wrong with the simulation itself.

export function readMutates(tool: string, path: string): WorldIssue {
  return {
    side: "tool",
    code: "E_TOOL_READ_MUTATES",
    tool,
    message: `Failed to answer ${tool}: it is declared as a read and changed ${where(path)} of the state; nothing was committed. Declare it with kind "write", or change a copy (sort, reverse and splice change in place).`,
  };
}

export function toolCrashed(tool: string, what: string): WorldIssue {
  const hint = what.startsWith("DataCloneError")
    ? "Copy a part of the state by spreading it or by JSON.parse(JSON.stringify(it)); structuredClone takes no draft"
    : 'Correct its code, or throw toolError("CODE", "message") for an error that the service would answer';
  return {
    side: "tool",
    code: "E_TOOL_CRASHED",
    tool,
    message: `Failed to answer ${tool}: its execute crashed with ${what}; nothing was committed. ${hint}.`,
  };
}

export function badResult(tool: string, problem: NotJson): WorldIssue {
  return {
    side: "tool",
    code: "E_TOOL_RESULT",
    tool,
    message: `Failed to answer ${tool}: what it returned holds ${problem.found} at ${where(problem.pointer)}, which is not JSON; nothing was committed. Do this instead: ${problem.instead}.`,
  };
}

export function badWrite(tool: string, problem: NotJson): WorldIssue {
  return {
    side: "tool",
    code: "E_WORLD_STATE",
    tool,
    message: `Failed to commit ${tool}: it wrote ${problem.found} to ${where(problem.pointer)} of the state, which is not JSON; nothing was committed. Do this instead: ${problem.instead}.`,
  };
}

export function badParameters(tool: string, why: string): WorldIssue {
  return {
    side: "tool",
    code: "E_TOOL_PARAMETERS",
    tool,
    message: `Failed to check the arguments of ${tool}: ${why}. The tool did not run.`,
  };
}

export function rivalFailed(tool: string, why: string): WorldIssue {
  return {
    side: "world",
    code: "E_WORLD_RIVAL",
    tool,
    message: `Failed to make another client's change at ${tool}: ${why}; nothing was committed. Correct the fault's change or the world's rival.`,
  };
}

/** What the agent is told when the simulation itself is broken. */
export function brokenResult(tool: string): ToolResult {
  const message = `${tool} failed`;
  const error = { name: "ToolCrashed", code: "TOOL_CRASHED", message, retryable: false };
  return { ok: false, error };
}

/** What a call is answered that nobody waits for any more. */
export function cancelledResult(tool: string): ToolResult {
  const message = `${tool} was cancelled: the trial has ended`;
  return { ok: false, error: { name: "Cancelled", code: "CANCELLED", message, retryable: false } };
}

/** What a tool is told whose own call comes too late. */
export function lateCall(tool: string): TraceError {
  const message = `${tool} was called after the tool that calls it had ended`;
  return { name: "LateToolCall", code: "E_CALL_LATE", message, retryable: false };
}

export function unknownTool(tool: string): ToolResult {
  const message = `there is no tool named ${JSON.stringify(tool)}`;
  const error = { name: "UnknownTool", code: "UNKNOWN_TOOL", message, retryable: false };
  return { ok: false, error };
}

function where(pointer: string): string {
  return pointer === "" ? "the root" : pointer;
}
