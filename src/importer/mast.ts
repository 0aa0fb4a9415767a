import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import type { Score } from "../trace/trace.ts";
import { groupTurns, type Said } from "./group-talk.ts";
import type { About, ImportedTrace, Importer } from "./importer.ts";
import { maybe, objectIn, objectsIn, own, textIn } from "./member.ts";
import { toldTrace } from "./told-trace.ts";

const FORMAT = "mast";
/** Members that tell other formats with a trajectory. */
const FOREIGN = ["history", "info", "suite_name", "mistake_step", "mistake_agent"];

/**
 * A talk of AG2's agents with a person's notes on it: `{problem_statement, trajectory: [{name, role, content: lines}], other_data, note}`.
 * Who speaks first asks, and runs the code of the others; the roles are the wrong way round.
 */
export const mast: Importer = {
  name: FORMAT,

  recognises(record: Json): boolean {
    if (!isObject(record) || FOREIGN.some((key) => Object.hasOwn(record, key))) return false;
    const talk = own(record, "trajectory");
    return (
      Array.isArray(talk) &&
      talk.length > 0 &&
      talk.every((entry) => isObject(entry) && isSaid(entry)) &&
      (isObject(own(record, "other_data")) || isObject(own(record, "note")))
    );
  },

  read(record: Json, { agent }: About): readonly ImportedTrace[] {
    return isObject(record) ? [traceOf(record, agent)] : [];
  },
};

function isSaid(entry: JsonObject): boolean {
  const content = own(entry, "content");
  return (
    (typeof content === "string" || Array.isArray(content)) &&
    typeof (own(entry, "name") ?? own(entry, "role")) === "string"
  );
}

function traceOf(record: JsonObject, agent: string): ImportedTrace {
  const entries = objectsIn(record, "trajectory");
  const [asker] = entries.map((entry) => nameOf(entry));
  const talk = entries.map((entry): Said => {
    const name = nameOf(entry);
    return { who: name === asker ? "asker" : "agent", name, text: linesOf(own(entry, "content")) };
  });
  const data = objectIn(record, "other_data");
  const tags = tagsOf(record);
  const problem = linesOf(own(record, "problem_statement"));
  return toldTrace({
    format: FORMAT,
    turns: groupTurns(talk),
    agent,
    task: problem === "" ? undefined : problem,
    meta: {
      ...maybe("id", own(record, "instance_id")),
      ...maybe("answer", own(data, "answer")),
      ...maybe("given", own(data, "given")),
      ...(tags.length > 0 ? { tags } : {}),
    },
    more: maybe("score", scoreOf(data, tags)),
  });
}

function nameOf(entry: JsonObject): string {
  return textIn(entry, "name") ?? textIn(entry, "role") ?? "agent";
}

function linesOf(content: Json | undefined): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.filter((line) => typeof line === "string").join("\n");
}

/** What a person found wrong; the names of the failures. */
function tagsOf(record: JsonObject): string[] {
  const options = objectIn(objectIn(record, "note"), "options");
  return Object.keys(options)
    .filter((name) => {
      const said = options[name];
      return said === true || (typeof said === "string" && /^yes$/iu.test(said));
    })
    .sort();
}

/** Whether the answer is right: said, or two equal or unequal numbers. A tag counts only where nothing is known of it. */
function scoreOf(data: JsonObject, tags: readonly string[]): Score | undefined {
  const correct = own(data, "correct");
  if (typeof correct === "boolean") return { name: "correct", value: correct, passed: correct };
  const [wanted, given] = [numberIn(own(data, "answer")), numberIn(own(data, "given"))];
  if (wanted !== undefined && given !== undefined) {
    return { name: "correct", value: wanted === given, passed: wanted === given };
  }
  return tags.length > 0 ? { name: "note", value: false, passed: false } : undefined;
}

function numberIn(value: Json | undefined): number | undefined {
  if (typeof value === "number") return value;
  if (typeof value !== "string" || !/^\s*-?\d[\d,]*(?:\.\d+)?\s*$/u.test(value)) return undefined;
  return Number(value.replaceAll(",", ""));
}
