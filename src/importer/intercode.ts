import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import { clip } from "../shared/text.ts";
import { taskIdOf } from "../trace/identity.ts";
import type { ToolResult } from "../trace/trace.ts";
import type { About, ImportedTrace, Importer } from "./importer.ts";
import { maybe, objectIn, objectsIn, own, textIn } from "./member.ts";
import { looksPython, pythonValue } from "./python-repr.ts";
import { StepList } from "./step-list.ts";
import { toolResultOf } from "./tool-result.ts";

/** What one environment of InterCode runs. */
interface Environment {
  readonly tool: string;
  readonly argument: string;
}

const SHELL: Environment = { tool: "bash", argument: "command" };
const ENVIRONMENTS: ReadonlyMap<string, Environment> = new Map([
  ["ic_bash", SHELL],
  ["ic_ctf", SHELL],
  ["ic_python", { tool: "python", argument: "code" }],
  ["ic_sql", { tool: "sql", argument: "query" }],
  ["ic_swe", SHELL],
]);
/** How the agents of the collection write an action. */
const WRAPPED = /^execute\[([^]*)\]$/i;
const SUBMIT = /^submit(?:\s*\[([^]*)\]|\s+([^]*))?$/i;
const TIMED_OUT = /^Command timed out\b/;

interface Turn {
  readonly action: string;
  readonly thought?: Json;
  /** Missing when the run ended before the answer. */
  readonly observation?: Json;
  readonly valid?: boolean;
}

/** Runs of InterCode: `{turn_history, summary}`, `{query_idx, trajectory}` of older SQL runs, or `{meta, logs}` of them. */
export const intercode: Importer = {
  name: "intercode",

  recognises(record: Json): boolean {
    if (!isObject(record)) return false;
    if (isRun(record)) return true;
    const logs = Object.values(objectIn(record, "logs"));
    return logs.length > 0 && logs.every((log) => isObject(log) && isRun(log));
  },

  read(record: Json, about: About): readonly ImportedTrace[] {
    if (!isObject(record)) return [];
    if (isRun(record)) return [imported(record, about)];
    const logs = Object.entries(objectIn(record, "logs"));
    return logs.flatMap(([key, log]) => (isObject(log) ? [{ ...imported(log, about), key }] : []));
  },
};

function isRun(record: JsonObject): boolean {
  const history = own(record, "turn_history");
  if (isObject(history)) return Array.isArray(own(history, "actions"));
  return Object.hasOwn(record, "query_idx") && Array.isArray(own(record, "trajectory"));
}

function imported(record: JsonObject, about: About): ImportedTrace {
  const name = textIn(record, "environment") ?? "";
  const environment = ENVIRONMENTS.get(name) ?? SHELL;
  const query = own(record, "query") ?? null;
  const turns = turnsOf(record);
  const list = new StepList();
  list.input(query);
  for (const turn of turns) push(list, turn, environment);
  const best = rewardOf(record);
  const last = turns.at(-1);
  const spent = isSpent(record, last) && (best ?? 0) < 1;
  const output = spent ? undefined : outputOf(turns, environment);
  if (output !== undefined) list.output(output);
  return {
    draft: {
      task: query,
      taskId: taskIdOf({ environment: name, query }),
      agent: about.agent,
      agentVersion: "0",
      source: "intercode",
      status: spent ? "timeout" : output === undefined ? "incomplete" : "ok",
      steps: list.steps,
      ...maybe("output", output),
      tools: [environment.tool],
      ...maybe(
        "score",
        best === undefined
          ? undefined
          : { name: "reward", value: best, best: 1, passed: best >= 1 },
      ),
      meta: metaOf(record),
    },
    warnings: [...(turns.length === 0 ? ["the record has no turn"] : []), ...list.unanswered()],
  };
}

/** Parallel lists, of which those of the answers may be one shorter. */
function turnsOf(record: JsonObject): Turn[] {
  const history = own(record, "turn_history");
  if (!isObject(history)) {
    return objectsIn(record, "trajectory").map((turn) => turnOf(own(turn, "action") ?? "", turn));
  }
  const list = (key: string): Json[] => {
    const value = own(history, key);
    return Array.isArray(value) ? value : [];
  };
  const thoughts = list("thoughts").length > 0 ? list("thoughts") : list("steps");
  const observations = list("observations");
  const valid = list("valid_action");
  return list("actions").map((action, place) => {
    const beside = {
      ...maybe("thought", thoughts[place]),
      ...maybe("observation", observations[place]),
      ...maybe("valid", valid[place]),
    };
    return turnOf(action, beside);
  });
}

