import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import { clip } from "../shared/text.ts";
import type { ToolResult, ToolStep } from "../trace/trace.ts";
import { commandOf } from "./claude-result.ts";
import { exitResult } from "./exit-code.ts";
import { objectIn, own, textIn } from "./member.ts";
import { plainAnswer } from "./responses-items.ts";
import { parsedText } from "./tool-result.ts";

/** What shells print before the output of a command. */
const ENDED =
  /^(?:Chunk ID: [^\n]*\n)?(?:Wall time:? [^\n]*\n)?(?:Process exited with code|Exit code:) (-?\d{1,5})\n/;
const RUNNING =
  /^(?:Chunk ID: [^\n]*\n)?(?:Wall time:? [^\n]*\n)?Process running with session ID [^\n]*\n/;
const BEFORE_OUTPUT = "Output:\n";

/** What an event beside the conversation says of a call. */
export interface CallEnd {
  readonly exitCode?: number | undefined;
  readonly failed?: string | undefined;
}

/** The result of a call of Codex: its exit code, its success flag or what an event said of it, then the text. */
export function codexResult(
  step: ToolStep,
  answer: { readonly output: Json; readonly item: JsonObject; readonly end: CallEnd | undefined },
): ToolResult {
  const { output, item, end } = answer;
  const command = commandOf(step.args);
  const value = typeof output === "string" ? parsedText(output) : output;
  if (isObject(value)) {
    const code = own(objectIn(value, "metadata"), "exit_code") ?? own(value, "exit_code");
    const printed = own(value, "output") ?? own(value, "content");
    if (typeof code === "number" && Number.isInteger(code) && typeof printed === "string") {
      return exitResult({ command, code, output: printed });
    }
    if (own(value, "success") === false && typeof printed === "string")
      return failed(printed, value);
  }
  if (typeof value === "string") {
    const found = ENDED.exec(value);
    if (found !== null)
      return exitResult({ command, code: Number(found[1]), output: printedIn(value) });
    if (RUNNING.test(value)) return { ok: true, data: { output: printedIn(value), running: true } };
  }
  if (end?.exitCode !== undefined) {
    return exitResult({
      command,
      code: end.exitCode,
      output: typeof value === "string" ? value : JSON.stringify(value),
    });
  }
  if (end?.failed !== undefined) return failed(end.failed, value);
  return plainAnswer(output, item);
}

function failed(message: string, data: Json): ToolResult {
  return {
    ok: false,
    error: { message: clip(message === "" ? "the call failed" : message, 1000), source: "flag" },
    data,
  };
}

function printedIn(text: string): string {
  const start = text.indexOf(BEFORE_OUTPUT);
  return start < 0 ? text : text.slice(start + BEFORE_OUTPUT.length);
}

/** What an event says of how a call ended; undefined when it says nothing of a call. */
export function callEnd(
  event: JsonObject,
): { readonly id: string; readonly end: CallEnd } | undefined {
  const id = textIn(event, "call_id");
  if (id === undefined) return undefined;
  const type = own(event, "type");
  if (type === "exec_command_end") {
    const code = own(event, "exit_code");
    return {
      id,
      end: { exitCode: typeof code === "number" && Number.isInteger(code) ? code : undefined },
    };
  }
  if (type === "patch_apply_end" && own(event, "success") === false) {
    return {
      id,
      end: {
        failed: textIn(event, "stderr") ?? textIn(event, "stdout") ?? "the patch was not applied",
      },
    };
  }
  if (type !== "mcp_tool_call_end") return undefined;
  const wrong = own(objectIn(event, "result"), "Err");
  if (wrong === undefined) return undefined;
  return { id, end: { failed: typeof wrong === "string" ? wrong : JSON.stringify(wrong) } };
}
