import { child } from "../shared/pointer.ts";
import type { Draft } from "./draft.ts";
import type { ArrayOverlay, Container, ObjectOverlay } from "./overlay.ts";

/** Asked of any object, tells whether it is a draft. */
export const PLACE: unique symbol = Symbol("place");

/** Where in the journal an array was changed otherwise than by setting an item or adding one at its end. */
export const MOVED = Number.NEGATIVE_INFINITY;

/** One container of the state as one call sees it; its proxy is what the tool holds. */
export class Place {
  readonly draft: Draft;
  readonly container: Container;
  readonly parent: Place | undefined;
  /** Where it was found in its parent. */
  readonly key: string | number;
  path: string | undefined;
  proxy: object | undefined;
  overlay: ObjectOverlay | ArrayOverlay | undefined;
  /** The place that its draft made before this one. */
  readonly earlier: Place | undefined;
  /** Places below that are changed, or have such below; known when the changes are collected. */
  touched: Set<Place> | undefined;

  constructor(container: Container, parent: Draft | Place, key: string | number) {
    this.container = container;
    this.key = key;
    if (parent instanceof Place) {
      this.parent = parent;
      this.draft = parent.draft;
      this.earlier = parent.draft.latest;
    } else this.draft = parent;
  }
}

/** The JSON Pointer of a place that is still where it was found. */
export function pathOf(place: Place): string {
  const { parent, key } = place;
  if (parent === undefined) return "";
  return (place.path ??= under(pathOf(parent), key));
}

/** As `child`, quick for the keys of almost every state. */
export function under(pointer: string, key: string | number): string {
  if (typeof key === "number") return `${pointer}/${key}`;
  return key.includes("/") || key.includes("~") ? child(pointer, key) : `${pointer}/${key}`;
}

/** The place that a draft's proxy stands for; undefined for every other object. */
export function placeOf(value: object): Place | undefined {
  return (value as { readonly [PLACE]?: Place })[PLACE];
}
