import { failure } from "../shared/error.ts";
import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import type { Score } from "../trace/trace.ts";
import { usageOf } from "./content.ts";
import type { About, Draft, ImportedTrace, Importer } from "./importer.ts";
import { maybe, objectIn, own, textIn } from "./member.ts";
import { mostly } from "./mostly.ts";
import { EventRun } from "./openhands-events.ts";

/** Members that stand beside the history in what an evaluation or the resolver of OpenHands writes. */
const BESIDE = [
  "instruction",
  "test_result",
  "git_patch",
  "metrics",
  "instance",
  "issue",
  "metadata",
];

/** A run of OpenHands: a list of events, or a record of an evaluation or of the resolver with such a list. */
export const openhands: Importer = {
  name: "openhands",

  recognises(record: Json): boolean {
    if (Array.isArray(record)) return mostly(record, isEvent);
    if (!isObject(record)) return false;
    const history = own(record, "history");
    if (!Array.isArray(history) || !BESIDE.some((key) => Object.hasOwn(record, key))) return false;
    const events = history.flat(1);
    if (events.length > 0) return mostly(events, (event) => isObject(event) && isNamed(event));
    return Object.hasOwn(record, "instruction") || Object.hasOwn(record, "test_result");
  },

  read(record: Json, about: About): readonly ImportedTrace[] {
    if (Array.isArray(record)) {
      if (/(?:^|[\\/])event_cache[\\/][^\\/]*$/.test(about.file)) throw cached();
      return [eventsTrace(record, {}, about)];
    }
    if (!isObject(record)) return [];
    const history = own(record, "history");
    const { draft, warnings } = eventsTrace(
      Array.isArray(history) ? history.flat(1) : [],
      record,
      about,
    );
    return [{ draft: ended(draft, record), warnings }];
  },
};

/** Whether a value is an event as it is saved: an action or an observation, with what came with it. */
export function isEvent(value: Json): value is JsonObject {
  if (!isObject(value) || !isNamed(value)) return false;
  const told = isObject(own(value, "args")) || isObject(own(value, "extras"));
  return told || (Object.hasOwn(value, "source") && Object.hasOwn(value, "timestamp"));
}

function isNamed(event: JsonObject): boolean {
  const names = [own(event, "action"), own(event, "observation")];
  return names.filter((name) => typeof name === "string").length === 1;
}

/** The trace of a list of events, with what a record or session says beside them. */
export function eventsTrace(
  events: readonly Json[],
  beside: JsonObject,
  about: About,
): ImportedTrace {
  const run = new EventRun();
  for (const event of events) if (isObject(event)) run.add(event);
  const told = own(beside, "instruction") ?? issueOf(beside);
  if (run.task === undefined && run.list.steps.length === 0 && told === undefined) throw noRun();
  const { output, status } = run.end();
  const metadata = objectIn(beside, "metadata");
  const score = scoreOf(beside);
  const named = textIn(metadata, "agent_class") ?? run.agentClass ?? "openhands";
  const meta = { ...metaOf(beside), ...maybe("system", run.system) };
  return {
    draft: {
      task: run.task ?? told ?? null,
      agent: about.agent === "agent" ? named : about.agent,
      agentVersion: run.version ?? "0",
      source: "openhands",
      status,
      steps: run.list.steps,
      ...maybe("output", output),
      ...maybe("tools", run.tools),
      ...maybe("score", score),
      ...maybe("usage", usageOf(beside)),
      ...maybe("meta", Object.keys(meta).length > 0 ? meta : undefined),
    },
    warnings: [
      ...(run.task === undefined && told === undefined ? ["no message is from the user"] : []),
      ...run.list.unanswered(),
    ],
  };
}

/** A patch stands for the words that the agent did not say; an error beside the history ended the run. */
function ended(draft: Draft, record: JsonObject): Draft {
  const patch = [own(record, "git_patch"), own(objectIn(record, "test_result"), "git_patch")].find(
    (text) => typeof text === "string" && text.trim() !== "",
  );
  const error = textIn(record, "error");
  const steps = [...draft.steps];
  const unsaid = draft.output === undefined && patch !== undefined && patch !== null;
  if (unsaid) steps.push({ index: steps.length, kind: "output", content: patch });
  if (error !== undefined && draft.status !== "error" && draft.status !== "timeout") {
    steps.push({
      index: steps.length,
      kind: "error",
      error: { message: error.slice(0, 1000), source: "flag" },
    });
  }
  const spent =
    error !== undefined && /maximum iteration|max_iterations|budget|timed? ?out/i.test(error);
  return {
    ...draft,
    steps,
    ...(unsaid ? { output: patch, status: "ok" } : {}),
    ...(error === undefined ? {} : { status: spent ? "timeout" : "error" }),
  };
}

/** What the hidden tests said. */
function scoreOf(record: JsonObject): Score | undefined {
  const result = objectIn(record, "test_result");
  for (const from of [result, objectIn(result, "report"), objectIn(record, "report")]) {
    for (const name of ["result", "resolved", "success"]) {
      const value = own(from, name);
      if (typeof value === "boolean") return { name: `test_result.${name}`, value, passed: value };
    }
    const value = own(from, "score");
    if (typeof value === "number")
      return { name: "test_result.score", value, best: 1, passed: value >= 1 };
  }
  return undefined;
}

function issueOf(record: JsonObject): string | undefined {
  const issue = objectIn(record, "issue");
  const texts = [textIn(issue, "title"), textIn(issue, "body")].filter(
    (text) => text !== undefined,
  );
  return texts.length === 0 ? undefined : texts.join("\n\n");
}

function metaOf(record: JsonObject): JsonObject {
  const metadata = objectIn(record, "metadata");
  const model = textIn(objectIn(metadata, "llm_config"), "model") ?? textIn(metadata, "model_name");
  return {
    ...maybe("instance", own(record, "instance_id") ?? own(record, "id")),
    ...maybe("conversation", textIn(record, "conversation_id")),
    ...maybe("title", textIn(record, "title")),
    ...maybe("dataset", textIn(metadata, "dataset")),
    ...maybe("model", model ?? textIn(record, "llm_model")),
    ...maybe(
      "cost",
      own(record, "accumulated_cost") ?? own(objectIn(record, "metrics"), "accumulated_cost"),
    ),
    ...maybe("success", own(record, "success")),
    ...maybe("result_explanation", textIn(record, "result_explanation")),
  };
}

function noRun(): Error {
  return failure("E_RECORD_ASIDE", {
    to: "read the record as a run",
    because: "its events only change the state of a session; nobody asked or did anything",
    fix: "Nothing is to be done",
  });
}

function cached(): Error {
  return failure("E_RECORD_ASIDE", {
    to: "read the record as a run",
    because: "it is a cached page of events, which also stand in files of their own",
    fix: "Nothing is to be done",
  });
}
