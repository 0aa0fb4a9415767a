import type { Fault, FaultType } from "../fault/fault.ts";
import { faultProblems } from "../fault/check-fault.ts";
import { faultTypes, matrixFaults } from "../fault/matrix.ts";
import { TwiceshyError } from "../shared/error.ts";
import { canonical, type Json } from "../shared/json.ts";
import type { World } from "../world/world.ts";
import type { Trial } from "./trial-result.ts";

/** Which faults a search may try. */
export interface SearchSpace {
  /** Names of tools. Default: all. */
  readonly tools?: readonly string[];
  /** Fault types. Default: every one that needs no payload. */
  readonly types?: readonly string[];
  /** Further faults as they are, such as an injection with its payload; their occurrence is set by the search. */
  readonly extra?: readonly Fault[];
}

/** Every fault that could hit one of the calls of a trial, in a fixed order: the simplest types first, then by call. */
export function faultsAt(trial: Trial, world: World, space: SearchSpace): readonly Fault[] {
  const calls = callsOf(trial);
  const found: Fault[] = [];
  for (const fault of templates(world, space))
    for (let n = 1; n <= (calls.get(fault.tool) ?? 0); n++) found.push(at(fault, n));
  // A first read has no earlier one that could be answered again, for instance.
  const kinds = kindsOf(world);
  return found.filter((fault) => faultProblems(fault, kinds).length === 0);
}

/** The tools of a world, and what they are. */
export function kindsOf({ tools }: World): ReadonlyMap<string, "read" | "write"> {
  return new Map(Object.entries(tools).map(([name, { kind }]) => [name, kind]));
}

/** One fault for each pair of type and tool, without an occurrence. */
function templates(world: World, { tools, types, extra = [] }: SearchSpace): readonly Fault[] {
  const wanted = types ?? searchable();
  const listed = listedFaults(world, wanted, tools);
  const order = new Map(wanted.map((type, place) => [type, place]));
  const simplestFirst = [...listed].sort(
    (a, b) => (order.get(a.type) ?? 0) - (order.get(b.type) ?? 0),
  );
  return [...simplestFirst, ...extra.filter(({ tool }) => tools?.includes(tool) ?? true)];
}

/** None where no type applies to any tool: a search of nothing is not an error. */
function listedFaults(
  world: World,
  faults: readonly string[],
  tools: readonly string[] | undefined,
): readonly Fault[] {
  try {
    return matrixFaults(world, { faults, ...(tools === undefined ? {} : { tools }) });
  } catch (thrown) {
    if (TwiceshyError.is(thrown) && thrown.code === "E_MATRIX_EMPTY") return [];
    throw thrown;
  }
}

/** Types that can be tried without being told more. */
function searchable(): string[] {
  return [...faultTypes().values()].filter((type) => needsNothing(type)).map(({ type }) => type);
}

function needsNothing({ required = [], matrix }: FaultType): boolean {
  return required.length === 0 && matrix !== "if-rival";
}

/** A search goes through every call of a tool, so the tool's calls are what is counted. */
function at(fault: Fault, occurrence: number): Fault {
  return { ...fault, occurrence, per: "tool" };
}

function callsOf(trial: Trial): ReadonlyMap<string, number> {
  const calls = new Map<string, number>();
  for (const event of trial.events)
    if (event.kind === "call") calls.set(event.tool, (calls.get(event.tool) ?? 0) + 1);
  return calls;
}

/** The call that a fault hits; two faults of one schedule never hit the same. */
export function placeOf(fault: Fault): string {
  return `${fault.tool}#${fault.occurrence ?? 1}`;
}

/** The same for two schedules of the same faults, in any order. */
export function scheduleKey(faults: readonly Fault[]): string {
  return faults
    .map((fault) => canonical(fault as Json))
    .sort()
    .join("\n");
}
