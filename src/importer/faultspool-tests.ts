import type { Check } from "../check/check.ts";
import { VERDICTS, type Verdict } from "../check/verdict.ts";
import { failure, messageOf } from "../shared/error.ts";
import { readCapped } from "../shared/file.ts";
import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import { parseJson } from "../shared/parse.ts";
import { createRedactor, type Redactor, type RedactOptions } from "../shared/redact.ts";
import { taskIdOf } from "../trace/identity.ts";
import type { ToolResult } from "../trace/trace.ts";
import { argumentsOf } from "./content.ts";
import { isCheck, toCheck } from "./faultspool-checks.ts";
import { faultspoolResult } from "./faultspool-steps.ts";
import type { Problem } from "./importer.ts";
import { maybe, objectIn, objectsIn, own, textIn, textsIn } from "./member.ts";
import { placed } from "./raw-record.ts";
import { recordsOf } from "./records.ts";

const BASELINE_BYTES = 64 * 1024 * 1024;
/** Problems at the start of a file after which it counts as no file of tests. */
const MAX_UNKNOWN = 1000;

/** One recorded answer of an exported test. */
export interface ImportedMock {
  readonly tool: string;
  readonly args: Json;
  readonly params?: readonly string[];
  readonly result: ToolResult;
}

/** A failure as the exported test describes it. */
export interface ImportedFailure {
  readonly kind: string;
  readonly severity: "low" | "medium" | "high";
  readonly message: string;
  readonly signature?: string;
  readonly step?: number;
  readonly tool?: string;
}

/** One line of an exported `tests.jsonl`, as plain data from which a repro can be made. */
export interface ImportedTest {
  /** Its own id, as `t_` and 12 hex digits: the key in `baseline.json`. */
  readonly id: string;
  readonly line?: number;
  readonly task: Json;
  readonly taskId: string;
  readonly mocks: readonly ImportedMock[];
  readonly checks: readonly Check[];
  readonly failures: readonly ImportedFailure[];
  readonly status: "pending" | "confirmed" | "rejected";
  readonly origin: "inferred" | "retry" | "human";
  readonly agent: string;
  readonly agentVersion: string;
  /** Sorted names of every tool that the agent may ask for. */
  readonly toolNames: readonly string[];
  readonly sourceTrace: string;
  readonly cutStep?: number;
  readonly outputSchema?: Json;
  readonly notes?: string;
}

export interface ImportedTests {
  readonly tests: readonly ImportedTest[];
  /** Lines that could not be read, and assertions that have no check here; the message names the line. */
  readonly problems: readonly (Problem & { readonly line?: number; readonly test?: string })[];
}

/**
 * Reads the tests that Faultspool exported. Never throws: a bad line or an unknown assertion is a problem with its line,
 * and the rest is read. A test with an unknown assertion is kept with the others of its checks.
 */
export function importTests(
  path: string,
  options: { readonly agent?: string; readonly redact?: RedactOptions } = {},
): ImportedTests {
  const tests: ImportedTest[] = [];
  const problems: ImportedTests["problems"][number][] = [];
  for (const raw of recordsOf(path, isTest)) {
    const place = {
      file: path,
      record: raw.record,
      ...(raw.line === undefined ? {} : { line: raw.line }),
    };
    const at = raw.line === undefined ? {} : { line: raw.line };
    // A file that begins with so many other things holds no tests.
    if (tests.length === 0 && problems.length === MAX_UNKNOWN) break;
    if ("problem" in raw) {
      problems.push({ ...placed(place, raw.problem), ...at });
    } else if (!isObject(raw.value) || !isTest(raw.value)) {
      problems.push({ ...placed(place, noTest()), ...at });
    } else {
      const { test, unknown } = testOf(raw.value, {
        redactor: createRedactor(options.redact ?? {}),
        agent: options.agent ?? "agent",
      });
      tests.push({ ...test, ...at });
      for (const because of unknown)
        problems.push({
          ...placed(place, unknownAssertion(test.id, because)),
          ...at,
          test: test.id,
        });
    }
  }
  return { tests, problems };
}

function isTest(record: Json): boolean {
  return (
    isObject(record) &&
    typeof own(record, "test_id") === "string" &&
    Object.hasOwn(record, "input") &&
    Array.isArray(own(record, "mocks"))
  );
}

