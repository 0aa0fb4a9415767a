import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import { clip } from "../shared/text.ts";
import { usageOf } from "./content.ts";
import type { About, Gatherer, ImportedTrace, Importer, Late } from "./importer.ts";
import { epochMs } from "./instant.ts";
import { maybe, objectIn, objectsIn, own, textIn } from "./member.ts";
import { isItemType, ResponsesItems } from "./responses-items.ts";
import { scoreOf } from "./chat.ts";
import { Session } from "./session.ts";
import { sessionTrace } from "./session-trace.ts";

const FORMAT = "openai-responses";
const LISTS = ["items", "messages", "input", "conversation"];

/** Conversations of OpenAI's Responses API: a list of items, `{input, output}`, a response, or one item a line. */
export const openaiResponses: Importer = {
  name: FORMAT,
  general: true,

  recognises(record: Json): boolean {
    return itemsOf(record) !== undefined || (isObject(record) && isBareItem(record));
  },

  read(record: Json, about: About): readonly ImportedTrace[] {
    const items = itemsOf(record) ?? (isObject(record) ? [record] : []);
    return [traceOf(items, isObject(record) && !isBareItem(record) ? record : {}, about)];
  },

  gather: (about) => new ItemLines(about),
};

function traceOf(
  items: readonly JsonObject[],
  record: JsonObject,
  about: Pick<About, "agent">,
): ImportedTrace {
  const session = new Session();
  const read = new ResponsesItems(session);
  const instructions = textIn(record, "instructions");
  for (const item of items) read.add(item, epochMs(own(item, "timestamp")));
  const error = objectIn(record, "error");
  const incomplete = textIn(objectIn(record, "incomplete_details"), "reason");
  if (own(record, "status") === "failed" || Object.keys(error).length > 0) {
    const message = clip(textIn(error, "message") ?? "the response failed", 1000);
    session.broke({ ...maybe("code", textIn(error, "code")), message, source: "flag" });
  } else if (incomplete !== undefined || own(record, "status") === "cancelled") {
    session.noted("incomplete", incomplete ?? "cancelled");
    session.stopped();
  }
  const offered = objectsIn(record, "tools").map(
    (tool) => textIn(tool, "name") ?? textIn(tool, "type"),
  );
  const system = [instructions, ...read.system].filter((text) => text !== undefined);
  const imported = sessionTrace(session, {
    format: FORMAT,
    about,
    agent: "agent",
    id: textIn(record, "id") ?? textIn(record, "instance_id"),
    tools: [...read.tools, ...offered.filter((name) => name !== undefined)],
    usage: usageOf(own(record, "usage")),
    meta: {
      ...maybe("model", textIn(record, "model")),
      ...maybe("system", system.length > 0 ? system.join("\n\n") : undefined),
    },
  });
  const score = scoreOf(record);
  return score === undefined ? imported : { ...imported, draft: { ...imported.draft, score } };
}

/** The items of a record, when at least one is of a type that no chat message has. */
function itemsOf(record: Json): JsonObject[] | undefined {
  if (Array.isArray(record)) return typed(record);
  if (!isObject(record)) return undefined;
  const output = own(record, "output");
  const given = LISTS.map((key) => own(record, key)).find((list) => Array.isArray(list));
  const answered =
    Array.isArray(output) &&
    (own(record, "object") === "response" || Object.hasOwn(record, "input"));
  if (!answered) return Array.isArray(given) ? typed(given) : undefined;
  const asked = own(record, "input");
  const input: readonly Json[] =
    typeof asked === "string"
      ? [{ role: "user", content: asked }]
      : Array.isArray(asked)
        ? asked
        : [];
  return typed([...input, ...output], own(record, "object") === "response");
}

function typed(list: readonly Json[], sure = false): JsonObject[] | undefined {
  const items = list.filter((item) => isObject(item));
  const all =
    items.length > 0 && items.length === list.length && items.every((item) => isItem(item));
  return all && (sure || items.some((item) => isBareItem(item))) ? items : undefined;
}

function isItem(item: JsonObject): boolean {
  const type = own(item, "type");
  const message =
    (type === undefined || type === "message") && typeof own(item, "role") === "string";
  return message || isBareItem(item);
}

/** An item that is no message. */
function isBareItem(item: JsonObject): boolean {
  const type = textIn(item, "type");
  if (type === undefined || Object.hasOwn(item, "payload") || Object.hasOwn(item, "item"))
    return false;
  return (
    isItemType(type) && ["call_id", "id", "summary", "name"].some((key) => Object.hasOwn(item, key))
  );
}

/** A file with one item a line. */
class ItemLines implements Gatherer {
  readonly #about: Pick<About, "agent">;
  readonly #items: JsonObject[] = [];
  #first: number | undefined;

  constructor(about: Pick<About, "agent">) {
    this.#about = about;
  }

  takes(record: Json): boolean {
    if (!isObject(record)) return false;
    return (
      isBareItem(record) ||
      (this.#first !== undefined && isItem(record) && !Object.hasOwn(record, "messages"))
    );
  }

  add(record: Json, about: About): readonly ImportedTrace[] {
    this.#first ??= about.record;
    if (isObject(record)) this.#items.push(record);
    return [];
  }

  end(): readonly Late[] {
    return this.#first === undefined
      ? []
      : [{ record: this.#first, read: () => traceOf(this.#items, {}, this.#about) }];
  }
}
