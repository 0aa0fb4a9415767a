import { isObject, same, type Json } from "../shared/json.ts";

/** Whether a value holds all that another names: objects member by member, everything else equal. */
export function includes(value: Json | undefined, wanted: Json): boolean {
  if (!isObject(wanted)) return value !== undefined && same(value, wanted);
  if (!isObject(value)) return false;
  return Object.entries(wanted).every(
    ([key, member]) => Object.hasOwn(value, key) && includes(value[key], member),
  );
}
