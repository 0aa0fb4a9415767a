import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import type { Score } from "../trace/trace.ts";
import { plainText } from "./content.ts";
import { finalAnswer, groupTurns, type Said } from "./group-talk.ts";
import type { About, ImportedTrace, Importer } from "./importer.ts";
import { maybe, objectsIn, own, textIn } from "./member.ts";
import { toldTrace } from "./told-trace.ts";

const FORMAT = "who-and-when";
const PROGRAM = /^computer[ _-]?terminal$/iu;
const PERSON = /^(?:human|user_proxy|userproxy)$/iu;

/**
 * A judged talk of several agents: `{question, ground_truth, history, mistake_agent, mistake_step, mistake_reason, is_correct}`. Its role
 * is the speaker, unless a `name` says who speaks.
 */
export const whoAndWhen: Importer = {
  name: FORMAT,

  recognises(record: Json): boolean {
    if (!isObject(record) || Object.hasOwn(record, "suite_name")) return false;
    const history = own(record, "history");
    return (
      Array.isArray(history) &&
      history.every((entry) => isObject(entry) && Object.hasOwn(entry, "content")) &&
      ["mistake_step", "mistake_agent"].some((key) => Object.hasOwn(record, key))
    );
  },

  read(record: Json, { agent }: About): readonly ImportedTrace[] {
    return isObject(record) ? [traceOf(record, agent)] : [];
  },
};

function traceOf(record: JsonObject, agent: string): ImportedTrace {
  const question = textIn(record, "question");
  const talk = objectsIn(record, "history").map((entry) => saidIn(entry));
  return toldTrace({
    format: FORMAT,
    turns: groupTurns(talk),
    agent,
    task: question,
    output: finalAnswer(talk),
    meta: {
      ...maybe("question_id", textIn(record, "question_ID") ?? textIn(record, "question_id")),
      ...maybe("ground_truth", own(record, "ground_truth")),
      ...maybe("mistake_agent", textIn(record, "mistake_agent")),
      ...maybe("mistake_step", own(record, "mistake_step")),
      ...maybe("mistake_reason", textIn(record, "mistake_reason")),
    },
    more: maybe("score", scoreOf(record)),
  });
}

function saidIn(entry: JsonObject): Said {
  const name = textIn(entry, "name") ?? textIn(entry, "role") ?? "agent";
  const who = PROGRAM.test(name) ? "program" : PERSON.test(name) ? "asker" : "agent";
  return { who, name, text: plainText(own(entry, "content")) };
}

/** A person's word on the answer; where it is missing, a mistake that a person points at is one too. */
function scoreOf(record: JsonObject): Score | undefined {
  for (const name of ["is_correct", "is_corrected"]) {
    const value = truth(own(record, name));
    if (value !== undefined) return { name, value, passed: value };
  }
  const blamed =
    textIn(record, "mistake_agent") !== undefined || own(record, "mistake_step") != null;
  return blamed ? { name: "mistake_step", value: false, passed: false } : undefined;
}

/** Python's `True` occurs as a text. */
function truth(value: Json | undefined): boolean | undefined {
  if (typeof value === "boolean") return value;
  if (typeof value !== "string") return undefined;
  return /^true$/iu.test(value) ? true : /^false$/iu.test(value) ? false : undefined;
}
