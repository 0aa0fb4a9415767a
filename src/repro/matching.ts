import { canonical, isObject, type Json, type JsonObject } from "../shared/json.ts";
import { members } from "../shared/pointer.ts";
import { createRedactor, matchable, type RedactOptions } from "../shared/redact.ts";

/** What takes part in the comparison of two calls. */
export interface MatchingOptions {
  /**
   * What is left out of arguments: JSON Pointers (`/meta/requestId`, with `*` for any member) or plain member names,
   * which are left out at every depth.
   */
  readonly volatile?: readonly string[] | undefined;
  readonly redact?: RedactOptions | undefined;
}

/** How arguments, live and recorded, are compared and shown. */
export interface Matching {
  /** The one form in which they are compared: redacted, without numbers of placeholders and without volatile members. */
  compare(args: Json): Json;
  /** As they may be shown. */
  show(args: Json): Json;
}

export function openMatching(options: MatchingOptions): Matching {
  const without = leaveOut(options.volatile ?? []);
  const redactor = createRedactor(options.redact);
  return {
    compare: (args) => matchable(redactor.value(without(args))),
    show: (args) => redactor.value(args),
  };
}

/** The key under which a call is looked up. */
export function callKey(tool: string, args: Json): string {
  return `${tool}\u0000${canonical(args)}`;
}

type Path = readonly string[];

function leaveOut(volatile: readonly string[]): (args: Json) => Json {
  if (volatile.length === 0) return (args) => args;
  const names = new Set(volatile.filter((entry) => !entry.startsWith("/")));
  const paths = volatile.filter((entry) => entry.startsWith("/")).map((entry) => members(entry));
  return (args) => strip(args, names, paths);
}

function strip(value: Json, names: ReadonlySet<string>, paths: readonly Path[]): Json {
  if (Array.isArray(value)) {
    return value.map((item, index) => {
      const inside = below(paths, String(index));
      return inside.some((path) => path.length === 0) ? null : strip(item, names, inside);
    });
  }
  if (!isObject(value)) return value;
  const kept: JsonObject = {};
  for (const [key, member] of Object.entries(value)) {
    const inside = below(paths, key);
    if (names.has(key) || inside.some((path) => path.length === 0)) continue;
    const made = {
      value: strip(member, names, inside),
      enumerable: true,
      writable: true,
      configurable: true,
    };
    Object.defineProperty(kept, key, made);
  }
  return kept;
}

/** The paths that go through this member, without their first step. */
function below(paths: readonly Path[], key: string): readonly Path[] {
  if (paths.length === 0) return paths;
  return paths.filter(([first]) => first === key || first === "*").map((path) => path.slice(1));
}
