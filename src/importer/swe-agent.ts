import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import { taskIdOf } from "../trace/identity.ts";
import type { TraceStatus } from "../trace/trace.ts";
import { contentOf, isWrapper, usageOf } from "./content.ts";
import type { About, ImportedTrace, Importer } from "./importer.ts";
import { maybe, objectIn, objectsIn, own, textIn } from "./member.ts";
import { mostly } from "./mostly.ts";
import { StepList } from "./step-list.ts";
import { actionsOf, pushAction, type SweAction } from "./swe-action.ts";
import { resolvedScore, runName } from "./swe-score.ts";
import { parsedText } from "./tool-result.ts";

/** Members that tell other formats with a trajectory of actions. */
const FOREIGN = [
  "query_idx",
  "turn_history",
  "intent",
  "suite_name",
  "mistake_step",
  "test_result",
];

/** A run of SWE-agent: `{trajectory, history, info}` of every release, or the history alone. */
export const sweAgent: Importer = {
  name: "swe-agent",

  recognises(record: Json): boolean {
    if (!isObject(record) || FOREIGN.some((key) => Object.hasOwn(record, key))) return false;
    if (!Object.hasOwn(record, "trajectory")) return isHistory(record);
    const items = own(record, "trajectory");
    const named = Object.hasOwn(record, "history") || Object.hasOwn(record, "info");
    return Array.isArray(items) && named && (items.length === 0 || mostly(items, isItem));
  },

  read(record: Json, about: About): readonly ImportedTrace[] {
    if (!isObject(record)) return [];
    const info = objectIn(record, "info");
    const list = new StepList();
    const told = textIn(record, "problem_statement") ?? textIn(info, "problem_statement");
    const asked = told ?? firstRequest(record);
    const id = textIn(record, "instance_id") ?? runName(about.file);
    const task = asked ?? id;
    if (asked !== undefined) list.input(asked);
    const submission = textIn(info, "submission")?.replaceAll("\r\n", "\n").trim();
    for (const action of actionsOf(record)) pushAction(list, action);
    const output = submission === "" ? undefined : (submission ?? submittedIn(record));
    if (output !== undefined) list.output(output);
    const status = statusOf(textIn(info, "exit_status"), output !== undefined);
    const end = textIn(info, "exit_status");
    if (status === "error" || status === "timeout") {
      list.error({ name: "SweAgentExit", message: end ?? "exit", source: "flag" });
    }
    const score = resolvedScore(about, id);
    return [
      {
        draft: {
          task,
          ...maybe(
            "taskId",
            own(record, "instance_id") === undefined ? undefined : taskIdOf({ id }),
          ),
          agent: about.agent === "agent" ? "swe-agent" : about.agent,
          agentVersion: textIn(info, "swe_agent_version") ?? "0",
          source: "swe-agent",
          status,
          steps: list.steps,
          ...maybe("output", output),
          ...maybe("score", score),
          ...maybe("usage", usageIn(info)),
          meta: metaOf(record, { info, id }),
        },
        warnings: [
          ...(asked === undefined
            ? ["no message is from the user: the name stands for the task"]
            : []),
          ...list.unanswered(),
        ],
      },
    ];
  },
};

function isItem(item: Json): boolean {
  return (
    isObject(item) &&
    Object.hasOwn(item, "action") &&
    ["observation", "thought", "response"].some((key) => Object.hasOwn(item, key))
  );
}

function isHistory(record: JsonObject): boolean {
  const history = objectsIn(record, "history");
  return (
    history.length > 0 &&
    history.every((message) => typeof own(message, "role") === "string") &&
    history.some(
      (message) => Object.hasOwn(message, "message_type") || Object.hasOwn(message, "agent"),
    )
  );
}

/** The first thing that a user asked, behind the demonstrations. */
function firstRequest(record: JsonObject): Json | undefined {
  for (const message of objectsIn(record, "history")) {
    if (own(message, "role") !== "user" || own(message, "is_demo") === true) continue;
    if (own(message, "message_type") === "demonstration") continue;
    const content = contentOf(own(message, "content"));
    if (!isWrapper(content) && !isDemonstration(content)) return content;
  }
  return undefined;
}

function isDemonstration(content: Json): boolean {
  return typeof content === "string" && content.startsWith("Here is a demonstration of how to");
}

/** In a history alone, what the last `submit` answered. */
function submittedIn(record: JsonObject): string | undefined {
  if (Object.hasOwn(record, "info")) return undefined;
  const last: SweAction | undefined = actionsOf(record).at(-1);
  const text = last?.name === "submit" ? last.observation?.trim() : undefined;
  return text === "" ? undefined : text;
}

/** `submitted` says that work was handed in, not that there was any. */
function statusOf(exit: string | undefined, output: boolean): TraceStatus {
  if (exit === undefined || exit === "submitted") return output ? "ok" : "incomplete";
  return /time|exit_cost/.test(exit) ? "timeout" : "error";
}

function usageIn(info: JsonObject): ReturnType<typeof usageOf> {
  const stats = objectIn(info, "model_stats");
  // A replayed run counts nothing.
  if (own(stats, "tokens_sent") === 0) return undefined;
  return usageOf({
    ...maybe("input_tokens", own(stats, "tokens_sent")),
    ...maybe("output_tokens", own(stats, "tokens_received")),
  });
}

/** Model and cost; the settings of the run may hold keys and are left out. */
function metaOf(record: JsonObject, more: { info: JsonObject; id: string }): JsonObject {
  const raw = own(record, "replay_config");
  const config = typeof raw === "string" ? parsedText(raw) : raw;
  const agent = isObject(config) ? objectIn(config, "agent") : {};
  const system = objectsIn(record, "history").find((message) => own(message, "role") === "system");
  return {
    instance: more.id,
    ...maybe("environment", textIn(record, "environment")),
    ...maybe("exit_status", textIn(more.info, "exit_status")),
    ...maybe("model", textIn(objectIn(agent, "model"), "name")),
    ...maybe("cost", own(objectIn(more.info, "model_stats"), "instance_cost")),
    ...maybe("system", system === undefined ? undefined : contentOf(own(system, "content"))),
  };
}
