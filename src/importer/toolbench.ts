import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import type { About, ImportedTrace, Importer } from "./importer.ts";
import { maybe, objectIn, objectsIn, own, textIn } from "./member.ts";
import { StepList } from "./step-list.ts";
import { pushDetails } from "./tooleval.ts";
import { pathOf, pushMessages, pushNodes, unescaped } from "./toolbench-search.ts";
import { parsedText } from "./tool-result.ts";

const ANSWER = /^\s*\{\s*"return_type"\s*:\s*"(\w+)"\s*,\s*"final_answer"\s*:\s*"/;

/** A run of ToolBench: what its search found, or the shorter form of its evaluation. */
export const toolbench: Importer = {
  name: "toolbench",

  recognises(record: Json): boolean {
    if (!isObject(record)) return false;
    if (isObject(own(record, "answer_generation")) || Array.isArray(own(record, "train_messages")))
      return true;
    const answer = objectIn(record, "answer");
    return Object.hasOwn(record, "query") && Array.isArray(own(answer, "answer_details"));
  },

  read(record: Json, about: About): readonly ImportedTrace[] {
    if (!isObject(record)) return [];
    const evaluated = Array.isArray(own(objectIn(record, "answer"), "answer_details"));
    const found = own(record, "answer_generation");
    const run = evaluated ? objectIn(record, "answer") : isObject(found) ? found : record;
    const query = textIn(record, "query") ?? textIn(run, "query");
    const list = new StepList();
    if (query !== undefined) list.input(query);
    const cut = evaluated ? pushDetails(list, run) : pushSearch(list, record, run);
    const { output, gaveUp } = answerOf(run);
    if (output !== undefined) list.output(output);
    const valid = own(run, "valid_data") !== false;
    return [
      {
        draft: {
          task: query ?? null,
          agent: about.agent,
          agentVersion: "0",
          source: "toolbench",
          status: output !== undefined && valid ? "ok" : "incomplete",
          steps: list.steps,
          ...maybe("output", output),
          ...maybe("tools", toolsOf(record, run)),
          ...(cut > 0 ? { truncated: "cut_texts" } : {}),
          meta: {
            ...maybe("win", own(record, "win")),
            ...maybe("query_id", own(record, "query_id")),
            ...maybe("finish_type", textIn(run, "finish_type")),
            ...maybe("method", textIn(run, "method")),
            ...maybe("tree_size", own(objectIn(record, "tree"), "size")),
            ...(gaveUp ? { gave_up: true } : {}),
          },
        },
        warnings: [
          ...(query === undefined ? ["the record has no query"] : []),
          ...(cut > 0 ? [`${cut} texts were cut off by the program that wrote them`] : []),
          ...list.unanswered(),
        ],
      },
    ];
  },
};

/** The last of the growing prefixes, else the path of the search tree that was gone last. */
function pushSearch(list: StepList, record: JsonObject, run: JsonObject): number {
  const prefixes = own(run, "train_messages") ?? own(run, "messages");
  const last = Array.isArray(prefixes) ? prefixes.at(-1) : undefined;
  const messages = Array.isArray(last) ? last : Array.isArray(prefixes) ? prefixes : [];
  const objects = messages.filter((message) => isObject(message));
  if (objects.length > 0) return pushMessages(list, objects);
  const chain = objectsIn(run, "chain");
  const tree = objectIn(objectIn(record, "tree"), "tree");
  return pushNodes(list, chain.length > 0 ? chain : pathOf(tree));
}

/** The final answer, often an object within a text; giving up is none. */
function answerOf(run: JsonObject): { output?: Json; gaveUp: boolean } {
  const raw = own(run, "final_answer");
  const value = typeof raw === "string" ? (looseAnswer(raw) ?? parsedText(raw)) : raw;
  const type = isObject(value) ? textIn(value, "return_type") : undefined;
  const gaveUp = (type ?? textIn(run, "finish_type"))?.startsWith("give_up") === true;
  if (gaveUp) return { gaveUp };
  const answer = isObject(value) && type !== undefined ? own(value, "final_answer") : value;
  const missing = answer === undefined || answer === null || answer === "";
  return { ...(missing ? {} : { output: answer }), gaveUp };
}

/** A final answer that is no JSON: it has line ends in it, or was cut off. */
function looseAnswer(text: string): JsonObject | undefined {
  const found = ANSWER.exec(text);
  if (found === null || isObject(parsedText(text))) return undefined;
  const [whole, type = ""] = found;
  const answer = text
    .slice(whole.length)
    .trimEnd()
    .replace(/"\s*\}$/, "");
  return { return_type: type, final_answer: unescaped(answer) };
}

function toolsOf(record: JsonObject, run: JsonObject): string[] | undefined {
  const offered = [...objectsIn(run, "function"), ...objectsIn(record, "available_tools")];
  const names = offered.flatMap((tool) => textIn(tool, "name") ?? []);
  return names.length === 0 ? undefined : [...new Set(names)].sort();
}