function turnOf(action: Json, beside: JsonObject): Turn {
  const valid = own(beside, "valid");
  return {
    action: typeof action === "string" ? action : JSON.stringify(action),
    ...maybe("thought", own(beside, "thought")),
    ...maybe("observation", own(beside, "observation")),
    ...(typeof valid === "boolean" ? { valid } : {}),
  };
}

function push(list: StepList, turn: Turn, { tool, argument }: Environment): void {
  list.reasoning(turn.thought ?? undefined);
  if (isSubmit(turn)) return;
  const command = WRAPPED.exec(turn.action.trim())?.[1] ?? turn.action;
  const result = turn.observation === undefined ? undefined : resultOf(turn, tool);
  list.tool({ name: tool, args: { [argument]: command }, result });
}

function isSubmit({ action }: Turn): boolean {
  return SUBMIT.test(action.trim());
}

/**
 * An action that did not work is told by its flag, by an `error` beside the output, or by the harness's own words. Which
 * program said no is not known, so an action without a word is none.
 */
function resultOf({ observation = null, valid }: Turn, tool: string): ToolResult {
  const data = typeof observation === "string" ? structured(observation) : observation;
  const text = typeof data === "string" ? data.trim() : undefined;
  if (text !== undefined && TIMED_OUT.test(text)) {
    return { ok: false, error: { name: "Timeout", message: text, source: "text" }, data };
  }
  if (text !== undefined && /^Error executing (?:query|action|command):/.test(text)) {
    return { ok: false, error: { message: clip(text, 600), source: "text" }, data };
  }
  if (valid === false && text !== "" && tool !== "python") {
    const message = clip((text ?? JSON.stringify(data)).split("\n", 1)[0] ?? "", 300);
    return { ok: false, error: { message, source: "flag" }, data };
  }
  return text === undefined ? toolResultOf(data) : { ok: true, data };
}

/** `{'output': '', 'error': ''}` is how Python writes an answer in parts; rows of a table stay as they are. */
function structured(text: string): Json {
  if (!text.startsWith("{") || !looksPython(text)) return text;
  return pythonValue(text) ?? text;
}

/** The best reward of any turn decides: a run goes on after a wrong answer. */
function rewardOf(record: JsonObject): number | undefined {
  const value = own(objectIn(record, "summary"), "max_reward") ?? own(record, "reward");
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** Whether the turns ran out before the agent was done. */
function isSpent(record: JsonObject, last: Turn | undefined): boolean {
  const { turns_taken: taken, turns_max: most } = objectIn(record, "summary");
  if (last === undefined || typeof taken !== "number" || typeof most !== "number") return false;
  // The harness lets an agent submit once more after its last turn.
  return most > 1 && (isSubmit(last) ? taken > most : taken >= most);
}

/** What the last action showed; the action itself when it showed nothing, or when code is what was asked for. */
function outputOf(turns: readonly Turn[], { tool }: Environment): Json | undefined {
  const last = turns.findLast((turn) => !isSubmit(turn));
  const ended = turns.at(-1);
  const submitted = ended === undefined ? null : SUBMIT.exec(ended.action.trim());
  const flag = (submitted?.[1] ?? submitted?.[2])?.trim();
  if (flag !== undefined && flag !== "") return flag;
  if (last?.observation === undefined) return undefined;
  const shown = typeof last.observation === "string" ? last.observation.trim() : last.observation;
  return tool === "python" || shown === "" || shown === null
    ? (WRAPPED.exec(last.action.trim())?.[1] ?? last.action)
    : shown;
}

function metaOf(record: JsonObject): JsonObject {
  return {
    ...maybe("task_id", own(record, "task_id") ?? own(record, "query_idx")),
    ...maybe("environment", textIn(record, "environment")),
    ...maybe("gold", own(record, "gold")),
    ...maybe("turns", own(objectIn(record, "summary"), "turns_taken")),
  };
}
