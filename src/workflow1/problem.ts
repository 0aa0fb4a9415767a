import { z } from "zod";
import { failure, messageOf, TwiceshyError } from "../shared/error.ts";
import { nearest } from "../shared/nearest.ts";
import { parseJson } from "../shared/parse.ts";
import { child } from "../shared/pointer.ts";
import { oneLine } from "../shared/text.ts";
import type { Json } from "../shared/json.ts";
import { lineOf } from "./line-of.ts";

type Issue = z.core.$ZodIssue;

/** A document as it is read: its text, and the name under which a person knows it. */
export interface Source {
  readonly name: string;
  readonly text: string;
}

/** Parses a document's text; E_DOCUMENT_SYNTAX with line and column. */
export function parseDocument(source: Source): Json {
  try {
    return parseJson(source.text);
  } catch (thrown) {
    if (!TwiceshyError.is(thrown)) throw thrown;
    const because = /^Failed to parse a JSON text: (?<why>.*?)\. /.exec(thrown.message);
    throw failure("E_DOCUMENT_SYNTAX", {
      to: `read ${oneLine(source.name, 300)}`,
      because: because?.groups?.["why"] ?? thrown.message,
      fix: /[,]\s*[\]}]/.test(source.text)
        ? "Correct the JSON: a comma stands before a closing bracket"
        : "Correct the JSON",
      cause: thrown,
    });
  }
}

/** Checks parsed JSON by a schema; E_DOCUMENT_KEY or E_DOCUMENT_FIELD with file, line and JSON Pointer. */
export function checkedBy<T>(schema: z.ZodType<T>, source: Source): T {
  const parsed = schema.safeParse(parseDocument(source));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw issue === undefined ? parsed.error : explained(issue, schema, source);
}

function explained(issue: Issue, schema: z.ZodType, source: Source): Error {
  const pointer = pointerOf(issue.path);
  if (issue.code !== "unrecognized_keys") {
    const missing = "input" in issue && issue.input === undefined && issue.code === "invalid_type";
    return fieldProblem(source, pointer, {
      because: missing ? "it is missing" : lower(oneLine(issue.message, 300)),
      fix: "Correct it",
    });
  }
  const [key = ""] = issue.keys;
  const known = keysAt(schema, issue.path);
  const meant = nearest(key, known);
  return failure("E_DOCUMENT_KEY", {
    to: `read ${placeIn(source, child(pointer, key))}`,
    because: `there is no field ${JSON.stringify(oneLine(key, 60))} here`,
    fix:
      meant === undefined
        ? `Leave it out; the fields are ${known.join(", ")}`
        : `Did you mean ${JSON.stringify(meant)}? Rename it, or leave it out`,
  });
}

/** What is wrong with one field of a document. */
export function fieldProblem(
  source: Source,
  pointer: string,
  { because, fix }: { readonly because: string; readonly fix: string },
): Error {
  return failure("E_DOCUMENT_FIELD", {
    to: `read ${placeIn(source, pointer)}`,
    because,
    fix,
  });
}

/** "dojo/workflow.json:12, /scenarios/0/fault/type". */
function placeIn(source: Source, pointer: string): string {
  const file = oneLine(source.name, 300);
  if (pointer === "") return file;
  return `${file}:${lineOf(source.text, pointer)}, ${oneLine(pointer, 200)}`;
}

function pointerOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>((pointer, member) => child(pointer, String(member)), "");
}

/** The names that are known at a place of the schema. */
function keysAt(schema: unknown, path: readonly PropertyKey[]): string[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault)
    return keysAt(schema.unwrap(), path);
  const [first, ...rest] = path;
  if (schema instanceof z.ZodArray) return first === undefined ? [] : keysAt(schema.element, rest);
  if (!(schema instanceof z.ZodObject)) return [];
  if (first === undefined) return Object.keys(schema.shape);
  return keysAt(schema.shape[String(first)], rest);
}

function lower(message: string): string {
  return message.charAt(0).toLowerCase() + message.slice(1);
}

/** The cause that a person reads, on one bounded line. */
export function causeOf(thrown: unknown): string {
  return oneLine(messageOf(thrown), 500).replace(/\.$/, "");
}
