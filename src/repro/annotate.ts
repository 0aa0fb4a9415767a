import { checkSchema } from "../check/schema.ts";
import { failure } from "../shared/error.ts";
import { byCodeUnit, isObject, type Json } from "../shared/json.ts";
import { parseJson } from "../shared/parse.ts";
import { testPattern } from "../shared/pattern.ts";
import { oneLine } from "../shared/text.ts";
import type { Expected } from "../trace/trace.ts";
import type { Repro, ReprosFile, ReproStatus } from "./repro.ts";

/** One decision of a person about a repro. */
export type Edit =
  | { readonly set: "status"; readonly status: ReproStatus }
  | { readonly set: "expected"; readonly expected: Expected }
  | { readonly set: "check"; readonly check: Repro["checks"][number] };

/** The repro after an edit; whose answer or check a person gave has the origin `human`. */
export function edited(repro: Repro, edit: Edit): Repro {
  if (edit.set === "status") {
    if (edit.status === "confirmed" && repro.needs !== undefined) throw needsAnswer(repro);
    return { ...repro, status: edit.status };
  }
  if (edit.set === "check")
    return { ...repro, origin: "human", checks: [...repro.checks, edit.check] };
  const { needs: _, ...whole } = repro;
  const others = repro.checks.filter((check) => !ANSWER_CHECKS.has(check.type));
  const asked = repro.needs !== undefined || repro.expected !== undefined;
  return {
    ...whole,
    origin: "human",
    checks: [...others, answerCheck(edit.expected)],
    // Where the failure is the wrong answer itself, the detector must know the right one.
    ...(asked ? { expected: edit.expected } : {}),
  };
}

const ANSWER_CHECKS: ReadonlySet<string> = new Set([
  "output_equals",
  "output_contains",
  "output_matches",
]);

function answerCheck(expected: Expected): Repro["checks"][number] {
  const check =
    "equals" in expected
      ? { type: "output_equals", value: expected.equals }
      : "contains" in expected
        ? { type: "output_contains", value: expected.contains }
        : { type: "output_matches", pattern: expected.matches };
  return checked(check);
}

/** Pending repros as a person should see them: largest cluster first, then by cluster and id. */
export function pendingOf(file: ReprosFile): Repro[] {
  const size = (repro: Repro): number =>
    Object.hasOwn(file.clusters, repro.cluster) ? (file.clusters[repro.cluster]?.size ?? 0) : 0;
  return file.repros
    .filter((repro) => repro.status === "pending")
    .sort(
      (a, b) => size(b) - size(a) || byCodeUnit(a.cluster, b.cluster) || byCodeUnit(a.id, b.id),
    );
}

/**
 * What a person typed as the right answer: "re:" and a pattern, "=" and the exact text, JSON where the recorded
 * answer is `structured`, else a text that the answer must contain. Throws E_EXPECTED_EMPTY or E_CHECK_INVALID.
 */
export function parseExpected(typed: string, structured: boolean): Expected {
  const text = typed.trim();
  const expected = expectedOf(text, structured);
  answerCheck(expected);
  return expected;
}

function expectedOf(text: string, structured: boolean): Expected {
  const rest = /^(?:re:|=)\s*$/.test(text) ? "" : text;
  if (rest === "") {
    throw failure("E_EXPECTED_EMPTY", {
      to: "read the expected answer",
      because: "it is empty",
      fix: 'Write a text that the answer contains, "=" and the exact text, or "re:" and a pattern',
    });
  }
  if (text.startsWith("re:")) {
    const pattern = text.slice(3).trim();
    const tested = testPattern(pattern, "");
    if ("error" in tested) throw invalid(tested.error);
    return { matches: pattern };
  }
  const json = structured ? jsonOf(text.replace(/^=/, "")) : undefined;
  if (json !== undefined) return { equals: json };
  return text.startsWith("=") ? { equals: text.slice(1).trim() } : { contains: text };
}

function jsonOf(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** What a person typed as a check: a JSON object with a known "type". Throws E_CHECK_INVALID. */
export function parseCheck(typed: string): Repro["checks"][number] {
  const value = jsonOf(typed);
  if (!isObject(value))
    throw invalid('it is no JSON object like {"type":"tool_called","name":"refund"}');
  return checked(value);
}

function checked(value: unknown): Repro["checks"][number] {
  const parsed = checkSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw invalid(parsed.error.issues.map((issue) => oneLine(issue.message, 200)).join("; "));
}

function invalid(because: string): Error {
  return failure("E_CHECK_INVALID", {
    to: "read the check",
    because: because.replace(/\.$/, ""),
    fix: "Correct it; ARCHITECTURE.md lists the kinds of check and their members",
  });
}

function needsAnswer(repro: Repro): Error {
  return failure("E_REPRO_NEEDS_ANSWER", {
    to: `confirm ${repro.id}`,
    because: "nothing in the recorded run says what the right answer is",
    fix: "Give the expected answer first (e)",
  });
}

/** Whether the recorded answers of a repro are JSON rather than text, as far as the repro itself tells. */
export function isStructured(repro: Repro): boolean {
  const type = isObject(repro.outputSchema) ? repro.outputSchema["type"] : undefined;
  if (type !== undefined) return type !== "string";
  const outputs = isObject(repro.diff) ? repro.diff["outputs"] : undefined;
  if (
    isObject(outputs) &&
    Object.values(outputs).some((output) => typeof output === "object" && output !== null)
  )
    return true;
  if (repro.expected !== undefined && "equals" in repro.expected)
    return typeof repro.expected.equals !== "string";
  return repro.checks.some(
    (check) =>
      check.type === "output_schema" ||
      (check.type === "output_equals" && typeof check["value"] !== "string"),
  );
}
