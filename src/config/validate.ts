import { z } from "zod";
import { failure, type TwiceshyError } from "../shared/error.ts";
import { nearest } from "../shared/nearest.ts";
import { child } from "../shared/pointer.ts";
import { configSchema, type UserConfig } from "./config.ts";

type Issue = z.core.$ZodIssue;

/** Checks options by the schema. `place` says where they stand: a file, or "the plugin's options". */
export function validateConfig(options: unknown, place: string): UserConfig {
  const parsed = configSchema.safeParse(options);
  if (parsed.success) return parsed.data;
  for (const issue of parsed.error.issues) throw explain(issue, place);
  throw parsed.error;
}

function explain(given: Issue, place: string): TwiceshyError {
  const { issue, path } = innermost(given, []);
  if (issue.code === "unrecognized_keys") {
    const [key = ""] = issue.keys;
    const known = keysAt(configSchema, path);
    const meant = nearest(key, known);
    return failure("E_CONFIG_UNKNOWN", {
      to: `read ${place}`,
      because: `there is no option ${JSON.stringify(key)}${where(path)}`,
      fix:
        meant === undefined
          ? `Leave it out; the options are ${known.join(", ")}`
          : `Did you mean ${JSON.stringify(meant)}? Rename it, or leave it out`,
    });
  }
  return failure("E_CONFIG_VALUE", {
    to: `read ${place}`,
    because: `${path.length === 0 ? "it" : `the option ${pointerOf(path)}`} is wrong: ${lower(issue.message)}`,
    fix: "Correct it, or leave it out for the default",
  });
}

/** The issue that says most: in a union, the one of the alternative that got furthest. */
function innermost(
  issue: Issue,
  before: readonly PropertyKey[],
): { issue: Issue; path: readonly PropertyKey[] } {
  const path = [...before, ...issue.path];
  if (issue.code !== "invalid_union") return { issue, path };
  const candidates = issue.errors.flat().map((one) => innermost(one, path));
  const deepest = candidates.reduce<(typeof candidates)[number] | undefined>(
    (best, one) => (best === undefined || weight(one) > weight(best) ? one : best),
    undefined,
  );
  return deepest === undefined || weight(deepest) === weight({ issue, path })
    ? { issue, path }
    : deepest;
}

function weight(one: { issue: Issue; path: readonly PropertyKey[] }): number {
  return one.path.length * 2 + (one.issue.code === "unrecognized_keys" ? 1 : 0);
}

/** The names that are known at a place of the schema. */
function keysAt(schema: unknown, path: readonly PropertyKey[]): string[] {
  if (schema instanceof z.ZodOptional) return keysAt(schema.unwrap(), path);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => keysAt(option, path));
  const [first, ...rest] = path;
  if (schema instanceof z.ZodArray) return first === undefined ? [] : keysAt(schema.element, rest);
  if (!(schema instanceof z.ZodObject)) return [];
  if (first === undefined) return Object.keys(schema.shape);
  return keysAt(schema.shape[String(first)], rest);
}

function where(path: readonly PropertyKey[]): string {
  return path.length === 0 ? "" : ` in ${pointerOf(path)}`;
}

function pointerOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>((pointer, member) => child(pointer, String(member)), "");
}

function lower(message: string): string {
  return message.charAt(0).toLowerCase() + message.slice(1);
}
