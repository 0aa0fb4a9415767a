import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import { put } from "../shared/marker.ts";
import { members } from "../shared/pointer.ts";
import { equal, valueAt } from "../check/pointer-path.ts";
import type { Change } from "../world/world.ts";
import { hidesSomething } from "./redact-report.ts";
import type { States } from "./subject.ts";
import type { TrialEvent } from "./trial-result.ts";

/** The states of a trial, from its start state and the changes that its evidence shows. */
export function statesOf(initial: Json, events: readonly TrialEvent[]): States {
  let final: Json | undefined;
  const end = (): Json => (final ??= finalState(initial, events));
  return {
    read: (pointer) => valueAt(end(), pointer),
    initial: (pointer) => valueAt(initial, pointer),
  };
}

/** The state after all changes. The start state is not changed; what no change touches is shared. */
export function finalState(initial: Json, events: readonly TrialEvent[]): Json {
  const draft = new Draft(initial);
  for (const event of events)
    if (event.kind === "mutation") for (const change of event.changes) draft.apply(change);
  return draft.root;
}

/**
 * What in the changes does not fit the state that they are made in; undefined when all does. A state without some secrets cannot be
 * compared in the places where one is. The changes of calls inside of others are listed by who made them, and not in their order.
 */
export function changeProblem(initial: Json, events: readonly TrialEvent[]): string | undefined {
  const draft = new Draft(initial);
  const inOrder = !hasCallsInside(events);
  for (const event of events) {
    if (event.kind !== "mutation") continue;
    for (const [i, change] of event.changes.entries()) {
      const problem = inOrder ? draft.problem(change) : undefined;
      if (problem !== undefined) return `${event.id} changes[${i}] ${problem}`;
      draft.apply(change);
    }
  }
  return undefined;
}

/** Whether a call was made inside of another one's transaction: its id says so, or it was made later and committed with it. */
function hasCallsInside(events: readonly TrialEvent[]): boolean {
  const order = new Map<string, number>();
  let before = -1;
  for (const event of events) {
    if (event.kind === "call") order.set(event.callId, order.size);
    if (event.kind !== "mutation" || event.by !== "agent") continue;
    const at = order.get(event.callId);
    if (at === undefined || at < before) return true;
    before = at;
  }
  return false;
}

/** A copy that is made where something changes. */
class Draft {
  root: Json;
  readonly #own = new Set<Json>();

  constructor(initial: Json) {
    this.root = initial;
  }

  /** As the world lists changes: without `before` an item is put in, without `after` it is taken out. */
  apply({ path, before, after }: Change): void {
    const way = members(path);
    const last = way.pop();
    if (last === undefined) {
      this.root = after ?? null;
      return;
    }
    this.root = this.#mine(this.root);
    let at: Json = this.root;
    for (const name of way) at = this.#step(at, name);
    if (Array.isArray(at) && before === undefined && after !== undefined)
      at.splice(Number(last), 0, after);
    else change(at, last, after);
  }

  /** Whether something else is there than the change says, or nothing that it could be made in. */
  problem({ path, before, after }: Change): string | undefined {
    const found = valueAt(this.root, path);
    const around =
      path === "" ? this.root : valueAt(this.root, path.slice(0, path.lastIndexOf("/")));
    if (hidesSomething([path, before, after, found])) return undefined;
    const last = members(path).at(-1);
    if (before === undefined && Array.isArray(around)) {
      const index = Number(last);
      return Number.isInteger(index) && index >= 0 && index <= around.length
        ? undefined
        : `puts an item at ${path}, and the list has ${around.length}`;
    }
    if (path !== "" && (typeof around !== "object" || around === null))
      return `is made at ${path}, where there is nothing around it`;
    if (!equal(before, found))
      return `says that something else was at ${path} than the state has there`;
    return before === undefined && after === undefined ? `changes nothing at ${path}` : undefined;
  }

  #step(at: Json, name: string): Json {
    const inner = this.#mine(valueAt(at, pointerOf(name)) ?? null);
    change(at, name, inner);
    return inner;
  }

  #mine(value: Json): Json {
    if (typeof value !== "object" || value === null || this.#own.has(value)) return value;
    const copy = Array.isArray(value) ? [...value] : copyOf(value);
    this.#own.add(copy);
    return copy;
  }
}

function pointerOf(name: string): string {
  return `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

function copyOf(value: JsonObject): JsonObject {
  const copy: JsonObject = {};
  for (const key of Object.keys(value)) put(copy, key, value[key] ?? null);
  return copy;
}

function change(at: Json, name: string, after: Json | undefined): void {
  if (Array.isArray(at)) {
    const index = Number(name);
    if (after !== undefined) at[index] = after;
    else at.splice(index, 1);
    return;
  }
  if (!isObject(at))
    throw new TypeError(`a change goes through ${JSON.stringify(name)}, where there is nothing`);
  if (after === undefined) Reflect.deleteProperty(at, name);
  else put(at, name, after);
}
