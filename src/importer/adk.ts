import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import type { AnyTurn } from "./any-message.ts";
import { anyTurns } from "./any-turns.ts";
import type { About, ImportedTrace, Importer } from "./importer.ts";
import { epochMs } from "./instant.ts";
import { keyed } from "./keyed.ts";
import { maybe, objectIn, objectsIn, own, textIn } from "./member.ts";
import { toldTrace } from "./told-trace.ts";

const FORMAT = "adk";

/**
 * Google ADK: sessions (`events`), evaluation sets (`eval_cases`) and their older list form. An evaluation set holds what is wanted of an
 * agent, often without what the tools answered; its traces say so in `meta.expected`. Newer JSON is in camel case.
 */
export const adk: Importer = {
  name: FORMAT,

  recognises(record: Json): boolean {
    if (Array.isArray(record)) return record.length > 0 && record.every((item) => isOldCase(item));
    if (!isObject(record)) return false;
    return isSession(record) || isEvalSet(record) || isEvalCase(record) || isOldCase(record);
  },

  read(record: Json, about: About): readonly ImportedTrace[] {
    return keyed(tracesOf(record, about));
  },
};

function tracesOf(record: Json, about: About): ImportedTrace[] {
  if (Array.isArray(record))
    return record.filter((item) => isObject(item)).map((item) => oldCase(item, about));
  if (!isObject(record)) return [];
  if (isSession(record)) return [sessionTrace(record, about)];
  if (isOldCase(record)) return [oldCase(record, about)];
  const cases = isEvalCase(record)
    ? [record]
    : objectsIn(record, anyKey(record, "eval_cases", "evalCases"));
  return cases.flatMap((one) =>
    objectsIn(one, "conversation").map((invocation) => invocationTrace(invocation, one, about)),
  );
}

function anyKey(object: JsonObject, ...keys: [string, ...string[]]): string {
  return keys.find((key) => Object.hasOwn(object, key)) ?? keys[0];
}

function isSession(record: JsonObject): boolean {
  const events = own(record, "events");
  if (!Array.isArray(events) || events.length === 0) return false;
  return events.every(
    (event) =>
      isObject(event) &&
      Object.hasOwn(event, "author") &&
      (Object.hasOwn(event, "invocation_id") || Object.hasOwn(event, "invocationId")),
  );
}

function isEvalSet(record: JsonObject): boolean {
  const cases = own(record, anyKey(record, "eval_cases", "evalCases"));
  const named = Object.hasOwn(record, "eval_set_id") || Object.hasOwn(record, "evalSetId");
  return named && Array.isArray(cases);
}

function isEvalCase(record: JsonObject): boolean {
  return (
    (Object.hasOwn(record, "eval_id") || Object.hasOwn(record, "evalId")) &&
    Array.isArray(own(record, "conversation"))
  );
}

function isOldCase(item: Json): boolean {
  return (
    isObject(item) &&
    typeof own(item, "query") === "string" &&
    (Object.hasOwn(item, "expected_tool_use") || Object.hasOwn(item, "reference"))
  );
}

function sessionTrace(session: JsonObject, about: About): ImportedTrace {
  const events = objectsIn(session, "events");
  const author = events
    .map((event) => textIn(event, "author"))
    .find((name) => name !== undefined && name !== "user");
  const failed = events.findLast((event) => codeOf(event) !== undefined);
  const last = events.at(-1);
  const error = failed !== undefined && failed === last ? codeOf(failed) : undefined;
  const told = toldTrace({
    format: FORMAT,
    turns: events.flatMap((event) => eventTurns(event)),
    agent: textIn(session, "app_name") ?? textIn(session, "appName") ?? author ?? about.agent,
    meta: maybe("session", textIn(session, "id")),
  });
  if (error === undefined || last === undefined) return told;
  const message = textIn(last, "error_message") ?? textIn(last, "errorMessage") ?? error;
  const { steps } = told.draft;
  return {
    ...told,
    draft: {
      ...told.draft,
      status: "error",
      steps: [
        ...steps,
        { index: steps.length, kind: "error", error: { name: error, message, source: "flag" } },
      ],
    },
  };
}

