import { failure } from "../shared/error.ts";
import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import { taskIdOf } from "../trace/identity.ts";
import type { Score } from "../trace/trace.ts";
import type { About, ImportedTrace, Importer } from "./importer.ts";
import { maybe, objectsIn, own, textIn } from "./member.ts";
import { StepList } from "./step-list.ts";
import { parsedText } from "./tool-result.ts";

const RESPONSE = "agent_response.json";
const RESULT = "eval_result.json";

/**
 * The end of a run of WebArena-Verified: what the agent answered, and what the evaluation beside it says of that. What it
 * did on the way lies in a network log, which tells requests, not actions.
 */
export const webarenaVerified: Importer = {
  name: "webarena-verified",

  recognises(record: Json): boolean {
    return isObject(record) && (isResponse(record) || isResult(record));
  },

  read(record: Json, about: About): readonly ImportedTrace[] {
    if (!isObject(record)) return [];
    const prefix = prefixOf(about.file);
    if (isResponse(record)) {
      const result = about.siblings?.json(`${prefix}${RESULT}`);
      return [imported(record, isObject(result) ? result : {}, about)];
    }
    const response = `${prefix}${RESPONSE}`;
    if (about.siblings?.wanted(response) === true && about.siblings.has(response))
      throw partOf(response);
    return [imported(responseIn(record), record, about)];
  },
};

function isResponse(record: JsonObject): boolean {
  return ["task_type", "status", "retrieved_data"].every((key) => Object.hasOwn(record, key));
}

function isResult(record: JsonObject): boolean {
  return Object.hasOwn(record, "task_id") && Array.isArray(own(record, "evaluators_results"));
}

/** `107.` of `107.agent_response.json`; nothing when each task has a folder. */
function prefixOf(file: string): string {
  return (
    /^(.*?)(?:agent_response|eval_result)\.json$/.exec(file.split(/[\\/]/).at(-1) ?? "")?.[1] ?? ""
  );
}

function imported(response: Json, result: JsonObject, about: About): ImportedTrace {
  const task = taskOf(result, about);
  const list = new StepList();
  const answered = response !== null;
  if (answered) list.output(response);
  const score = scoreOf(result);
  return {
    draft: {
      task,
      taskId: taskIdOf(task),
      agent: about.agent,
      agentVersion: "0",
      source: "webarena-verified",
      // The status that an agent gives itself says only that it ended.
      status: answered ? "ok" : "incomplete",
      steps: list.steps,
      ...(answered ? { output: response } : {}),
      ...maybe("score", score),
      meta: { ...maybe("evaluators", evaluators(result)) },
    },
    warnings: ["the record holds how the run ended, not what was done on the way"],
  };
}

function taskOf(result: JsonObject, about: About): Json {
  const names = ["task_id", "intent_template_id", "sites", "intent"];
  const known = names.flatMap((name) => {
    const value = own(result, name);
    return value === undefined ? [] : [[name, value] as const];
  });
  if (known.length > 0) return Object.fromEntries(known);
  const path = about.file.split(/[\\/]/);
  const named = prefixOf(about.file).replace(/\.$/, "");
  return { task_id: named === "" ? (path.at(-2) ?? "") : named };
}

function scoreOf(result: JsonObject): Score | undefined {
  const value = own(result, "score");
  return typeof value === "number"
    ? { name: "score", value, best: 1, passed: value >= 1 }
    : undefined;
}

/** What the agent answered, as an evaluation quotes it. */
function responseIn(result: JsonObject): Json {
  for (const evaluator of objectsIn(result, "evaluators_results")) {
    const actual = own(evaluator, "actual");
    if (typeof actual === "string") return parsedText(actual);
    if (isObject(actual)) return actual;
  }
  return null;
}

function evaluators(result: JsonObject): Json | undefined {
  const found = objectsIn(result, "evaluators_results").map((one) => evaluatorOf(one));
  return found.length > 0 ? found : undefined;
}

function evaluatorOf(evaluator: JsonObject): JsonObject {
  return {
    name: own(evaluator, "evaluator_name") ?? null,
    score: own(evaluator, "score") ?? null,
    ...maybe("expected", own(evaluator, "expected")),
    ...maybe("error", textIn(evaluator, "error_msg")),
    failed: objectsIn(evaluator, "assertions")
      .filter((assertion) => own(assertion, "status") !== "success")
      .map((assertion) => own(assertion, "assertion_name") ?? null),
  };
}

function partOf(response: string): Error {
  return failure("E_RECORD_ASIDE", {
    to: "read the record as a run",
    because: `it is the evaluation of the run that is read from ${response}`,
    fix: "Nothing is to be done",
  });
}
