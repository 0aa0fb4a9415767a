import { isObject, type Json } from "../shared/json.ts";
import { clip } from "../shared/text.ts";
import type { ToolResult, ToolStep } from "../trace/trace.ts";
import { exitResult } from "./exit-code.ts";
import { own, textIn } from "./member.ts";
import { toolResultOf } from "./tool-result.ts";

const EXIT = /^(?:Error: )?Exit code (\d{1,3})(?:\n|$)/;
const WRAPPER = "tool_use_error";
/** How the program says that the user, or a rule of his, did not let the agent do it. */
const DENIED = [
  "The user doesn't want to proceed with this tool use.",
  "The user doesn't want to take this action right now.",
  "Permission to use ",
  "Claude requested permissions to ",
];

/** What a tool block says: its flag first, with the exit code of a shell behind it, then what is written in the text. */
export function toolAnswer(
  step: ToolStep,
  answer: { readonly content: Json; readonly flagged: boolean; readonly told: Json | undefined },
): ToolResult {
  const { content, flagged, told } = answer;
  const text = typeof content === "string" ? unwrapped(content) : undefined;
  if (flagged && text !== undefined) {
    if (DENIED.some((opening) => text.startsWith(opening))) return denied(text);
    const code = EXIT.exec(text);
    if (code !== null) {
      const output = text.slice(code[0].length);
      return exitResult({ command: commandOf(step.args), code: Number(code[1]), output });
    }
  }
  const wrapped = text !== undefined && text !== content;
  if (isObject(told) && own(told, "interrupted") === true && !flagged) {
    const said = text === undefined || text === "" ? "the command was interrupted" : text;
    return {
      ok: false,
      error: { name: "Interrupted", message: clip(said, 300), source: "flag" },
      data: content,
    };
  }
  return toolResultOf(text ?? content, flagged || wrapped);
}

/** A person's decision, told as an error. */
export function denied(text: string): ToolResult {
  return {
    ok: false,
    error: { name: "PermissionDenied", message: clip(text, 300), source: "flag" },
    data: text,
  };
}

/** The command of a shell call, whatever the tool calls it. */
export function commandOf(args: Json): string {
  if (!isObject(args)) return "";
  const command = own(args, "command") ?? own(args, "cmd");
  const last = Array.isArray(command) ? command.at(-1) : command;
  return typeof last === "string" ? last : (textIn(args, "script") ?? "");
}

function unwrapped(text: string): string {
  const trimmed = text.trim();
  const whole = trimmed.startsWith(`<${WRAPPER}>`) && trimmed.endsWith(`</${WRAPPER}>`);
  return whole ? trimmed.slice(WRAPPER.length + 2, -(WRAPPER.length + 3)) : text;
}