function testOf(
  record: JsonObject,
  { redactor, agent }: { readonly redactor: Redactor; readonly agent: string },
): { test: ImportedTest; unknown: string[] } {
  const hidden = redactor.value(record);
  const from = isObject(hidden) ? hidden : record;
  const assertions = own(from, "assertions");
  const checks = (Array.isArray(assertions) ? assertions : []).map((each) => toCheck(each));
  const mocks = objectsIn(from, "mocks").map((mock) => mockOf(mock));
  const meta = objectIn(from, "meta");
  const task = own(from, "input") ?? null;
  const named = textIn(from, "agent");
  const test: ImportedTest = {
    id: textIn(record, "test_id") ?? "",
    task,
    taskId: textIn(record, "task_id") ?? taskIdOf(task),
    mocks,
    checks: checks.filter((check) => isCheck(check)),
    failures: objectsIn(from, "failures").map((each) => failureOf(each)),
    status: oneOf(own(from, "status"), ["pending", "confirmed", "rejected"]),
    origin: oneOf(own(from, "origin"), ["inferred", "retry", "human"]),
    agent: named === undefined || named === "agent" ? agent : named,
    agentVersion: textIn(meta, "agent_version") ?? "0",
    toolNames: [
      ...new Set([...(textsIn(from, "tool_names") ?? []), ...mocks.map(({ tool }) => tool)]),
    ].sort(),
    sourceTrace: textIn(record, "source_trace_id") ?? "",
    ...maybe("cutStep", count(own(meta, "cut_step"))),
    ...maybe("outputSchema", own(meta, "output_schema") ?? undefined),
    ...maybe("notes", textIn(from, "notes")),
  };
  return { test, unknown: checks.flatMap((check) => (isCheck(check) ? [] : [check.unknown])) };
}

function mockOf(mock: JsonObject): ImportedMock {
  return {
    tool: textIn(mock, "name") ?? "unknown",
    args: argumentsOf(own(mock, "args")),
    ...maybe("params", textsIn(mock, "params")),
    result: faultspoolResult(mock, "result"),
  };
}

function failureOf(raw: JsonObject): ImportedFailure {
  return {
    kind: textIn(raw, "kind") ?? "unknown",
    severity: oneOf(own(raw, "severity"), ["medium", "low", "high"]),
    message: textIn(raw, "message") ?? "",
    ...maybe("signature", textIn(raw, "signature")),
    ...maybe("step", count(own(raw, "step_idx"))),
    ...maybe("tool", textIn(raw, "tool")),
  };
}

function count(value: Json | undefined): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/**
 * Reads a `baseline.json` of Faultspool: verdicts by test id. Its `error` (the harness itself failed) is our
 * `unreplayable`. Throws E_FILE_* or E_BASELINE_FORMAT; half a baseline is worse than none.
 */
export function importBaseline(path: string): Map<string, Verdict> {
  const text = readCapped(path, BASELINE_BYTES);
  let value: Json;
  try {
    value = parseJson(text);
  } catch (thrown) {
    throw badBaseline(path, `it is no JSON (${messageOf(thrown)})`);
  }
  if (!isObject(value)) throw badBaseline(path, "it is no object of outcomes by test id");
  return new Map(
    Object.entries(value).map(([id, outcome]) => {
      const verdict =
        outcome === "error" ? "unreplayable" : VERDICTS.find((known) => known === outcome);
      if (verdict === undefined)
        throw badBaseline(path, `the outcome of ${id} is ${JSON.stringify(outcome)}`);
      return [id, verdict];
    }),
  );
}

function badBaseline(path: string, because: string): Error {
  return failure("E_BASELINE_FORMAT", {
    to: `read the baseline ${path}`,
    because,
    fix: `Known outcomes are ${VERDICTS.join(", ")} and error`,
  });
}

function noTest(): Problem {
  return failure("E_RECORD_FORMAT", {
    to: "read an exported test",
    because: "it has no test_id, input and mocks",
    fix: "Export the tests again, or read traces with the command for traces",
  });
}

function unknownAssertion(test: string, because: string): Problem {
  return failure("E_TEST_ASSERTION", {
    to: `read the test ${test}`,
    because,
    fix: "Correct the assertion or take it out of the line",
  });
}

/** A value of a closed set; the first one when it is missing or unknown. */
function oneOf<T extends string>(value: Json | undefined, known: readonly [T, ...T[]]): T {
  return known.find((each) => each === value) ?? known[0];
}
