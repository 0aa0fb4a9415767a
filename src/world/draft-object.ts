import { ABSENT, isContainer, ObjectOverlay, type Stored } from "./overlay.ts";
import { PLACE, type Place } from "./place.ts";

/** An object of a draft. The target is its place; what the proxy shows has nothing to do with the target's members. */
export const OBJECT_HANDLER: ProxyHandler<Place> = {
  get(place, key) {
    if (typeof key === "symbol") {
      return key === PLACE ? place : (Reflect.get(Object.prototype, key) as unknown);
    }
    const value = member(place, key);
    return value === ABSENT
      ? (Reflect.get(Object.prototype, key) as unknown)
      : place.draft.shown(value, place, key);
  },
  set(place, key, value) {
    setMember(place, key, value);
    return true;
  },
  has(place, key) {
    if (typeof key === "symbol") return key === PLACE || key in Object.prototype;
    return member(place, key) !== ABSENT || key in Object.prototype;
  },
  deleteProperty(place, key) {
    if (typeof key === "symbol") return true;
    const before = member(place, key);
    if (before === ABSENT) return true;
    const overlay = changed(place);
    if (overlay.get(key) === undefined) place.draft.record(place, key);
    if (isContainer(before)) place.draft.simple = false;
    overlay.remove(key);
    return true;
  },
  ownKeys(place) {
    return names(place);
  },
  getOwnPropertyDescriptor(place, key) {
    if (typeof key === "symbol") return undefined;
    const value = member(place, key);
    if (value === ABSENT) return undefined;
    const shown = place.draft.shown(value, place, key);
    return { value: shown, writable: true, enumerable: true, configurable: true };
  },
  defineProperty(place, key, descriptor) {
    if (!("value" in descriptor)) throw new TypeError("a state holds no getters and setters");
    setMember(place, key, descriptor.value);
    return true;
  },
  getPrototypeOf: () => Object.prototype,
  setPrototypeOf: () => false,
  preventExtensions: () => false,
};

function member({ draft, overlay, container }: Place, key: string): Stored {
  draft.use();
  const changed = (overlay as ObjectOverlay | undefined)?.get(key);
  return changed === undefined ? draft.below.member(container, key) : changed;
}

function names({ draft, overlay, container }: Place): readonly string[] {
  draft.use();
  const below = draft.below.names(container);
  return overlay === undefined ? below : (overlay as ObjectOverlay).names(below);
}

function changed(place: Place): ObjectOverlay {
  return (place.overlay ??= new ObjectOverlay()) as ObjectOverlay;
}

function setMember(place: Place, key: string | symbol, value: unknown): void {
  const { draft } = place;
  draft.use();
  if (typeof key === "symbol") throw new TypeError("a state holds no symbols; use a string as key");
  const stored = draft.stored(value);
  const overlay = changed(place);
  const known = overlay.get(key);
  if (known === undefined) {
    const below = draft.below.member(place.container, key);
    draft.record(place, key);
    if (isContainer(below)) draft.simple = false;
    overlay.set(key, stored, below !== ABSENT);
  } else {
    overlay.set(key, stored, known !== ABSENT);
  }
  if (isContainer(stored)) draft.simple = false;
}
