import { isObject, same, type Json } from "../shared/json.ts";

/**
 * Whether a value holds all that another names: objects member by member, arrays element by element and of one length,
 * everything else equal.
 */
export function includes(value: Json | undefined, wanted: Json): boolean {
  if (Array.isArray(wanted)) {
    return (
      Array.isArray(value) &&
      value.length === wanted.length &&
      wanted.every((item, at) => includes(value[at], item))
    );
  }
  if (!isObject(wanted)) return value !== undefined && same(value, wanted);
  if (!isObject(value)) return false;
  return Object.entries(wanted).every(
    ([key, member]) => Object.hasOwn(value, key) && includes(value[key], member),
  );
}
