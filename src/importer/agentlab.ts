import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import type { Score, TraceError, TraceStatus } from "../trace/trace.ts";
import type { About, ImportedTrace, Importer } from "./importer.ts";
import { maybe, own, textIn } from "./member.ts";
import { StepList } from "./step-list.ts";
import { namedError } from "./tool-error.ts";

/** What AgentLab says when a person stopped the run. */
const STOPPED = "KeyboardInterrupt";
const RUN_FOLDER = /_on_([\w.-]+?)(?:_(\d+))?(?:_[\da-f]{6,})?$/;

/** The summary of a run of AgentLab. Its steps lie in pickles beside it, which are never opened. */
export const agentLab: Importer = {
  name: "agentlab",

  recognises(record: Json): boolean {
    return (
      isObject(record) && Object.hasOwn(record, "cum_reward") && Object.hasOwn(record, "n_steps")
    );
  },

  read(record: Json, about: About): readonly ImportedTrace[] {
    if (!isObject(record)) return [];
    const task = taskOf(about.file);
    const list = new StepList();
    const error = errorOf(record);
    const status = statusOf(record, error);
    if (error !== undefined && status === "error") list.error(error);
    const score = status === "incomplete" ? passedScore(record) : scoreOf(record);
    const usage = usageOf(record);
    return [
      {
        draft: {
          task,
          agent: about.agent,
          agentVersion: "0",
          source: "agentlab",
          status,
          steps: list.steps,
          ...maybe("score", score),
          ...maybe("usage", usage),
          truncated: "steps_in_pickles",
          meta: metaOf(record),
        },
        warnings: [
          "its steps lie in pickles, which are never opened: only its end and its score are read",
          ...(task === null ? ["the folder does not name the task"] : []),
        ],
      },
    ];
  },
};

/** The folder of a run is named after the agent and the task. */
function taskOf(file: string): Json {
  const found = RUN_FOLDER.exec(file.split(/[\\/]/).at(-2) ?? "");
  return found === null ? null : { task_name: found[1] ?? "", ...maybe("seed", found[2]) };
}

function errorOf(record: JsonObject): TraceError | undefined {
  const message = textIn(record, "err_msg");
  if (message === undefined) return undefined;
  const last = textIn(record, "stack_trace")?.trimEnd().split("\n").at(-1);
  return { ...namedError(last?.endsWith(message) === true ? last : message), source: "flag" };
}

function statusOf(record: JsonObject, error: TraceError | undefined): TraceStatus {
  if (error !== undefined) {
    const stopped = error.message.includes(STOPPED) || error.name === STOPPED;
    return stopped ? "incomplete" : "error";
  }
  if (own(record, "truncated") === true) return "timeout";
  return own(record, "terminated") === true ? "ok" : "incomplete";
}

/** A sum over the steps, which may be more than 1. */
function scoreOf(record: JsonObject): Score | undefined {
  const value = own(record, "cum_reward");
  return typeof value === "number"
    ? { name: "cum_reward", value, best: 1, passed: value >= 1 }
    : undefined;
}

/** What a run that was stopped before its end has not earned says nothing. */
function passedScore(record: JsonObject): Score | undefined {
  const score = scoreOf(record);
  return score?.passed === true ? score : undefined;
}

function usageOf(record: JsonObject): { inputTokens?: number; outputTokens?: number } | undefined {
  const input =
    own(record, "stats.cum_openai_prompt_tokens") ?? own(record, "stats.cum_input_tokens");
  const output =
    own(record, "stats.cum_openai_completion_tokens") ?? own(record, "stats.cum_output_tokens");
  if (!isCount(input) || !isCount(output)) return undefined;
  return { inputTokens: input, outputTokens: output };
}

function isCount(value: Json | undefined): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function metaOf(record: JsonObject): JsonObject {
  const names = [
    "n_steps",
    "cum_raw_reward",
    "terminated",
    "truncated",
    "err_msg",
    "stats.cum_step_elapsed",
  ];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = own(record, name);
      return value === undefined || value === null ? [] : [[name, value] as const];
    }),
  );
}
