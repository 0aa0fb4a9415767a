import type { Json } from "../shared/json.ts";
import type { ToolResult, ToolStep } from "../trace/trace.ts";
import { commandOf } from "./claude-result.ts";
import type { AssistantTurn, Call, Turn } from "./conversation.ts";
import { exitResult } from "./exit-code.ts";
import { toolResultOf } from "./tool-result.ts";

/** What one of a group says: the one who asks, an agent, or the program that runs the agents' code. */
export interface Said {
  readonly who: "asker" | "agent" | "program";
  readonly name: string;
  readonly text: string;
}

const FENCE = /```([\w+-]{0,20})[^\S\n]*\n([^]*?)```/gu;
const SHELLS: ReadonlySet<string> = new Set([
  "sh",
  "bash",
  "shell",
  "console",
  "powershell",
  "ps1",
]);
const RAN = /^\s*exitcode: (-?\d{1,5})\s*(?:\([^)\n]{0,60}\))?\s*(?:\n\s*)?(?:Code output:\s*)?/iu;
/** By which a group says that it is done. */
const END = /(?:^|\s)TERMINATE\.?\s*$/u;
/** Messages at the end among which the answer may stand. */
const LAST = 4;
const FINAL = /^[^\S\n]*\**FINAL ANSWER:?\**:?[^\S\n]*/gimu;

/**
 * The talk of a group as turns: code in a fence is a call when the very next words are those of the program, or of the one
 * who asks and runs it himself. The word by which they agree to stop is taken out.
 */
export function groupTurns(talk: readonly Said[]): Turn[] {
  const turns = talk.flatMap(({ who, name, text }, place): Turn[] => {
    const before = talk[place - 1];
    if (who !== "agent" && before?.who === "agent" && codeIn(before.text) !== undefined)
      return [{ kind: "result", content: text, read: (step) => resultOf(step, text) }];
    if (who === "asker") return [{ kind: "user", content: text }];
    const next = talk[place + 1];
    const call = who === "agent" && next !== undefined && next.who !== "agent" && codeIn(text);
    return [spoken(name, text, call === false ? undefined : call)];
  });
  const end = turns.findLastIndex((turn) => turn.kind !== "assistant" || turn.text !== undefined);
  return turns.slice(0, end + 1);
}

/** What the group answered at its end, behind its mark; undefined when nobody marked it. */
export function finalAnswer(talk: readonly Said[]): string | undefined {
  for (const { text } of talk.slice(-LAST).toReversed()) {
    const mark = [...text.matchAll(FINAL)].at(-1);
    const answer =
      mark &&
      text
        .slice(mark.index + mark[0].length)
        .replace(END, "")
        .trim();
    if (answer !== undefined && answer !== "") return answer;
  }
  return undefined;
}

function spoken(name: string, text: string, call: Call | undefined): AssistantTurn {
  const said = text.replace(END, "").trim();
  const calls = call === undefined ? [] : [call];
  return { kind: "assistant", calls, model: name, ...(said === "" ? {} : { text: said }) };
}

/** All the code of a message, which is run together. */
function codeIn(text: string): Call | undefined {
  const blocks = [...text.matchAll(FENCE)];
  const code = blocks
    .map((block) => block[2] ?? "")
    .join("\n")
    .trim();
  if (code === "") return undefined;
  const language = (blocks[0]?.[1] ?? "").toLowerCase();
  const args: Json = SHELLS.has(language) ? { command: code } : { code };
  return { name: SHELLS.has(language) ? "bash" : language === "" ? "python" : language, args };
}

function resultOf(step: ToolStep, text: string): ToolResult {
  const ran = RAN.exec(text);
  if (ran === null) return toolResultOf(text);
  const output = text.slice(ran[0].length);
  return exitResult({ command: commandOf(step.args), code: Number(ran[1]), output });
}
