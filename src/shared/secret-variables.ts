import { isHarmlessValue, suspicionOf, wordsOf } from "./redact-key.ts";

/** A shorter value stands in too many texts that have nothing to do with it. */
const SHORTEST = 8;
/** Paths, and addresses without credentials. */
const PLACE = /^(?:[./~]|[a-z]+:\/\/[^@]*$)/iu;

/** The variables of a process whose values are secrets, by their names. */
export function secretVariables(
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of Object.keys(environment)) {
    const value = environment[name];
    if (value === undefined || value.length < SHORTEST || isHarmlessValue(value)) continue;
    if (isSecretVariable(name) && !PLACE.test(value)) found[name] = value;
  }
  return found;
}

/** In variables any name that ends with KEY, TOKEN or the like is a secret's. */
function isSecretVariable(name: string): boolean {
  if (suspicionOf(name) !== undefined) return true;
  const words = wordsOf(name);
  return (
    words.at(-1) === "key" &&
    !["public", "gpg", "primary", "sort", "cache"].includes(words.at(-2) ?? "public")
  );
}
