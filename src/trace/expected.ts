import { plain } from "../shared/fact.ts";
import { canonical, isObject, same, type Json } from "../shared/json.ts";
import { testPattern } from "../shared/pattern.ts";
import { clip, oneLine } from "../shared/text.ts";
import type { Expected } from "./trace.ts";

/** What a comparison found, with its evidence in one sentence. */
interface Met {
  readonly passed: boolean;
  readonly message: string;
}

/**
 * Whether an output is the expected one. Texts are compared without regard to case and to the amount of white space;
 * a completion is compared by its `output`, else by its `message`.
 */
export function meets(expected: Expected, output: Json | undefined): Met {
  if (output === undefined) return { passed: false, message: "the agent gave no output" };
  const found = answerOf(output);
  if ("equals" in expected) {
    const passed = equal(expected.equals, found) || same(expected.equals, output);
    return { passed, message: sentence(passed, `equal to ${shown(expected.equals)}`, found) };
  }
  if ("contains" in expected) {
    const passed = plain(textOf(found)).includes(plain(expected.contains));
    return { passed, message: sentence(passed, `one with ${shown(expected.contains)}`, found) };
  }
  const tried = testPattern(expected.matches, textOf(found));
  if ("error" in tried) {
    return {
      passed: false,
      message: `the pattern ${shown(expected.matches)} is unusable: ${tried.error}`,
    };
  }
  return {
    passed: tried.matched,
    message: sentence(tried.matched, `one matching ${shown(expected.matches)}`, found),
  };
}

/** An expected answer as a user gives it: `{ equals | contains | matches }` of exactly that shape, or the value itself. */
export function expectedOf(given: Json): Expected {
  if (!isObject(given) || Object.keys(given).length !== 1) return { equals: given };
  const { contains, matches } = given;
  if (Object.hasOwn(given, "equals")) return { equals: given["equals"] ?? null };
  if (typeof contains === "string" && contains !== "") return { contains };
  if (typeof matches === "string" && matches !== "" && matches.length <= 1000) return { matches };
  return { equals: given };
}

/** What a completion answers; any other value is its own answer. */
function answerOf(output: Json): Json {
  if (!isObject(output) || !isCompletion(output)) return output;
  return (Object.hasOwn(output, "output") ? output["output"] : output["message"]) ?? null;
}

function isCompletion(value: { readonly [key: string]: Json }): boolean {
  const known = Object.keys(value).every(
    (key) => key === "status" || key === "message" || key === "output",
  );
  const status = value["status"];
  return (
    known &&
    (status === "completed" || status === "blocked") &&
    typeof value["message"] === "string"
  );
}

function equal(wanted: Json, found: Json): boolean {
  if (typeof wanted === "string" && typeof found === "string")
    return plain(wanted) === plain(found);
  return same(wanted, found);
}

function textOf(value: Json): string {
  return typeof value === "string" ? value : canonical(value);
}

function sentence(passed: boolean, wanted: string, found: Json): string {
  return passed ? `the output is ${wanted}` : `expected an output ${wanted}, found ${shown(found)}`;
}

function shown(value: Json): string {
  return clip(oneLine(canonical(value)), 200);
}
