import { failure, type TwiceshyError } from "../shared/error.ts";
import { byCodeUnit, canonical, isObject, same, type Json } from "../shared/json.ts";
import { firstDifference } from "../shared/pointer.ts";
import { clip, oneLine } from "../shared/text.ts";
import type { Miss } from "./result.ts";

/** A recorded call as it was written, and in the form in which calls are compared. */
export interface Candidate {
  readonly args: Json;
  readonly compared: Json;
}

/** The recorded call with the fewest differing leaves; of equals, the first. */
export function nearestOf(asked: Json, candidates: readonly Candidate[]): Miss["nearest"] {
  let nearest: Candidate | undefined;
  let least = Infinity;
  for (const candidate of candidates) {
    const distance = differingLeaves(candidate.compared, asked);
    if (distance < least) [nearest, least] = [candidate, distance];
  }
  const difference = firstDifference(nearest?.compared, asked);
  if (nearest === undefined || difference === undefined) return undefined;
  const { pointer, left, right } = difference;
  return { args: nearest.args, pointer, recorded: left, asked: right };
}

function differingLeaves(a: Json | undefined, b: Json | undefined): number {
  if (Array.isArray(a) && Array.isArray(b)) {
    let sum = 0;
    for (let i = 0; i < Math.max(a.length, b.length); i++) sum += differingLeaves(a[i], b[i]);
    return sum;
  }
  if (isObject(a) && isObject(b)) {
    const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
    let sum = 0;
    for (const key of keys) {
      const left = Object.hasOwn(a, key) ? a[key] : undefined;
      const right = Object.hasOwn(b, key) ? b[key] : undefined;
      sum += differingLeaves(left, right);
    }
    return sum;
  }
  return same(a, b) && (a === undefined) === (b === undefined) ? 0 : Math.max(leaves(a), leaves(b));
}

function leaves(value: Json | undefined): number {
  if (value === undefined) return 0;
  if (typeof value !== "object" || value === null) return 1;
  return Math.max(
    1,
    Object.values(value).reduce<number>((sum, member) => sum + leaves(member), 0),
  );
}

/** What is known when no recording answers a call. */
export interface MissFacts {
  readonly nearest: Miss["nearest"];
  /** Every recorded tool. */
  readonly tools: readonly string[];
  /** Whether the call was recorded, but is a change that must not be answered twice. */
  readonly spent: boolean;
}

/** The error that the agent gets, and the person reads. */
export function missError(tool: string, args: Json, facts: MissFacts): TwiceshyError {
  return failure("E_CASSETTE_MISS", {
    to: `answer ${oneLine(tool, 60)}(${shown(args)}) from the cassette`,
    because: because(tool, facts),
    fix: fix(facts),
  });
}

function because(tool: string, { nearest, tools, spent }: MissFacts): string {
  if (spent) return "it was recorded, but it changes something and must not be answered twice";
  if (nearest !== undefined) {
    const { pointer, recorded, asked } = nearest;
    return (
      `no such call was recorded; the nearest is ${oneLine(tool, 60)}(${shown(nearest.args)}), ` +
      `where ${pointer === "" ? "the arguments are" : `${oneLine(pointer, 120)} is`} ` +
      `${shown(recorded)}, not ${shown(asked)}`
    );
  }
  if (tools.length === 0) return "no call was recorded at all";
  const names = [...tools].sort(byCodeUnit).map((name) => oneLine(name, 60));
  return `no call of this tool was recorded, only of ${clip(names.join(", "), 300)}`;
}

function fix({ nearest, spent }: MissFacts): string {
  if (spent) return "Let the agent make this change once, or record a run that makes it twice";
  if (nearest === undefined)
    return "Record a run that makes this call, so that its answer is known";
  return "Record a run that makes this call, or list the member in `volatile` when it never means anything";
}

function shown(value: Json | undefined): string {
  return value === undefined ? "missing" : clip(oneLine(canonical(value)), 200);
}
