import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import type { Score } from "../trace/trace.ts";
import type { AnyTurn } from "./any-message.ts";
import { anyTurns } from "./any-turns.ts";
import { usageOf } from "./content.ts";
import type { About, ImportedTrace, Importer } from "./importer.ts";
import { maybe, objectIn, objectsIn, own, textIn } from "./member.ts";
import { toldTrace } from "./told-trace.ts";

const FORMAT = "autogen";
/** Headings that AutoGen's grader puts into its question. */
const GRADER = ["# Task description", "# Correct answer", "# Answer to be graded"];

/**
 * A session of AutoGen: the model calls that it recorded for a replay, `[{mode, messages, response}]`. Each conversation is a trace; a call
 * that goes on with an earlier one is part of it. What the grader in the same file says of an answer is its score.
 */
export const autogen: Importer = {
  name: FORMAT,

  recognises(record: Json): boolean {
    return Array.isArray(record) && record.length > 0 && record.every((call) => isCall(call));
  },

  read(record: Json, about: About): readonly ImportedTrace[] {
    const calls = (Array.isArray(record) ? record : []).filter((call) => isObject(call));
    const grades = gradesIn(calls);
    return calls.flatMap((call, key) => {
      if (gradeOf(call) !== undefined || goesOn(calls, key)) return [];
      return [{ ...traceOf(call, grades.get(key), about), key }];
    });
  },
};

function isCall(call: Json): boolean {
  return (
    isObject(call) &&
    typeof own(call, "mode") === "string" &&
    Array.isArray(own(call, "messages")) &&
    Object.hasOwn(call, "response")
  );
}

/** Whether a later call tells the same conversation with more at its end. */
function goesOn(calls: readonly JsonObject[], place: number): boolean {
  const next = calls[place + 1];
  const call = calls[place];
  if (next === undefined || call === undefined) return false;
  const before = objectsIn(call, "messages");
  const after = objectsIn(next, "messages");
  return (
    after.length > before.length &&
    before.every((message, i) => JSON.stringify(message) === JSON.stringify(after[i]))
  );
}

interface Grade {
  readonly asked: string;
  readonly right: string;
  readonly passed: boolean;
}

/** What a call of the grader says: the pieces of its question stand apart, under headings. */
function gradeOf(call: JsonObject): Grade | undefined {
  const last = objectsIn(call, "messages").at(-1);
  const content = last === undefined ? undefined : own(last, "content");
  const verdict = textIn(objectIn(call, "response"), "content")?.trim();
  if (!Array.isArray(content) || (verdict !== "0" && verdict !== "1")) return undefined;
  const pieces = content.map((piece) => (typeof piece === "string" ? piece.trim() : ""));
  const [asked, right] = GRADER.map((heading) => pieces[pieces.indexOf(heading) + 1]);
  if (
    !GRADER.every((heading) => pieces.includes(heading)) ||
    asked === undefined ||
    right === undefined
  )
    return undefined;
  return { asked, right, passed: verdict === "1" };
}

/** Grades by the place of the call that they are about: the last one before, that was asked this very task. */
function gradesIn(calls: readonly JsonObject[]): ReadonlyMap<number, Grade> {
  const found = new Map<number, Grade>();
  for (const [place, call] of calls.entries()) {
    const grade = gradeOf(call);
    if (grade === undefined) continue;
    const about = calls.findLastIndex(
      (other, at) =>
        at < place && !found.has(at) && questionOf(other)?.startsWith(grade.asked) === true,
    );
    if (about >= 0) found.set(about, grade);
  }
  return found;
}

/** The question of a call whose question is one text. */
function questionOf(call: JsonObject): string | undefined {
  const last = objectsIn(call, "messages").at(-1);
  return last === undefined ? undefined : textIn(last, "content")?.trim();
}

function traceOf(call: JsonObject, grade: Grade | undefined, about: About): ImportedTrace {
  const response = objectIn(call, "response");
  const turns: AnyTurn[] = [
    ...objectsIn(call, "messages").flatMap((message) => anyTurns(message, "user")),
    ...anyTurns(
      {
        role: "assistant",
        content: own(response, "content") ?? null,
        ...maybe("reasoning", textIn(response, "thought")),
      },
      "assistant",
    ),
  ];
  const score: Score | undefined =
    grade === undefined
      ? undefined
      : { name: "grader", value: grade.passed ? 1 : 0, best: 1, passed: grade.passed };
  return toldTrace({
    format: FORMAT,
    turns,
    agent: about.agent,
    meta: {
      ...maybe("finish_reason", textIn(response, "finish_reason")),
      ...maybe("correct_answer", grade?.right),
    },
    more: { ...maybe("score", score), ...maybe("usage", usageOf(own(response, "usage"))) },
  });
}
