import type { Json, JsonObject } from "../shared/json.ts";
import { put } from "../shared/marker.ts";
import type { Draft } from "./draft.ts";
import { ABSENT, isContainer, type Stored } from "./overlay.ts";
import type { Walk } from "./plain.ts";
import type { Edit } from "./store.ts";
import type { Change } from "./world.ts";

/** One change, and how the layer below is told of it. */
export interface DraftChange {
  readonly edit: Edit;
  readonly change: Change;
}

/** A member or item of a container of the layer below. */
interface Spot {
  readonly place: { readonly container: Edit["container"]; readonly draft: Draft };
  readonly key: string | number;
  readonly path: string;
}

interface Values {
  readonly before: Stored;
  readonly stored: Stored;
  readonly walk: Walk;
}

/** The change from one value to another; undefined when both are the same. */
export function changeAt(spot: Spot, { before, stored, walk }: Values): DraftChange | undefined {
  const { place, key, path } = spot;
  const { container, draft } = place;
  let value = draft.copyStored(stored, walk);
  if (walk.problem !== undefined) {
    walk.problem.pointer = path + walk.problem.pointer;
    return undefined;
  }
  if (value === undefined && typeof key === "number" && stored !== ABSENT) value = null;
  // What was moved here is a tree of its own from now on.
  if (value !== undefined && isContainer(stored)) value = copied(value);
  if (before === ABSENT) {
    if (value === undefined) return undefined;
    const kind = typeof key === "number" ? "insert" : "set";
    return { edit: { container, key, kind, value }, change: { path, after: value } };
  }
  const was = isContainer(before) ? draft.below.resolve(before) : (before as Json);
  if (value === undefined)
    return { edit: { container, key, kind: "remove" }, change: { path, before: was } };
  if (value === was) return undefined;
  return {
    edit: { container, key, kind: "set", value },
    change: { path, before: was, after: value },
  };
}

function copied(value: Json): Json {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return Object.freeze(value.map(copied)) as Json[];
  const copy: JsonObject = {};
  for (const key of Object.keys(value)) put(copy, key, copied(value[key] ?? null));
  return Object.freeze(copy);
}
