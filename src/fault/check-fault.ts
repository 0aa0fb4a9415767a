import { isObject, type Json } from "../shared/json.ts";
import { nearest } from "../shared/nearest.ts";
import { oneLine } from "../shared/text.ts";
import { fieldProblem, jsonProblem, shown, type Tools } from "./check-field.ts";
import type { Fault, FaultType } from "./fault.ts";
import { faultTypes } from "./known.ts";
import { nth } from "./words.ts";

/** The highest call that a fault may hit. */
const LAST_CALL = 1000;
const SELECTION = ["type", "tool", "occurrence", "repeat", "match", "per"];

/**
 * What is wrong with a fault, each as a sentence that names the field and the remedy; nothing for a good one. Takes any plain data.
 * Without the tools nothing is said about their names and kinds.
 */
export function faultProblems(fault: Fault, tools: Tools | undefined): string[] {
  const given: unknown = fault;
  if (!isObject(given))
    return ['fault: it must be an object, such as { "type": "timeout_after", "tool": "send" }'];
  const name = given["type"];
  const type = typeof name === "string" ? faultTypes().get(name) : undefined;
  if (type === undefined) return [unknownType(name)];
  const shapes = [
    ...toolProblems(given, type, tools),
    ...selectionProblems(given),
    ...ownProblems(given, type, tools),
  ];
  // What a type says about its fields relies on their shapes.
  return shapes.length > 0 ? shapes : [...rangeProblems(fault), ...(type.problems?.(fault) ?? [])];
}

type Given = { readonly [field: string]: Json | undefined };

function unknownType(type: unknown): string {
  const known = [...faultTypes().keys()];
  if (typeof type !== "string") return `type: it is missing; use one of ${known.join(", ")}`;
  const meant = nearest(type, known);
  const remedy =
    meant === undefined ? `use one of ${known.join(", ")}` : `did you mean "${meant}"?`;
  return `type: there is no fault type ${shown(type)}; ${remedy}`;
}

function toolProblems({ tool }: Given, type: FaultType, tools: Tools | undefined): string[] {
  const named = fieldProblem("tool", tool ?? null, { shape: "tool", tools });
  if (named !== undefined) return [named];
  const kind = typeof tool === "string" ? tools?.get(tool) : undefined;
  if (kind === undefined || type.appliesTo.includes(kind)) return [];
  const needed = type.appliesTo.map((wanted) => `${wanted} tool`).join(" or a ");
  const others = [...(tools ?? [])].filter(([, other]) => other !== kind).map(([name]) => name);
  const remedy = others.length === 0 ? "the world has none" : `use ${others.join(" or ")}`;
  return [`tool: ${type.type} needs a ${needed}, and ${shown(tool)} is a ${kind} tool; ${remedy}`];
}

function selectionProblems({ occurrence, repeat, match, per }: Given): string[] {
  const found: string[] = [];
  for (const [field, value] of [
    ["occurrence", occurrence],
    ["repeat", repeat],
  ] as const) {
    if (value !== undefined && !isCall(value))
      found.push(`${field}: ${shown(value)} is no whole number from 1 to ${LAST_CALL}; use one`);
  }
  if (match !== undefined && !isObject(match))
    found.push('match: it must be an object of arguments, such as { "id": 7 }');
  else if (match !== undefined && jsonProblem(match) !== undefined)
    found.push(`match: ${jsonProblem(match)}; use plain JSON`);
  if (per !== undefined && per !== "tool" && per !== "arguments")
    found.push(`per: ${shown(per)} cannot be counted by; use "tool" or "arguments"`);
  return found;
}

function isCall(value: Json): boolean {
  return typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= LAST_CALL;
}

function ownProblems(given: Given, type: FaultType, tools: Tools | undefined): string[] {
  const found: string[] = [];
  for (const [field, value] of Object.entries(given)) {
    if (SELECTION.includes(field) || value === undefined) continue;
    const shape = Object.hasOwn(type.fields, field) ? type.fields[field] : undefined;
    const problem =
      shape === undefined
        ? unknownField(field, type)
        : fieldProblem(field, value, { shape, tools });
    if (problem !== undefined) found.push(problem);
  }
  for (const wanted of type.required ?? []) {
    const oneOf = typeof wanted === "string" ? [wanted] : wanted;
    if (oneOf.every((field) => given[field] === undefined))
      found.push(
        `${oneOf[0] ?? ""}: ${type.type} needs ${oneOf.map((field) => `\`${field}\``).join(" or ")}; give it`,
      );
  }
  return found;
}

function unknownField(field: string, type: FaultType): string {
  const known = [...SELECTION.slice(2), ...Object.keys(type.fields)];
  const meant = nearest(field, known);
  const remedy = meant === undefined ? `it has ${known.join(", ")}` : `did you mean "${meant}"?`;
  return `${oneLine(field, 60)}: ${type.type} has no such field; ${remedy}`;
}

function rangeProblems({ occurrence, repeat = 1, type }: Fault): string[] {
  const from = occurrence ?? faultTypes().get(type)?.occurrence ?? 1;
  const last = from + repeat - 1;
  return last <= LAST_CALL
    ? []
    : [
        `repeat: the last call that is hit would be the ${nth(last)}, and ${LAST_CALL} is the most; use a smaller \`repeat\` or \`occurrence\``,
      ];
}
