import { expect, test } from "vitest";
import { meets } from "../trace/expected.ts";
import { edited, isStructured, parseCheck, parseExpected, pendingOf } from "./annotate.ts";
import { isHandEdited, writtenDigest } from "./hash.ts";
import type { Repro, ReprosFile } from "./repro.ts";

const draft: Repro = {
  id: "aaaaaaaa",
  status: "pending",
  origin: "inferred",
  title: "refund",
  cluster: "c_0000000001",
  taskId: "task_1",
  task: "refund A-1",
  tools: ["refund"],
  cassette: [],
  checks: [
    { type: "no_failure", signatures: ["tool_error:refund"] },
    { type: "output_contains", value: "A-1" },
  ],
  signatures: ["tool_error:refund"],
  failures: [
    { kind: "tool_error", severity: "medium", signature: "tool_error:refund", message: "closed" },
  ],
  source: { trace: "tr_1", agentVersion: "1", format: "twiceshy", status: "ok" },
};
const repro: Repro = { ...draft, written: writtenDigest(draft) };

test("an expected answer after re: is a pattern, JSON is a value where answers are structured, and a plain text is contained", () => {
  expect(parseExpected("re:R-\\d+", false)).toEqual({ matches: "R-\\d+" });
  expect(meets(parseExpected("re:R-\\d+", false), "your refund is R-12").passed).toBe(true);
  expect(parseExpected('{"a": 1}', true)).toEqual({ equals: { a: 1 } });
  expect(parseExpected("refunded", false)).toEqual({ contains: "refunded" });
  expect(parseExpected("=No orders found.", false)).toEqual({ equals: "No orders found." });
});

test("42 and true typed for a text answer stay texts, which an answer can meet", () => {
  expect(parseExpected("42", false)).toEqual({ contains: "42" });
  expect(meets(parseExpected("42", false), "It is 42.").passed).toBe(true);
  expect(parseExpected("true", false)).toEqual({ contains: "true" });
  expect(parseExpected("42", true)).toEqual({ equals: 42 });
  expect(parseExpected("={}", true)).toEqual({ equals: {} });
});

test.each(["", "  ", "=", "re:", "re: "])(
  "the expected answer %j is refused because it is empty",
  (typed) => {
    expect(() => parseExpected(typed, false)).toThrow(/E_EXPECTED_EMPTY|it is empty/);
  },
);

test.each([
  ["re:(", /Invalid regular expression|pattern/i],
  ["re:.*", /asserts nothing/],
])("the expected answer %s is refused when it is typed", (typed, reason) => {
  expect(() => parseExpected(typed, false)).toThrow(reason);
});

test("an expected answer takes the place of every check on the answer and keeps the others", () => {
  const after = edited(repro, { set: "expected", expected: { equals: "No orders." } });
  expect(after.checks).toEqual([repro.checks[0], { type: "output_equals", value: "No orders." }]);
  expect(after.origin).toBe("human");
});

test("a repro that waits for an expected answer cannot be confirmed before it has one", () => {
  const waiting: Repro = { ...repro, needs: "an expected answer" };
  expect(() => edited(waiting, { set: "status", status: "confirmed" })).toThrow(
    "Give the expected answer first (e)",
  );
  const answered = edited(waiting, { set: "expected", expected: { contains: "12" } });
  expect(answered).toMatchObject({ expected: { contains: "12" } });
  expect(answered.needs).toBeUndefined();
  expect(edited(answered, { set: "status", status: "confirmed" }).status).toBe("confirmed");
});

test("a person's edit is seen as one, a status alone is not", () => {
  expect(
    isHandEdited(
      edited(repro, { set: "check", check: parseCheck('{"type":"tool_called","name":"refund"}') }),
    ),
  ).toBe(true);
  expect(isHandEdited(edited(repro, { set: "status", status: "confirmed" }))).toBe(false);
});

test.each([
  ["nonsense", /no JSON object/],
  ['["a"]', /no JSON object/],
  ['{"type":"equalz","value":1}', /./],
  ['{"type":"output_contains","value":""}', /asserts nothing/],
  ['{"type":"output_matches","pattern":"("}', /./],
])("the check %s is refused when it is typed", (typed, reason) => {
  expect(() => parseCheck(typed)).toThrow(reason);
  expect(() => parseCheck(typed)).toThrow(/Failed to read the check/);
});

test("pending repros come largest cluster first, then by id", () => {
  const other: Repro = { ...repro, id: "bbbbbbbb", cluster: "c_0000000002" };
  const file: ReprosFile = {
    formatVersion: 1,
    agent: "a",
    clusters: {
      c_0000000001: { label: "one", size: 1, representative: "aaaaaaaa" },
      c_0000000002: { label: "two", size: 7, representative: "bbbbbbbb" },
    },
    repros: [repro, other, { ...repro, id: "cccccccc", status: "confirmed" }],
    blobs: {},
  };
  expect(pendingOf(file).map(({ id }) => id)).toEqual(["bbbbbbbb", "aaaaaaaa"]);
});

test("answers count as structured where a schema, an expected value or a recorded answer says so", () => {
  expect(isStructured(repro)).toBe(false);
  expect(isStructured({ ...repro, outputSchema: { type: "object" } })).toBe(true);
  expect(isStructured({ ...repro, outputSchema: { type: "string" } })).toBe(false);
  expect(isStructured({ ...repro, expected: { equals: [1] } })).toBe(true);
  expect(isStructured({ ...repro, diff: { outputs: { failure: null, success: { a: 1 } } } })).toBe(
    true,
  );
});
