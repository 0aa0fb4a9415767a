import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import { unwrapped } from "./any-turns.ts";
import { objectsIn, own, textIn } from "./member.ts";
import { attributesIn } from "./otel-attributes.ts";

/** Roles of the events in which older conventions put messages. */
const ROLES: ReadonlyMap<string, string> = new Map([
  ["gen_ai.system.message", "system"],
  ["gen_ai.user.message", "user"],
  ["gen_ai.assistant.message", "assistant"],
  ["gen_ai.tool.message", "tool"],
]);
/** What events carry under the names of attributes. */
const CARRIED = /^(?:gen_ai|exception)\.\w/;

export interface SpanEvents {
  /** Messages that a model was given. */
  readonly asked: Json[];
  /** Messages that it answered. */
  readonly answered: Json[];
  /** What the other events carry: contents, exceptions. */
  readonly attributes: JsonObject;
}

/** The events of a span, or the logs in which Jaeger keeps them. */
export function eventsOf(raw: JsonObject): SpanEvents {
  const asked: Json[] = [];
  const answered: Json[] = [];
  const carried: [string, Json][] = [];
  const jaeger = objectsIn(raw, "logs").map((log) => attributesIn(log, "fields"));
  const named = objectsIn(raw, "events").map((event) => ({
    name: textIn(event, "name"),
    body: attributesIn(event),
  }));
  const logged = jaeger.map((body) => ({
    name: textIn(body, "event.name") ?? textIn(body, "event"),
    body,
  }));
  for (const { name = "", body } of [...named, ...logged]) {
    const held = unwrapped(own(body, "gen_ai.event.content") ?? own(body, "content") ?? null);
    const message = isObject(held) ? { ...body, ...held } : body;
    const role = ROLES.get(name);
    if (role !== undefined) asked.push({ ...message, role });
    else if (name === "gen_ai.choice") answered.push({ role: "assistant", ...inner(message) });
    else carried.push(...Object.entries(body).filter(([key]) => CARRIED.test(key)));
  }
  return { asked, answered, attributes: Object.fromEntries(carried) };
}

/** The message within a choice. */
function inner(choice: JsonObject): JsonObject {
  const message = unwrapped(own(choice, "message") ?? null);
  return isObject(message) ? message : choice;
}
