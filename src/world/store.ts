import type { Json, JsonObject } from "../shared/json.ts";
import { put } from "../shared/marker.ts";
import { indexOf, ABSENT, ArrayOverlay, ObjectOverlay } from "./overlay.ts";
import type { Below, Container, Stored } from "./overlay.ts";

/** One change of one member or item of a committed container, as JSON that never changes. */
export interface Edit {
  readonly container: Container;
  /** An index for an array. */
  readonly key: string | number;
  readonly kind: "set" | "insert" | "remove";
  readonly value?: Json;
}

/**
 * The committed state of one trial: a frozen start state, and what became of its containers. Costs nothing to make, and
 * a change costs what it changes.
 */
export class Store implements Below {
  readonly root: Container;
  version = 0;
  #nodes: Map<Container, ObjectOverlay | ArrayOverlay> | undefined;

  constructor(root: Container) {
    this.root = root;
  }

  member(container: Container, key: string): Stored {
    const node = this.#nodes?.get(container) as ObjectOverlay | undefined;
    const changed = node?.get(key);
    if (changed !== undefined) return changed;
    const own = (container as JsonObject)[key];
    if (own === undefined) return ABSENT;
    // Inherited: JSON holds no functions, and of the rest only `__proto__` is no function.
    if ((typeof own === "function" || key === "__proto__") && !Object.hasOwn(container, key))
      return ABSENT;
    return own;
  }

  names(container: Container): readonly string[] {
    const own = Object.keys(container);
    const node = this.#nodes?.get(container) as ObjectOverlay | undefined;
    return node === undefined ? own : node.names(own);
  }

  item(container: Container, index: number): Stored {
    const own = container as Json[];
    const node = this.#nodes?.get(container) as ArrayOverlay | undefined;
    const changed = node?.item(index, own.length);
    if (changed !== undefined) return changed;
    return index < own.length ? (own[index] ?? null) : ABSENT;
  }

  length(container: Container): number {
    const own = (container as Json[]).length;
    const node = this.#nodes?.get(container) as ArrayOverlay | undefined;
    return node === undefined ? own : node.length(own);
  }

  resolve(container: Container): Json {
    if (this.#nodes === undefined) return container;
    return Array.isArray(container)
      ? this.#resolveArray(container)
      : this.#resolveObject(container);
  }

  #resolveArray(container: Json[]): Json {
    const changed = this.#nodes?.has(container) === true;
    const length = this.length(container);
    let copy: Json[] | undefined = changed ? [] : undefined;
    for (let i = 0; i < length; i++) {
      const item = this.item(container, i) as Json;
      const resolved = typeof item === "object" && item !== null ? this.resolve(item) : item;
      if (resolved !== item) copy ??= container.slice(0, i);
      copy?.push(resolved);
    }
    return copy === undefined ? container : (Object.freeze(copy) as Json[]);
  }

  #resolveObject(container: JsonObject): Json {
    const changed = this.#nodes?.has(container) === true;
    let differs = changed;
    const copy: JsonObject = {};
    for (const key of this.names(container)) {
      const value = this.member(container, key) as Json;
      const resolved = typeof value === "object" && value !== null ? this.resolve(value) : value;
      differs ||= resolved !== value;
      put(copy, key, resolved);
    }
    return differs ? Object.freeze(copy) : container;
  }

  /** The committed value at the members of a JSON Pointer. */
  at(members: readonly string[]): Json | undefined {
    let value: Stored = this.root;
    for (const key of members) {
      if (typeof value !== "object" || value === null) return undefined;
      value = Array.isArray(value)
        ? this.item(value, arrayIndex(key))
        : this.member(value as Container, key);
      if (value === ABSENT) return undefined;
    }
    const found = value as Json;
    return typeof found === "object" && found !== null ? this.resolve(found) : found;
  }

  commit(changes: readonly { readonly edit: Edit }[]): void {
    for (const { edit } of changes) {
      if (typeof edit.key === "number") this.#commitItem(edit, edit.key);
      else this.#commitMember(edit, edit.key);
    }
    this.version += 1;
  }

  #commitMember({ container, kind, value }: Edit, key: string): void {
    const nodes = (this.#nodes ??= new Map());
    let node = nodes.get(container) as ObjectOverlay | undefined;
    if (node === undefined) nodes.set(container, (node = new ObjectOverlay()));
    if (kind === "remove") node.remove(key);
    else node.set(key, value ?? null, this.member(container, key) !== ABSENT);
  }

  #commitItem({ container, kind, value = null }: Edit, index: number): void {
    const nodes = (this.#nodes ??= new Map());
    let node = nodes.get(container) as ArrayOverlay | undefined;
    if (node === undefined) nodes.set(container, (node = new ArrayOverlay()));
    const own = (container as Json[]).length;
    const length = node.length(own);
    if (node.items === undefined) {
      const kept = node.cut === -1 ? own : node.cut;
      if (kind === "set" && index < kept) return void (node.edits ??= new Map()).set(index, value);
      if (kind === "set" && index < length) return void (node.tail[index - kept] = value);
      if (kind !== "remove" && index >= length) return void node.tail.push(value);
      if (kind === "remove" && index === length - 1) return shorten(node, kept);
      node.items = Array.from({ length }, (_, i) => this.item(container, i));
      node.edits = undefined;
    }
    if (kind === "set" && index < length) node.items[index] = value;
    else node.items.splice(index, kind === "remove" ? 1 : 0, ...(kind === "remove" ? [] : [value]));
  }
}

function shorten(node: ArrayOverlay, kept: number): void {
  if (node.tail.length > 0) node.tail.pop();
  else {
    node.cut = kept - 1;
    node.edits?.delete(kept - 1);
  }
}

/** An index that no array has for a member that is no index. */
function arrayIndex(key: string): number {
  const index = indexOf(key);
  return index === -1 ? Number.MAX_SAFE_INTEGER : index;
}
