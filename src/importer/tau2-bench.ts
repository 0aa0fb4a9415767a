import { failure } from "../shared/error.ts";
import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import { taskIdOf } from "../trace/identity.ts";
import type { Score, TraceStatus } from "../trace/trace.ts";
import type { About, Draft, ImportedTrace, Importer } from "./importer.ts";
import { epochMs } from "./instant.ts";
import { maybe, objectIn, objectsIn, own, textIn } from "./member.ts";
import { mostly } from "./mostly.ts";
import { handedOver } from "./tau-bench.ts";
import { messagesOfTicks, Talk } from "./tau2-talk.ts";

/** Ends that say only that the conversation was over. */
const NORMAL = new Set(["user_stop", "agent_stop"]);

/** Runs of tau2-bench: a results file, one simulation alone, or one with its task. */
export const tau2Bench: Importer = {
  name: "tau2-bench",

  recognises(record: Json): boolean {
    if (!isObject(record)) return false;
    if (isObject(own(record, "simulation_run")))
      return isSimulation(objectIn(record, "simulation_run"));
    const simulations = own(record, "simulations");
    if (!Array.isArray(simulations)) return isSimulation(record);
    return (
      Array.isArray(own(record, "tasks")) &&
      (simulations.length === 0 ||
        mostly(
          simulations,
          (simulation) => isObject(simulation) && Object.hasOwn(simulation, "task_id"),
        ))
    );
  },

  read(record: Json, about: About): readonly ImportedTrace[] {
    if (!isObject(record)) return [];
    const simulations = own(record, "simulations");
    if (Array.isArray(simulations)) {
      if (simulations.length === 0) throw noSimulation();
      return simulations.flatMap((simulation, key) =>
        isObject(simulation) ? [{ ...imported(simulation, record, about), key }] : [],
      );
    }
    const run = own(record, "simulation_run");
    if (isObject(run)) return [imported(run, { tasks: [objectIn(record, "task")] }, about)];
    // A results file keeps its simulations in a folder of their own.
    const beside = about.siblings?.json("../results.json");
    return [imported(record, isObject(beside) ? beside : {}, about)];
  },
};

function isSimulation(record: JsonObject): boolean {
  const talk = Array.isArray(own(record, "messages")) || Array.isArray(own(record, "ticks"));
  const told = Object.hasOwn(record, "termination_reason") || isObject(own(record, "reward_info"));
  return talk && told && Object.hasOwn(record, "task_id");
}

function imported(simulation: JsonObject, results: JsonObject, about: About): ImportedTrace {
  const task = taskOf(simulation, results);
  const info = objectIn(results, "info");
  const messages = objectsIn(simulation, "messages");
  const talk = new Talk();
  const ticks = objectsIn(simulation, "ticks");
  for (const message of messages.length > 0 ? messages : messagesOfTicks(ticks)) talk.add(message);
  const score = scoreOf(simulation);
  if (talk.list.steps.length === 0 && score === undefined) throw noText(ticks.length > 0);
  const reason = textIn(simulation, "termination_reason");
  const output = talk.output();
  if (output !== undefined) talk.list.output(output);
  const agent = objectIn(info, "agent_info");
  const seconds = own(simulation, "duration");
  const draft: Draft = {
    task: talk.task ?? askedIn(task) ?? own(simulation, "task_id") ?? null,
    taskId: taskIdOf({ domain: domainOf(info), task: own(simulation, "task_id") ?? null }),
    agent: about.agent === "agent" ? (textIn(agent, "implementation") ?? "agent") : about.agent,
    agentVersion: "0",
    source: "tau2-bench",
    status: output === undefined ? "incomplete" : "ok",
    ...maybe("startedAt", epochMs(own(simulation, "start_time"))),
    ...maybe("endedAt", epochMs(own(simulation, "end_time"))),
    ...maybe(
      "durationMs",
      typeof seconds === "number" && seconds >= 0 ? seconds * 1000 : undefined,
    ),
    steps: talk.list.steps,
    ...maybe("output", output),
    ...maybe("score", score),
    ...maybe("usage", talk.usage()),
    meta: {
      ...metaOf(simulation, task),
      ...maybe("model", textIn(agent, "llm")),
      ...policyOf(simulation, info),
    },
  };
  return {
    draft: ended(handedOver(draft), reason),
    warnings: [
      ...(talk.task === undefined ? ["no message is from the user"] : []),
      ...talk.list.unanswered(),
    ],
  };
}

/** A run that was broken off has no answer, whatever was said last. */
function ended(draft: Draft, reason: string | undefined): Draft {
  if (reason === undefined || NORMAL.has(reason)) return draft;
  const { output: _unsaid, ...rest } = draft;
  const steps = draft.steps.filter(({ kind }) => kind !== "output");
  const status: TraceStatus = /^(?:max_steps|timeout)$/.test(reason) ? "timeout" : "error";
  const error = { name: "Terminated", message: reason, source: "flag" } as const;
  return { ...rest, status, steps: [...steps, { index: steps.length, kind: "error", error }] };
}

function taskOf(simulation: JsonObject, results: JsonObject): JsonObject {
  const id = own(simulation, "task_id");
  return objectsIn(results, "tasks").find((task) => own(task, "id") === id) ?? {};
}

/** What the simulated user, or the agent when there is none, was told. */
function askedIn(task: JsonObject): Json | undefined {
  const instructions = own(objectIn(task, "user_scenario"), "instructions");
  return textIn(task, "ticket") ?? (instructions === null ? undefined : instructions);
}

function domainOf(info: JsonObject): string {
  return textIn(objectIn(info, "environment_info"), "domain_name") ?? "";
}

function policyOf(simulation: JsonObject, info: JsonObject): { system?: string } {
  const policy =
    textIn(simulation, "policy") ?? textIn(objectIn(info, "environment_info"), "policy");
  return maybe("system", policy);
}

function scoreOf(simulation: JsonObject): Score | undefined {
  const value = own(objectIn(simulation, "reward_info"), "reward");
  return typeof value === "number"
    ? { name: "reward", value, best: 1, passed: value >= 1 }
    : undefined;
}

function metaOf(simulation: JsonObject, task: JsonObject): JsonObject {
  const criteria = objectIn(task, "evaluation_criteria");
  return {
    ...maybe("task_id", own(simulation, "task_id")),
    ...maybe("trial", own(simulation, "trial")),
    ...maybe("termination_reason", textIn(simulation, "termination_reason")),
    ...maybe("instruction", askedIn(task)),
    ...maybe("expected_actions", own(criteria, "actions")),
    ...maybe("reward_info", own(simulation, "reward_info")),
  };
}

function noSimulation(): Error {
  return failure("E_RECORD_ASIDE", {
    to: "read the record as runs",
    because: "it holds no simulation; those of newer releases lie in a folder beside it",
    fix: "Read that folder too",
  });
}

function noText(ticks: boolean): Error {
  return failure("E_RECORD_EMPTY", {
    to: "read a simulation",
    because: ticks
      ? "its ticks hold no text and no call, only when somebody spoke"
      : "it has no message and no reward",
    fix: "Save it with its transcript, or leave it out",
  });
}
