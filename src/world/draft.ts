import type { Json, JsonObject } from "../shared/json.ts";
import { put } from "../shared/marker.ts";
import { ARRAY_HANDLER } from "./draft-array.ts";
import { OBJECT_HANDLER } from "./draft-object.ts";
import { ABSENT, ArrayOverlay, Held, ObjectOverlay } from "./overlay.ts";
import type { Below, Container, Stored } from "./overlay.ts";
import { Place, placeOf } from "./place.ts";
import { plain, type NotJson, type Walk } from "./plain.ts";

/** Places that are looked through one by one: a map costs more, and most calls touch few. */
const MOST_FEW = 8;

/**
 * The state as one call sees and changes it: what is committed, with the call's own changes on it. It is made of
 * proxies, which are made when they are asked for. What a tool assigns stays its own object until the changes are
 * collected. When the call has ended, the draft is closed, and every use of it throws.
 */
export class Draft implements Below {
  readonly below: Below;
  readonly tool: string;
  readonly root: Place;
  version = 0;
  closed = false;
  /** Whether no container has moved or gone, so that every place is still where it was found. */
  simple = true;
  /** The place that was made last: the way to all of them, one after the other. */
  latest: Place;
  #places = 1;
  /** The places by their containers, where there are many. */
  #many: Map<Container, Place> | undefined;
  #journal: (Place | string | number)[] | undefined;

  constructor(below: Below, root: Container, tool: string) {
    this.below = below;
    this.tool = tool;
    this.root = new Place(root, this, "");
    this.latest = this.root;
  }

  /** Every first change: the place, and the key, the index, `-1 - n` for the n-th item at an array's end, or `MOVED`. */
  get journal(): readonly (Place | string | number)[] {
    return this.#journal ?? UNCHANGED;
  }

