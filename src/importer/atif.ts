import { basename } from "node:path";
import { failure } from "../shared/error.ts";
import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import type { Score } from "../trace/trace.ts";
import { AtifStory } from "./atif-story.ts";
import type { About, ImportedTrace, Importer } from "./importer.ts";
import { maybe, objectIn, objectsIn, own, textIn } from "./member.ts";
import type { Siblings } from "./siblings.ts";

const FORMAT = "atif";
/** How the files of sub-agents are named beside the one of their agent. */
const SUBAGENT_FILE = /^(.+)\.(?:summarization|subagent)-[\w.-]+\.json$/;

/** A trajectory of the Agent Trajectory Interchange Format (Harbor, Terminal-Bench), or one with its sub-agent: `{parent, child}`. */
export const atif: Importer = {
  name: FORMAT,

  recognises(record: Json): boolean {
    return isObject(record) && (isTrajectory(record) || isPair(record));
  },

  read(record: Json, about: About): readonly ImportedTrace[] {
    if (!isObject(record)) return [];
    const whole = isPair(record) ? objectIn(record, "parent") : record;
    const children = [
      ...objectsIn(whole, "subagent_trajectories"),
      ...(isPair(record) ? [objectIn(record, "child")] : []),
    ];
    const host = children.length === 0 ? hostOf(about) : undefined;
    if (host !== undefined) throw aside(host);
    return [traceOf(whole, children, about)];
  },
};

function isTrajectory(value: JsonObject): boolean {
  if (textIn(value, "schema_version")?.startsWith("ATIF") !== true) return false;
  const steps = own(value, "steps");
  if (Array.isArray(steps) && steps.length === 0) return isObject(own(value, "agent"));
  return (
    Array.isArray(steps) && steps.every((step) => isObject(step) && Object.hasOwn(step, "source"))
  );
}

function isPair(record: JsonObject): boolean {
  return isTrajectory(objectIn(record, "parent")) && isObject(own(record, "child"));
}

function traceOf(whole: JsonObject, children: readonly JsonObject[], about: About): ImportedTrace {
  const story = new AtifStory();
  for (const step of objectsIn(whole, "steps")) story.add(step);
  const refs = [...story.refs, ...children.map((child) => child)];
  if (refs.length > 0)
    story.list.other(
      "subagents",
      refs.map((ref) => withFile(ref, about.siblings)),
    );
  const next = textIn(whole, "continued_trajectory_ref");
  const output = next === undefined ? story.output() : undefined;
  if (output !== undefined) story.list.output(output);
  const agent = objectIn(whole, "agent");
  const metrics = objectIn(whole, "final_metrics");
  const tools = objectsIn(agent, "tool_definitions").flatMap(
    (tool) => textIn(objectIn(tool, "function"), "name") ?? textIn(tool, "name") ?? [],
  );
  const { task, system } = story;
  return {
    draft: {
      task: task ?? null,
      agent: textIn(agent, "name") ?? about.agent,
      agentVersion: textIn(agent, "version") ?? "0",
      source: FORMAT,
      status: output === undefined ? "incomplete" : "ok",
      steps: story.list.steps,
      ...maybe("output", output),
      ...story.times(),
      ...maybe("tools", tools.length > 0 ? [...new Set(tools)].sort() : undefined),
      ...maybe("score", scoreOf(about.siblings)),
      ...maybe("usage", usageOf(metrics)),
      ...(next === undefined ? {} : { truncated: "continued_elsewhere" }),
      meta: {
        ...maybe("system", system.length > 0 ? system.join("\n\n") : undefined),
        ...maybe("session", textIn(whole, "session_id")),
        ...maybe("model", textIn(agent, "model_name")),
        ...maybe("continued_in", next),
      },
    },
    warnings: [
      ...(task === undefined ? ["no step is from the user"] : []),
      ...(next === undefined ? [] : [`the run goes on in ${next}`]),
      ...story.list.unanswered(),
    ],
  };
}

function usageOf(metrics: JsonObject): { inputTokens?: number; outputTokens?: number } | undefined {
  const count = (key: string): number | undefined => {
    const value = own(metrics, key);
    return typeof value === "number" && Number.isSafeInteger(value) && value >= 0
      ? value
      : undefined;
  };
  const usage = {
    ...maybe("inputTokens", count("total_prompt_tokens")),
    ...maybe("outputTokens", count("total_completion_tokens")),
  };
  return Object.keys(usage).length > 0 ? usage : undefined;
}

/** A reference to a sub-agent's file with what is in it, when it stands beside this one. */
function withFile(ref: JsonObject, siblings: Siblings | undefined): Json {
  const path = textIn(ref, "trajectory_path");
  if (
    path === undefined ||
    siblings === undefined ||
    path !== basename(path) ||
    !siblings.has(path)
  )
    return ref;
  const held = siblings.json(path);
  return isObject(held) ? { ...ref, steps: own(held, "steps") ?? null } : ref;
}

/** The file of the agent that started this one as its sub-agent, when that is read too. */
function hostOf({ file, siblings }: About): string | undefined {
  const host = SUBAGENT_FILE.exec(basename(file))?.[1];
  if (host === undefined || siblings === undefined) return undefined;
  const name = `${host}.json`;
  if (!siblings.wanted(name) || !siblings.has(name)) return undefined;
  return JSON.stringify(siblings.json(name) ?? null).includes(JSON.stringify(basename(file)))
    ? name
    : undefined;
}

/** Harbor writes what the verifier said into the folder around the agent's. */
function scoreOf(siblings: Siblings | undefined): Score | undefined {
  const result = siblings?.json("../result.json") ?? siblings?.json("result.json");
  const rewards = isObject(result) ? objectIn(objectIn(result, "verifier_result"), "rewards") : {};
  const value = own(rewards, "reward");
  return typeof value === "number"
    ? { name: "reward", value, best: 1, passed: value >= 1 }
    : undefined;
}

function aside(host: string): Error {
  return failure("E_RECORD_ASIDE", {
    to: "read the file as a run of its own",
    because: `it is a sub-agent of the run in ${host}`,
    fix: "Nothing is to be done; it is attached to that run",
  });
}