function codeOf(event: JsonObject): string | undefined {
  const code = textIn(event, "error_code") ?? textIn(event, "errorCode");
  return code === "STOP" ? undefined : code;
}

/** What one event says. Results come from the agent under the role `user`, and pieces of a stream are told again when it ends. */
function eventTurns(event: JsonObject): AnyTurn[] {
  if (own(event, "partial") === true) return [];
  const content = objectIn(event, "content");
  const speaker = textIn(event, "author") === "user" ? "user" : "assistant";
  const at = epochMs(own(event, "timestamp"));
  const role = speaker === "user" ? "user" : "model";
  return anyTurns(
    { role, content: own(content, "parts") ?? null, ...maybe("timestamp", at) },
    speaker,
  );
}

/** One question of an evaluation set with the calls and the answer that are wanted. */
function invocationTrace(invocation: JsonObject, one: JsonObject, about: About): ImportedTrace {
  const wanted = objectIn(invocation, anyKey(invocation, "intermediate_data", "intermediateData"));
  const asked = own(invocation, anyKey(invocation, "user_content", "userContent"));
  const answer = own(invocation, anyKey(invocation, "final_response", "finalResponse"));
  const uses = objectsIn(wanted, anyKey(wanted, "tool_uses", "toolUses"));
  const answers = objectsIn(wanted, anyKey(wanted, "tool_responses", "toolResponses"));
  const events = objectsIn(wanted, anyKey(wanted, "invocation_events", "invocationEvents"));
  const calls: AnyTurn[] =
    uses.length === 0
      ? []
      : anyTurns(
          { role: "model", parts: uses.map((call) => ({ function_call: call })) },
          "assistant",
        );
  const results = answers.flatMap((result) =>
    anyTurns({ role: "user", parts: [{ function_response: result }] }, "user"),
  );
  return expectedTrace(
    [
      ...anyTurns(asked, "user"),
      ...events.flatMap((event) => eventTurns(event)),
      ...calls,
      ...results,
      ...anyTurns(answer, "assistant"),
    ],
    {
      answered: answers.length > 0 || events.length > 0,
      name: textIn(one, anyKey(one, "eval_id", "evalId")),
    },
    {
      agent:
        textIn(objectIn(one, anyKey(one, "session_input", "sessionInput")), "app_name") ??
        about.agent,
      at: own(invocation, "creation_timestamp"),
    },
  );
}

function oldCase(item: JsonObject, about: About): ImportedTrace {
  const calls = objectsIn(item, "expected_tool_use").map((use) => ({
    type: "tool_call",
    name: textIn(use, "tool_name") ?? textIn(use, "name") ?? "unknown",
    arguments: own(use, "tool_input") ?? own(use, "args") ?? {},
  }));
  const turns: AnyTurn[] = [
    ...anyTurns({ role: "user", content: own(item, "query") ?? "" }, "user"),
    ...(calls.length > 0 ? anyTurns({ role: "assistant", content: calls }, "assistant") : []),
    ...anyTurns(own(item, "reference"), "assistant"),
  ];
  return expectedTrace(
    turns,
    { answered: false, name: undefined },
    { agent: about.agent, at: undefined },
  );
}

interface Case {
  /** Whether the case says what the tools answered. */
  readonly answered: boolean;
  readonly name: string | undefined;
}

/** A trace that was never run: where no tool is said to have answered, none was asked, and the case is whole all the same. */
function expectedTrace(
  turns: readonly AnyTurn[],
  { answered, name }: Case,
  by: { agent: string; at: Json | undefined },
): ImportedTrace {
  const told = toldTrace({
    format: FORMAT,
    turns,
    agent: by.agent,
    meta: { expected: true, ...maybe("case", name) },
  });
  const { draft, warnings } = told;
  const silent = !answered && draft.steps.some(({ kind }) => kind === "tool");
  const said = draft.output !== undefined;
  return {
    draft: {
      ...draft,
      status: said ? "ok" : "incomplete",
      ...maybe("startedAt", epochMs(by.at)),
      ...(silent || !said ? { truncated: "expected_values" } : {}),
    },
    warnings: silent
      ? ["these are wanted calls: what the tools answered is not in the file"]
      : warnings,
  };
}
