import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import type { ToolResult } from "../trace/trace.ts";
import { argumentsOf } from "./content.ts";
import { maybe, objectIn, objectsIn, own, textIn } from "./member.ts";
import type { Session } from "./session.ts";
import { errorFrom } from "./tool-error.ts";
import { toolResultOf } from "./tool-result.ts";

/** How the editor words a tool that failed. */
const FAILED = /^(?:ERROR while calling tool|ERROR: )/;
/** Depth of the rendered trees in which results stand. */
const DEPTH = 60;

/** Whether a round says or does anything. */
export function answered(round: JsonObject): boolean {
  return textIn(round, "response") !== undefined || objectsIn(round, "toolCalls").length > 0;
}

/** The rounds of a request: what the model said in each, its calls and their results. */
export function addRounds(
  session: Session,
  rounds: readonly JsonObject[],
  results: JsonObject,
): void {
  for (const [place, round] of rounds.entries()) {
    const thinking = own(round, "thinking");
    session.thought(isObject(thinking) ? textIn(thinking, "text") : undefined);
    const said = textIn(round, "response");
    if (said !== undefined) session.said(said);
    const calls = objectsIn(round, "toolCalls");
    const group = textIn(round, "id") ?? `round ${place}`;
    for (const call of calls) {
      session.called({
        id: textIn(call, "id"),
        name: textIn(call, "name") ?? "unknown",
        args: argumentsOf(own(call, "arguments")),
        group,
      });
    }
    for (const call of calls) {
      const id = textIn(call, "id");
      const result = id === undefined ? undefined : own(results, id);
      if (result === undefined) continue;
      const content = renderedText(result);
      session.answered({ ...maybe("id", id), content, result: () => resultOf(content) });
    }
  }
}

/** A result as the text that the model was shown. */
function renderedText(result: Json): string {
  const texts: string[] = [];
  const parts = isObject(result) ? own(result, "content") : result;
  for (const part of Array.isArray(parts) ? parts : [parts ?? null]) {
    const value = isObject(part) ? (own(part, "value") ?? own(part, "text") ?? null) : part;
    if (typeof value === "string") texts.push(value);
    else if (isObject(value)) texts.push(treeText(own(value, "node") ?? value, 0));
  }
  return texts.join("\n");
}

function treeText(node: Json, depth: number): string {
  if (!isObject(node) || depth > DEPTH) return "";
  const text = own(node, "text");
  const before = own(node, "lineBreakBefore") === true ? "\n" : "";
  if (typeof text === "string") return before + text;
  const children = own(node, "children");
  return Array.isArray(children)
    ? children.map((child) => treeText(child, depth + 1)).join("")
    : "";
}

export function resultOf(content: string): ToolResult {
  if (FAILED.test(content)) return { ok: false, error: errorFrom(content, "text"), data: content };
  return toolResultOf(content);
}

/** Exports without rounds: texts are the words, and a tool shows only what the person saw of it. */
export function addParts(session: Session, parts: readonly JsonObject[]): void {
  let words = "";
  const say = (): void => {
    if (words.trim() !== "") session.said(words.trim());
    words = "";
  };
  for (const part of parts) {
    const kind = own(part, "kind");
    if (kind === undefined || kind === "markdownContent") words += textOf(part);
    else if (kind === "inlineReference")
      words += textIn(part, "name") ?? nameOf(objectIn(part, "inlineReference"));
    else if (kind === "thinking") session.thought(textIn(part, "value"));
    else if (kind === "toolInvocationSerialized") {
      say();
      invocation(session, part);
    }
  }
  say();
}

/** What the editor shows of an answer: the deeds that it names come after the words about them, too. */
export function shownWords(parts: readonly JsonObject[]): string | undefined {
  const texts = parts.map((part) => (own(part, "kind") === undefined ? textOf(part).trim() : ""));
  return texts.findLast((text) => text !== "");
}

function textOf(part: JsonObject): string {
  const content = own(part, "content");
  return textIn(part, "value") ?? (isObject(content) ? textIn(content, "value") : undefined) ?? "";
}

function nameOf(reference: JsonObject): string {
  return textIn(reference, "fsPath")?.split("/").at(-1) ?? "";
}

function invocation(session: Session, part: JsonObject): void {
  const id = textIn(part, "toolCallId");
  const told = messageIn(part, "invocationMessage");
  session.called({
    id,
    name: textIn(part, "toolId") ?? "unknown",
    args: told === undefined ? {} : { invocation: told },
  });
  const details = own(part, "resultDetails");
  if (own(part, "isComplete") === false) return;
  const output = isObject(details) ? own(details, "output") : undefined;
  const content =
    typeof output === "string" ? output : (messageIn(part, "pastTenseMessage") ?? "done");
  const flagged = isObject(details) && own(details, "isError") === true;
  session.answered({ ...maybe("id", id), content, result: () => toolResultOf(content, flagged) });
}

function messageIn(part: JsonObject, key: string): string | undefined {
  const message = own(part, key);
  return typeof message === "string"
    ? message
    : isObject(message)
      ? textIn(message, "value")
      : undefined;
}