  /** The place of a container; made when it is first asked for. */
  place(container: Container, parent: Place, key: string | number): Place {
    const known = this.placeIfKnown(container);
    if (known !== undefined) return known;
    const made = new Place(container, parent, key);
    this.latest = made;
    if (this.#many !== undefined) this.#many.set(container, made);
    else if (++this.#places > MOST_FEW) this.#many = placesBefore(made);
    return made;
  }

  placeIfKnown(container: Container): Place | undefined {
    if (this.#many !== undefined) return this.#many.get(container);
    let place: Place | undefined = this.latest;
    while (place !== undefined && place.container !== container) place = place.earlier;
    return place;
  }

  /** What the tool sees of a stored value. */
  shown(value: Stored, parent: Place, key: string | number): unknown {
    if (typeof value !== "object" || value === null) return value === ABSENT ? undefined : value;
    if (value instanceof Held) return value.value;
    // The draft around a nested call may hold a draft of its own inside of what a tool assigned.
    const inner = this.below instanceof Draft ? placeOf(value) : undefined;
    return proxyOf(this.place(inner?.container ?? value, parent, key));
  }

  /** A value as it is kept: a part of this draft by its place, what else is an object as it is. */
  stored(value: unknown): Stored {
    if (typeof value === "string" || typeof value === "boolean" || value === null) return value;
    if (typeof value === "number" && Number.isFinite(value)) return value;
    const place = typeof value === "object" ? placeOf(value) : undefined;
    return place?.draft === this ? place.container : new Held(value);
  }

  record(place: Place, key: string | number): void {
    if (this.#journal === undefined) this.#journal = [place, key];
    else this.#journal.push(place, key);
    this.version += 1;
  }

  /** Throws when the call has ended. */
  use(): void {
    if (this.closed) {
      throw new TypeError(
        `the state of ${this.tool} was used after its call had ended; await all work before the tool returns`,
      );
    }
  }

  /** What is kept of a member: the tool's own value as it is. */
  storedMember(container: Container, key: string): Stored {
    const overlay = this.placeIfKnown(container)?.overlay as ObjectOverlay | undefined;
    const changed = overlay?.get(key);
    return changed === undefined ? this.below.member(container, key) : changed;
  }

  storedItem(container: Container, index: number): Stored {
    const overlay = this.placeIfKnown(container)?.overlay as ArrayOverlay | undefined;
    const changed = overlay?.item(index, this.below.length(container));
    return changed === undefined ? this.below.item(container, index) : changed;
  }

  // As the layer below a nested call's draft.

  member(container: Container, key: string): Stored {
    const stored = this.storedMember(container, key);
    return stored instanceof Held ? heldBelow(stored.value, ABSENT) : stored;
  }

  item(container: Container, index: number): Stored {
    const stored = this.storedItem(container, index);
    return stored instanceof Held ? heldBelow(stored.value, null) : stored;
  }

  names(container: Container): readonly string[] {
    const overlay = this.placeIfKnown(container)?.overlay as ObjectOverlay | undefined;
    const below = this.below.names(container);
    return overlay === undefined ? below : overlay.names(below);
  }

  length(container: Container): number {
    const overlay = this.placeIfKnown(container)?.overlay as ArrayOverlay | undefined;
    const below = this.below.length(container);
    return overlay === undefined ? below : overlay.length(below);
  }

  resolve(container: Container): Json {
    return this.copy(container, newWalk(false));
  }

  /** This draft's view of a container; told in `walk` when the tool put something into it that is not JSON. */
  copy(container: Container, walk: Walk): Json {
    if (this.#journal === undefined) return this.below.resolve(container);
    if (walk.stack.includes(container)) {
      walk.problem ??= {
        pointer: "",
        found: "a value that contains itself",
        instead: "store an id in its place",
      };
      return null;
    }
    walk.stack.push(container);
    const copy = Array.isArray(container)
      ? this.#copyArray(container, walk)
      : this.#copyObject(container, walk);
    walk.stack.pop();
    return copy;
  }

  #copyArray(container: Json[], walk: Walk): Json {
    const length = this.length(container);
    const copy: Json[] = [];
    for (let i = 0; i < length; i++) {
      copy.push(this.copyStored(this.storedItem(container, i), walk) ?? null);
      if (walk.problem !== undefined) return placed(copy, i, walk.problem);
    }
    return Object.freeze(copy) as Json[];
  }

  #copyObject(container: JsonObject, walk: Walk): Json {
    const copy: JsonObject = {};
    for (const key of this.names(container)) {
      const member = this.copyStored(this.storedMember(container, key), walk);
      if (walk.problem !== undefined) return placed(copy, key, walk.problem);
      if (member !== undefined) put(copy, key, member);
    }
    return Object.freeze(copy);
  }

  /** A stored value as JSON; undefined where there is none. */
  copyStored(value: Stored, walk: Walk): Json | undefined {
    if (typeof value !== "object" || value === null) return value === ABSENT ? undefined : value;
    return value instanceof Held ? plain(value.value, walk) : this.copy(value, walk);
  }
}

const UNCHANGED: readonly never[] = Object.freeze([]);

/** A place and all that its draft made before it, by their containers. */
function placesBefore(latest: Place): Map<Container, Place> {
  const places = new Map<Container, Place>();
  let place: Place | undefined = latest;
  for (; place !== undefined; place = place.earlier) places.set(place.container, place);
  return places;
}

/** What the tool holds of a place. */
export function proxyOf(place: Place): object {
  return (place.proxy ??= Array.isArray(place.container)
    ? new Proxy<Place[]>([place], ARRAY_HANDLER)
    : new Proxy<Place>(place, OBJECT_HANDLER));
}

function placed<T>(copy: T, key: string | number, problem: NotJson): T {
  problem.pointer = `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}${problem.pointer}`;
  return copy;
}

/** A walk that looks through drafts. */
export function newWalk(freeze: boolean): Walk {
  return { stack: [], freeze, draft: draftValue };
}

function draftValue(value: object, walk: Walk): Json | undefined {
  const place = placeOf(value);
  if (place === undefined) return undefined;
  place.draft.use();
  return place.draft.copy(place.container, walk);
}

/** What a nested call sees of a value that the tool around it assigned. */
function heldBelow(value: unknown, missing: null | typeof ABSENT): Stored {
  if (value === undefined || typeof value === "function" || typeof value === "symbol")
    return missing;
  if (typeof value === "object" && value !== null)
    return placeOf(value)?.container ?? (value as Container);
  return value as Json;
}
