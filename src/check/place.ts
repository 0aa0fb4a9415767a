import { oneLine } from "../shared/text.ts";
import type { Json } from "../shared/json.ts";
import { brief, kept } from "./brief.ts";
import type { Check, CheckResult, FieldShape, Subject, TrialSubject } from "./check.ts";
import { textOf } from "./evidence.ts";
import { pointerProblem, touches, valueAt } from "./pointer-path.ts";

/** The value that a check looks at, and what shows it. */
export interface Place {
  /** Undefined where there is none. */
  readonly value: Json | undefined;
  /** Its name in a message. */
  readonly where: string;
  readonly evidence: readonly string[];
}

/** The fields of every check that looks at one value. */
export const PLACE: Readonly<Record<"path" | "source", FieldShape>> = {
  path: "pointer",
  source: "source",
};

/** The trial of a subject; a check that needs one is never asked without. */
export function trialOf(subject: Subject): TrialSubject {
  if (subject.trial === undefined) throw new TypeError("this run is no fault trial");
  return subject.trial;
}

/** The JSON Pointer of a check. */
export function pathOf(check: Check): string {
  const path = textOf(check["path"]);
  const problem = pointerProblem(path);
  if (problem !== undefined) throw new TypeError(`path: ${problem}`);
  return path;
}

/** The value at `path`, in the committed state or in the completion. */
export function placeOf(check: Check, subject: Subject): Place {
  const trial = trialOf(subject);
  const path = pathOf(check);
  const source = check["source"] ?? "state";
  if (source === "state") {
    const evidence = trial.mutations.filter((one) => touches(one, path)).map((one) => one.evidence);
    return { value: trial.state(path), where: named(path, "the state"), evidence };
  }
  if (source !== "completion") throw new TypeError(`source: ${brief(source, 40)} is no source`);
  const { completion, completionEvidence } = trial;
  return {
    value: completion === undefined ? undefined : valueAt({ ...completion }, path),
    where: path === "" ? "the completion" : `${named(path, "")} of the completion`,
    evidence: completionEvidence === undefined ? [] : [completionEvidence],
  };
}

/** A JSON Pointer in a message. */
export function named(path: string, whole: string): string {
  return path === "" ? whole : oneLine(path, 120);
}

/** How a place was judged. */
interface Judgement {
  readonly passed: boolean;
  /** What was wanted, to follow "and ... is expected"; asked for where it does not hold. */
  readonly wanted: () => string;
  readonly expected?: Json;
}

type Result = Omit<CheckResult, "check">;

/** The result for a place; a missing value is never passed. */
export function judged(
  { value, where, evidence }: Place,
  { passed, wanted, expected }: Judgement,
): Omit<CheckResult, "check"> {
  const found = value === undefined ? `there is no ${where}` : `${where} is ${brief(value)}`;
  const holds = passed && value !== undefined;
  const actual = kept(value);
  const message = holds ? found : `${found}, and ${wanted()} is expected`;
  const result: { -readonly [Key in keyof Result]: Result[Key] } = {
    passed: holds,
    message,
    evidence,
  };
  if (actual !== undefined) result.actual = actual;
  if (expected !== undefined) result.expected = expected;
  return result;
}

/** A field that holds JSON; null where a broken check has none. */
export function wantedOf(check: Check, field = "expected"): Json {
  return check[field] ?? null;
}
