import type { ToolCall } from "../boundary/boundary.ts";
import { canonical, isObject, type Json, type JsonObject } from "../shared/json.ts";
import { members } from "../shared/pointer.ts";
import {
  createRedactor,
  matchable,
  redactorBy,
  type RedactOptions,
  type RedactRules,
} from "../shared/redact.ts";

/** What takes part in the comparison of two calls. */
export interface MatchingOptions {
  /**
   * What is left out of arguments: JSON Pointers (`/meta/requestId`, with `*` for any member) or plain member names,
   * which are left out at every depth.
   */
  readonly volatile?: readonly string[] | undefined;
  readonly redact?: RedactOptions | undefined;
  /** In place of `redact`, when they are at hand already. */
  readonly rules?: RedactRules | undefined;
  /** Whether the recorded arguments come from a file in which these rules find nothing. */
  readonly checked?: boolean | undefined;
}

/** Arguments in the one form in which they are compared, and the key of their call. */
export interface Keyed {
  readonly key: string;
  /** Redacted, without numbers of placeholders and without volatile members. */
  readonly compared: Json;
}

type Asked = Pick<ToolCall, "tool" | "args">;

/** How arguments, live and recorded, are compared and shown. */
export interface Matching {
  recorded(call: Asked): Keyed;
  asked(call: Asked): Keyed;
  /** Whether a live call's arguments are, to the letter, recorded ones of a checked file. */
  isChecked(call: Asked): boolean;
  /** As they may be shown. */
  show(args: Json): Json;
}

export function openMatching(options: MatchingOptions): Matching {
  const { volatile = [], redact, rules, checked = false } = options;
  const without = leaveOut(volatile);
  // One of its own: what the trace's redactor learns from answers must not change what an argument is compared by.
  const redactor = rules === undefined ? createRedactor(redact) : redactorBy(rules);
  const keyed = (tool: string, compared: Json): Keyed => ({
    key: callKey(tool, compared),
    compared,
  });
  const plain = new Set<string>();
  let last: { readonly call: Asked; readonly keyed: Keyed; readonly isPlain: boolean } | undefined;
  /** The recorder and the cassette ask about the same call, one after the other. */
  const look = (call: Asked): NonNullable<typeof last> => {
    if (last?.call === call) return last;
    const asWritten = keyed(call.tool, without(call.args));
    const isPlain = plain.has(asWritten.key) && !redactor.hasLearnt();
    const full = (): Keyed => keyed(call.tool, matchable(redactor.value(asWritten.compared)));
    return (last = { call, keyed: isPlain ? asWritten : full(), isPlain });
  };
  return {
    recorded({ tool, args }) {
      const stripped = without(args);
      if (!checked) return keyed(tool, matchable(redactor.value(stripped)));
      const asWritten = keyed(tool, stripped);
      if (!isPlainText(asWritten.key)) return keyed(tool, matchable(stripped));
      plain.add(asWritten.key);
      return asWritten;
    },
    asked: (call) => look(call).keyed,
    isChecked: (call) => volatile.length === 0 && look(call).isPlain,
    show: (args) => redactor.value(args),
  };
}

/** ASCII, so that equal keys are equal letters; and without placeholders or markers, which are compared in another form. */
function isPlainText(key: string): boolean {
  return /^[\0 -~]*$/u.test(key) && !key.includes("[redacted:") && !key.includes('"$t"');
}

/** The key under which a call is looked up. */
function callKey(tool: string, args: Json): string {
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
