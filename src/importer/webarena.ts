import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import { taskIdOf } from "../trace/identity.ts";
import { scoreOf } from "./chat.ts";
import type { ToolResult } from "../trace/trace.ts";
import type { About, ImportedTrace, Importer } from "./importer.ts";
import { maybe, own, textIn } from "./member.ts";
import { isMessages } from "./messages.ts";
import { StepList } from "./step-list.ts";
import { namedError } from "./tool-error.ts";

const TASK = ["intent", "task", "instruction", "goal"];
/** `click [12]`, `type [3] [text]`, `stop [answer]`. */
const WRITTEN = /^([A-Za-z_]\w{0,60})(?:\s*[[(]([^]*)[\])])?$/;

/** A log of browser actions: `{intent, task_id, actions}`, as WebArena-like harnesses write it. */
export const webarena: Importer = {
  name: "webarena",

  recognises(record: Json): boolean {
    if (!isObject(record) || isMessages(record["trajectory"])) return false;
    const named =
      Object.hasOwn(record, "intent") ||
      (Object.hasOwn(record, "task_id") && taskOf(record) !== undefined);
    const actions = actionsOf(record);
    return named && actions !== undefined && actions.every((action) => isAction(action));
  },

  read(record: Json, about: About): readonly ImportedTrace[] {
    if (!isObject(record)) return [];
    const list = new StepList();
    const task = taskOf(record) ?? null;
    list.input(task);
    let answer: Json | undefined;
    for (const action of actionsOf(record) ?? []) answer = push(list, action) ?? answer;
    const output = own(record, "answer") ?? answer;
    const given = output !== undefined && output !== null;
    if (given) list.output(output);
    const score = scoreOf(record);
    return [
      {
        draft: {
          task,
          taskId: taskIdOf({ task_id: own(record, "task_id") ?? null, task }),
          agent: about.agent,
          agentVersion: "0",
          source: "webarena",
          status: given ? "ok" : "incomplete",
          steps: list.steps,
          ...(given ? { output } : {}),
          ...maybe(
            "score",
            score === undefined
              ? undefined
              : { ...score, name: score.name === "success" ? "benchmark_success" : score.name },
          ),
          meta: {
            ...maybe("task_id", own(record, "task_id")),
            ...maybe("sites", own(record, "sites")),
          },
        },
        warnings: [],
      },
    ];
  },
};

function taskOf(record: JsonObject): string | undefined {
  return TASK.map((key) => textIn(record, key)).find((text) => text !== undefined);
}

function actionsOf(record: JsonObject): Json[] | undefined {
  const actions = own(record, "actions") ?? own(record, "trajectory");
  return Array.isArray(actions) ? actions : undefined;
}

function isAction(action: Json): boolean {
  if (typeof action === "string") return true;
  return (
    isObject(action) &&
    ["action", "action_type"].some((key) => typeof own(action, key) === "string")
  );
}

/** One action; what a `stop` says is the answer. */
function push(list: StepList, action: Json): Json | undefined {
  const object = isObject(action) ? action : {};
  list.reasoning(own(object, "thought") ?? own(object, "reasoning"));
  const text = typeof action === "string" ? action : (textIn(object, "action") ?? "");
  const written = WRITTEN.exec(text.trim());
  const type = (
    textIn(object, "action_type") ??
    written?.[1] ??
    text.trim().split(/[\s[(]/, 1)[0] ??
    ""
  ).toLowerCase();
  const inside = written?.[2]?.trim();
  if (type === "stop" || type === "finish")
    return own(object, "answer") ?? (inside === "" ? undefined : inside);
  list.tool({
    name: type === "" ? "unknown" : type,
    args: argsOf(object, text),
    result: resultOf(object),
  });
  return undefined;
}

/** What the page showed after the action, and what went wrong with it. */
function resultOf(action: JsonObject): ToolResult | undefined {
  const seen = own(action, "observation") ?? own(action, "url");
  const message = textIn(action, "error");
  if (message !== undefined) {
    return { ok: false, error: { ...namedError(message), source: "flag" }, ...maybe("data", seen) };
  }
  return seen === undefined || seen === null ? undefined : { ok: true, data: seen };
}

function argsOf(object: JsonObject, text: string): JsonObject {
  const beside = new Set([
    "action_type",
    "thought",
    "reasoning",
    "observation",
    "url",
    "error",
    "screenshot",
  ]);
  const rest = Object.entries(object).filter(([name]) => name !== "action" && !beside.has(name));
  return { ...(text === "" ? {} : { action: text }), ...Object.fromEntries(rest) };
}
