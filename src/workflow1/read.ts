import { checkProblems } from "../check/problems.ts";
import type { Check } from "../check/check.ts";
import { faultProblems } from "../fault/check-fault.ts";
import type { Fault } from "../fault/fault.ts";
import { readCapped } from "../shared/file.ts";
import { oneLine } from "../shared/text.ts";
import { child } from "../shared/pointer.ts";
import {
  documentSchema,
  matrixSchema,
  type Document,
  type DocumentCheck,
  type Matrix,
} from "./document.ts";
import { checkedBy, fieldProblem, type Source } from "./problem.ts";

const MAX_BYTES = 64 * 1024 * 1024;

/**
 * Reads one `workflow/1` document; `name` is what a person calls the file. Errors: E_FILE_*, E_DOCUMENT_SYNTAX with line and column,
 * E_DOCUMENT_KEY and E_DOCUMENT_FIELD with file, line and JSON Pointer.
 */
export function readDocument(path: string, name: string = path): Document {
  return documentOf({ name, text: readCapped(path, MAX_BYTES) });
}

/** The same of a text. */
export function documentOf(source: Source): Document {
  const document = checkedBy(documentSchema, source);
  checkDocument(document, { source, pointer: "" });
  return document;
}

/** Reads documents of one tool each, as `matrix` wrote them. */
export function readMatrix(path: string, name: string = path): Matrix {
  return matrixOf({ name, text: readCapped(path, MAX_BYTES) });
}

export function matrixOf(source: Source): Matrix {
  const matrix = checkedBy(matrixSchema, source);
  const [ids, tools] = [new Set<string>(), new Set<string>()];
  for (const [at, { id, tool, workflow }] of matrix.suites.entries()) {
    const pointer = `/suites/${at}`;
    refuseTwice(ids, id, { source, pointer: `${pointer}/id` });
    refuseTwice(tools, tool, { source, pointer: `${pointer}/tool` });
    checkDocument(workflow, { source, pointer: `${pointer}/workflow` });
    if (workflow.scenarios === undefined)
      throw fieldProblem(source, `${pointer}/workflow`, {
        because: "it has no scenarios",
        fix: "Give them, or write the matrix again",
      });
  }
  return matrix;
}

interface Place {
  readonly source: Source;
  readonly pointer: string;
}

function checkDocument(document: Document, { source, pointer }: Place): void {
  checkChecks(document.checks, { source, pointer: child(pointer, "checks") });
  const ids = new Set<string>();
  for (const [at, scenario] of (document.scenarios ?? []).entries()) {
    const here = child(child(pointer, "scenarios"), at);
    const place = (member: string): Place => ({ source, pointer: child(here, member) });
    refuseTwice(ids, scenario.id, place("id"));
    if (scenario.id === "control" || scenario.id === "baseline")
      throw fieldProblem(source, child(here, "id"), {
        because: `the id ${scenario.id} is that of the trial without faults`,
        fix: "Give the scenario another id",
      });
    if (scenario.checks !== undefined) checkChecks(scenario.checks, place("checks"));
    if (scenario.fault !== undefined) checkFault(scenario.fault as Fault, place("fault"));
    for (const [n, fault] of (scenario.faults ?? []).entries())
      checkFault(fault as Fault, { source, pointer: child(child(here, "faults"), n) });
  }
}

function refuseTwice(seen: Set<string>, id: string, { source, pointer }: Place): void {
  if (seen.has(id))
    throw fieldProblem(source, pointer, {
      because: `${JSON.stringify(id)} is there twice`,
      fix: "Give each its own",
    });
  seen.add(id);
}

function checkFault(fault: Fault, place: Place): void {
  const [problem] = faultProblems(fault, undefined);
  if (problem === undefined) return;
  const { field = "", message = problem } =
    /^(?<field>[^\s:]+): (?<message>.*)$/su.exec(problem)?.groups ?? {};
  throw memberProblem(field, message, place);
}

/** `message` reads "why not; what to do". */
function memberProblem(field: string, message: string, { source, pointer }: Place): Error {
  const at = message.indexOf("; ");
  const [because, fix] =
    at < 0 ? [message, "Correct it"] : [message.slice(0, at), message.slice(at + 2)];
  return fieldProblem(source, field === "" ? pointer : child(pointer, field), {
    because: oneLine(because, 300),
    fix: capital(oneLine(fix, 600).replace(/\?$/, "? Correct it").replace(/\.$/, "")),
  });
}

function checkChecks(checks: readonly DocumentCheck[], { source, pointer }: Place): void {
  const ids = new Set<string>();
  for (const [at, given] of checks.entries()) {
    const place = { source, pointer: child(pointer, at) };
    refuseTwice(ids, given.id, { source, pointer: child(place.pointer, "id") });
    const [problem] = checkProblems(given, "trial");
    if (problem !== undefined) throw memberProblem(problem.field, problem.message, place);
  }
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A check of a document as one of ours: its id and label stay. */
export function checkOf(given: DocumentCheck): Check & { readonly id: string } {
  return given as Check & { readonly id: string };
}
