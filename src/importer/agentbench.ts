import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import type { Score, TraceError, TraceStatus } from "../trace/trace.ts";
import { pushTalk } from "./agentbench-talk.ts";
import { epochMs } from "./instant.ts";
import type { About, Draft, ImportedTrace, Importer } from "./importer.ts";
import { chatTrace } from "./chat.ts";
import { maybe, objectIn, objectsIn, own, textIn } from "./member.ts";
import { mostly } from "./mostly.ts";
import { isMessages } from "./messages.ts";
import { StepList } from "./step-list.ts";
import { namedError } from "./tool-error.ts";

/** One line of AgentBench's `runs.jsonl` or `error.jsonl`: `{index, error, info, output: {status, result, history}, time}`. */
export const agentBench: Importer = {
  name: "agentbench",

  recognises(record: Json): boolean {
    if (!isObject(record)) return false;
    const output = own(record, "output");
    if (isObject(output)) return isTalk(own(output, "history"));
    return (
      (output === null || output === undefined) &&
      ["index", "error", "info", "time"].every((key) => Object.hasOwn(record, key))
    );
  },

  read(record: Json, about: About): readonly ImportedTrace[] {
    if (!isObject(record)) return [];
    const output = objectIn(record, "output");
    const history = objectsIn(output, "history");
    const { draft, warnings } = calls(history)
      ? chatTrace({ format: "agentbench", messages: messagesOf(history), record, about })
      : talked(history, about);
    return [{ draft: ended(draft, record), warnings }];
  },
};

function isTalk(history: Json | undefined): boolean {
  return (
    Array.isArray(history) &&
    (history.length === 0 ||
      mostly(history, (entry) => isObject(entry) && typeof own(entry, "role") === "string"))
  );
}

/** Whether a history is one of function calling, which has OpenAI messages. */
function calls(history: readonly JsonObject[]): boolean {
  return (
    isMessages(messagesOf(history)) &&
    history.some(
      (entry) => own(entry, "role") === "tool" || objectsIn(entry, "tool_calls").length > 0,
    )
  );
}

function messagesOf(history: readonly JsonObject[]): JsonObject[] {
  return history.map((entry) =>
    own(entry, "role") === "agent" ? { ...entry, role: "assistant" } : entry,
  );
}

function talked(history: readonly JsonObject[], about: About): ImportedTrace {
  const list = new StepList();
  const { task, output } = pushTalk(list, history);
  if (output !== undefined) list.output(output);
  return {
    draft: {
      task: task ?? null,
      agent: about.agent,
      agentVersion: "0",
      source: "agentbench",
      status: output === undefined ? "incomplete" : "ok",
      steps: list.steps,
      ...maybe("output", output),
    },
    warnings: task === undefined ? ["no message is from the user"] : [],
  };
}

/** What the benchmark says of the end: `completed` is a normal end, not a right answer. */
function ended(draft: Draft, record: JsonObject): Draft {
  const output = objectIn(record, "output");
  const result = own(output, "result");
  const status = textIn(output, "status");
  const error = errorOf(record, status);
  const told = typeof result === "string" && result !== "" ? result : undefined;
  const answer = draft.output ?? (error === undefined ? told : undefined);
  const steps = [...draft.steps];
  if (draft.output === undefined && answer !== undefined) {
    steps.push({ index: steps.length, kind: "output", content: answer });
  }
  if (error !== undefined) steps.push({ index: steps.length, kind: "error", error });
  const score = scoreOf(result);
  const seen = epochMs(own(objectIn(record, "time"), "timestamp"));
  return {
    ...draft,
    status: statusOf(status, error, answer !== undefined),
    steps,
    ...maybe("output", answer),
    ...maybe("score", score),
    ...maybe("endedAt", seen),
    meta: {
      ...draft.meta,
      ...maybe("index", own(record, "index") ?? own(output, "index")),
      ...maybe("status", status),
      ...maybe("result", result),
    },
  };
}

function errorOf(record: JsonObject, status: string | undefined): TraceError | undefined {
  const message = textIn(record, "error");
  if (message !== undefined) return { ...namedError(message), source: "flag" };
  const normal = status === undefined || ["completed", "running", "unknown"].includes(status);
  return normal ? undefined : { name: "AgentBenchStatus", message: status, source: "flag" };
}

function statusOf(
  status: string | undefined,
  error: TraceError | undefined,
  answered: boolean,
): TraceStatus {
  if (status?.includes("limit") === true) return "timeout";
  if (error !== undefined) return "error";
  if (status === "running" || status === "unknown") return "incomplete";
  return answered || status === "completed" ? "ok" : "incomplete";
}

/** A flag, or a reward of which 1 is the best; each task calls it otherwise. */
function scoreOf(result: Json | undefined): Score | undefined {
  if (typeof result === "boolean") return { name: "result", value: result, passed: result };
  if (!isObject(result)) return undefined;
  for (const name of ["is_correct", "result", "success", "reward", "score"]) {
    const value = own(result, name);
    if (typeof value === "boolean") return { name, value, passed: value };
    if (typeof value === "number") return { name, value, best: 1, passed: value >= 1 };
  }
  return undefined;
}
