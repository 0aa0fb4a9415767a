import { isObject, type Json } from "../shared/json.ts";
import type { ToolResult, ToolStep } from "../trace/trace.ts";
import { commandOf } from "./claude-result.ts";
import { argumentsOf } from "./content.ts";
import type { AssistantTurn, Call, ResultTurn, Turn } from "./conversation.ts";
import { exitResult } from "./exit-code.ts";
import { own, textIn } from "./member.ts";
import { observed } from "./swe-action.ts";
import { parsedText, toolResultOf } from "./tool-result.ts";

/** How harnesses head what a tool gave, when they send it in the user's name. */
const HEADS = /^(?:OBSERVATION:\n?|Observation: ?|EXECUTION RESULT of \[[\w.-]{1,80}\]:\n?)/;
const EXIT =
  /\[(?:The command completed|Command finished|Command completed) with exit code (-?\d{1,5})\.?\]/;

/** A text with its calls taken out. */
interface Spoken {
  readonly text: string;
  readonly calls: readonly Call[];
}

/**
 * Models without calls of their own write them into their text, as `<function=name><parameter=key>…` or
 * `<tool_call>{"name", "arguments"}</tool_call>`, and are answered in the user's name. Turns with such calls as calls and
 * results; other turns stay.
 */
export function withTextCalls(turns: readonly Turn[]): Turn[] {
  const read: Turn[] = [];
  let waiting: readonly Call[] = [];
  for (const [place, turn] of turns.entries()) {
    if (turn.kind === "assistant") {
      const spoken = spokenIn(turn) ?? fenced(turn, turns[place + 1]);
      waiting = spoken?.calls ?? [];
      read.push(spoken === undefined ? turn : withCalls(turn, spoken));
    } else if (turn.kind === "user" && waiting.length > 0 && typeof turn.content === "string") {
      read.push(...resultsIn(turn.content, waiting.length));
      waiting = [];
    } else {
      read.push(turn);
      waiting = [];
    }
  }
  return read;
}

function spokenIn(turn: AssistantTurn): Spoken | undefined {
  if (turn.calls.length > 0 || typeof turn.text !== "string") return undefined;
  const { text } = turn;
  const spoken = text.includes("<function=")
    ? functionCalls(text)
    : text.includes("<tool_call>")
      ? jsonCalls(text)
      : undefined;
  return spoken === undefined || spoken.calls.length === 0 ? undefined : spoken;
}

/** A command in the fence at the end of a text, when what follows is headed as its answer. */
function fenced(turn: AssistantTurn, next: Turn | undefined): Spoken | undefined {
  const answered =
    next?.kind === "user" && typeof next.content === "string" && HEADS.test(next.content);
  if (!answered || turn.calls.length > 0 || typeof turn.text !== "string") return undefined;
  const text = turn.text.trimEnd();
  const start = text.endsWith("```") ? text.lastIndexOf("```", text.length - 4) : -1;
  if (start < 0) return undefined;
  const command = text
    .slice(start + 3, -3)
    .replace(/^\w{0,20}\n/, "")
    .trim();
  return command === ""
    ? undefined
    : { text: text.slice(0, start), calls: [{ name: "bash", args: { command } }] };
}

function withCalls(turn: AssistantTurn, { text, calls }: Spoken): AssistantTurn {
  const { text: _whole, ...rest } = turn;
  return text.trim() === "" ? { ...rest, calls } : { ...rest, text: text.trim(), calls };
}

function functionCalls(text: string): Spoken {
  const open = /<function=([\w.-]{1,120})>/g;
  const calls: Call[] = [];
  let said = "";
  let from = 0;
  for (;;) {
    open.lastIndex = from;
    const opened = open.exec(text);
    const call = opened === null ? undefined : functionAt(text, opened.index + opened[0].length);
    if (opened === null || call === undefined) return { text: said + text.slice(from), calls };
    calls.push({ name: opened[1] ?? "unknown", args: call.args });
    said += text.slice(from, opened.index);
    from = call.end;
  }
}

/** The parameters of a call; undefined when it has no end. */
function functionAt(text: string, start: number): { args: Json; end: number } | undefined {
  const open = /\s*<parameter=([\w.-]{1,120})>/y;
  const close = /<\/parameter>(?=\s*(?:<parameter=|<\/function>))/g;
  const args = new Map<string, string>();
  let from = start;
  for (;;) {
    open.lastIndex = from;
    const opened = open.exec(text);
    if (opened === null) break;
    const begin = from + opened[0].length;
    close.lastIndex = begin;
    const closed = close.exec(text);
    if (closed === null) return undefined;
    args.set(opened[1] ?? "", text.slice(begin, closed.index).replace(/^\n|\n$/g, ""));
    from = closed.index + closed[0].length;
  }
  const end = text.indexOf("</function>", from);
  return end < 0 ? undefined : { args: Object.fromEntries(args), end: end + "</function>".length };
}

function jsonCalls(text: string): Spoken {
  const calls: Call[] = [];
  let said = "";
  let from = 0;
  for (;;) {
    const start = text.indexOf("<tool_call>", from);
    const end = start < 0 ? -1 : text.indexOf("</tool_call>", start);
    const value = end < 0 ? null : parsedText(text.slice(start + "<tool_call>".length, end).trim());
    const name = isObject(value) ? textIn(value, "name") : undefined;
    if (!isObject(value) || name === undefined) return { text: said + text.slice(from), calls };
    calls.push({ name, args: argumentsOf(own(value, "arguments") ?? own(value, "parameters")) });
    said += text.slice(from, start);
    from = end + "</tool_call>".length;
  }
}

/** What the tools gave: one element a result, or all of the text for one call. */
function resultsIn(content: string, calls: number): Turn[] {
  const parts = responses(content);
  if (parts.length > 0) return parts.map((part) => resultTurn(part));
  const text = content.replace(HEADS, "");
  if (calls === 1 || text !== content) return [resultTurn(text, text !== content)];
  return [{ kind: "user", content }];
}

function responses(text: string): string[] {
  const found: string[] = [];
  for (
    let from = text.indexOf("<tool_response>");
    from >= 0;
    from = text.indexOf("<tool_response>", from)
  ) {
    const end = text.indexOf("</tool_response>", from);
    if (end < 0) break;
    found.push(text.slice(from + "<tool_response>".length, end).trim());
    from = end;
  }
  return found;
}

function resultTurn(content: string, headed = false): ResultTurn {
  return { kind: "result", content, read: (step) => resultOf(step, content, headed) };
}

function resultOf(step: ToolStep, content: string, headed: boolean): ToolResult {
  const exit = EXIT.exec(content.slice(-600));
  if (exit === null) return headed ? observed(content) : toolResultOf(content);
  const output = content.slice(0, content.lastIndexOf(exit[0])).trimEnd();
  return exitResult({ command: commandOf(step.args), code: Number(exit[1]), output });
}
