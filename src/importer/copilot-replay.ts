import { isObject, type JsonObject } from "../shared/json.ts";
import { clip } from "../shared/text.ts";
import { argumentsOf, contentOf } from "./content.ts";
import { resultOf } from "./copilot-rounds.ts";
import { maybe, objectIn, own, textIn } from "./member.ts";
import type { Session } from "./session.ts";

/** One log of a replay: a request to the model, or a tool call with what it gave. */
export function addLog(session: Session, log: JsonObject): void {
  const kind = own(log, "kind");
  if (kind === "toolCall") {
    const id = textIn(log, "id");
    session.called({
      id,
      name: textIn(log, "tool") ?? textIn(log, "name") ?? "unknown",
      args: argumentsOf(own(log, "args")),
    });
    const response = own(log, "response");
    if (response === undefined || response === null) return;
    const content = textOf(contentOf(response));
    session.answered({ ...maybe("id", id), content, result: () => resultOf(content) });
  } else if (kind === "request") request(session, log);
  else if (kind !== "element") session.noted(typeof kind === "string" ? kind : "log", log);
}

function request(session: Session, log: JsonObject): void {
  const type = textIn(log, "type") ?? "";
  const response = own(log, "response");
  const message = isObject(response)
    ? (own(response, "message") ?? own(response, "value"))
    : response;
  const said = textOf(contentOf(message));
  if (/Fail|Error/.test(type)) {
    session.broke({
      name: "RequestError",
      message: clip(said === "" ? type : said, 1000),
      source: "flag",
    });
  } else if (/Cancel/.test(type)) {
    session.noted("interrupted", "");
    session.stopped();
  } else if (said !== "" && !isInner(log))
    session.said(said, maybe("name", textIn(objectIn(log, "metadata"), "model")));
}

/** Requests by which the editor makes titles and summaries for itself. */
function isInner(log: JsonObject): boolean {
  return /title|summar|progress|intent/i.test(textIn(log, "name") ?? "");
}

function textOf(content: ReturnType<typeof contentOf>): string {
  return typeof content === "string" ? content : JSON.stringify(content);
}
