import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkSchema } from "../check/schema.ts";
import { folderOf } from "../testing/trace-files.ts";
import { importBaseline, importTests } from "./faultspool-tests.ts";

const exported = {
  test_id: "t_0123456789ab",
  input: { customer: "grace" },
  task_id: "task_1",
  agent: "refund-desk",
  status: "confirmed",
  origin: "retry",
  source_trace_id: "tr_1",
  cluster_id: "c1",
  created_at: 1.5,
  notes: "seen twice",
  tool_names: ["refund", "search"],
  mocks: [
    {
      name: "search",
      args: { name: "grace" },
      result: [{ id: "A-1" }],
      error: null,
      params: ["name"],
    },
    { name: "refund", args: null, result: null, error: "RuntimeError: HTTP 503", params: null },
    { name: "other", args: ["x"] },
  ],
  assertions: [
    { type: "no_failures" },
    { type: "no_failure", kinds: ["tool_error"] },
    { type: "output_equals", value: { ok: true } },
    { type: "output_contains", value: "A-1" },
    { type: "output_matches", pattern: "A-\\d+" },
    { type: "output_schema", schema: { type: "object" } },
    { type: "tool_called", name: "refund" },
    { type: "tool_not_called", name: "ban" },
    { type: "max_tool_calls", value: 4 },
  ],
  failures: [
    {
      kind: "tool_error",
      detector: "rule",
      message: "HTTP 503",
      step_idx: 3,
      tool: "refund",
      severity: "high",
      signature: "tool_error:refund",
    },
  ],
  meta: { cut_step: 3, agent_version: "7", output_schema: { type: "object" }, diff: {} },
};

const file = (content: string, name = "tests.jsonl") => join(folderOf({ [name]: content }), name);
const lines = (...records: unknown[]) =>
  file(records.map((record) => `${JSON.stringify(record)}\n`).join(""));

test("an exported test is read with its task, mocks, checks and failures", () => {
  const { tests, problems } = importTests(lines(exported));
  expect(problems).toEqual([]);
  expect(tests).toEqual([
    {
      id: "t_0123456789ab",
      line: 1,
      task: { customer: "grace" },
      taskId: "task_1",
      agent: "refund-desk",
      agentVersion: "7",
      status: "confirmed",
      origin: "retry",
      sourceTrace: "tr_1",
      notes: "seen twice",
      cutStep: 3,
      outputSchema: { type: "object" },
      toolNames: ["other", "refund", "search"],
      mocks: [
        {
          tool: "search",
          args: { name: "grace" },
          params: ["name"],
          result: { ok: true, data: [{ id: "A-1" }] },
        },
        {
          tool: "refund",
          args: {},
          result: { ok: false, error: { name: "RuntimeError", message: "HTTP 503" } },
        },
        { tool: "other", args: { _0: "x" }, result: { ok: true, data: null } },
      ],
      checks: exported.assertions,
      failures: [
        {
          kind: "tool_error",
          message: "HTTP 503",
          severity: "high",
          signature: "tool_error:refund",
          step: 3,
          tool: "refund",
        },
      ],
    },
  ]);
});

test("every assertion that can be read is a check of ours", () => {
  const [imported] = importTests(lines(exported)).tests;
  expect(imported?.checks.map((check) => checkSchema.safeParse(check).success)).toEqual(
    exported.assertions.map(() => true),
  );
});

test("an unknown assertion is reported with its line and test, and the rest of the test is kept", () => {
  const path = lines(exported, {
    ...exported,
    assertions: [{ type: "equalz", value: 1 }, { type: "tool_called" }, { type: "no_failures" }],
  });
  const { tests, problems } = importTests(path);
  expect(tests).toHaveLength(2);
  expect(tests[1]?.checks).toEqual([{ type: "no_failures" }]);
  expect(problems).toMatchObject([
    {
      line: 2,
      test: exported.test_id,
      code: "E_TEST_ASSERTION",
      message: expect.stringContaining('the assertion type "equalz" is not known'),
    },
    {
      line: 2,
      test: exported.test_id,
      code: "E_TEST_ASSERTION",
      message: expect.stringContaining('an assertion of type tool_called has no "name"'),
    },
  ]);
});

test("a broken line and a line that is no test are named, and the others are read", () => {
  const { tests, problems } = importTests(file(`{oops\n${JSON.stringify(exported)}\n{"a":1}\n`));
  expect(tests).toHaveLength(1);
  expect(problems.map(({ line, code }) => [line, code])).toEqual([
    [1, "E_RECORD_JSON"],
    [3, "E_RECORD_FORMAT"],
  ]);
});

test("a folder, a missing file and a pipe give one problem each at once and never throw", () => {
  const pipe = join(folderOf({}), "pipe.jsonl");
  execFileSync("mkfifo", [pipe]);
  const codes = [folderOf({}), join(folderOf({}), "none.jsonl"), pipe].map((path) =>
    importTests(path).problems.map(({ code }) => code),
  );
  expect(codes).toEqual([["E_FILE_KIND"], ["E_FILE_MISSING"], ["E_FILE_KIND"]]);
});

test("missing members get plain defaults", () => {
  const [imported] = importTests(lines({ test_id: "t_1", input: "x", mocks: [] })).tests;
  expect(imported).toMatchObject({
    status: "pending",
    origin: "inferred",
    agent: "agent",
    agentVersion: "0",
    checks: [],
    failures: [],
  });
  expect(imported?.taskId).toMatch(/^task_[0-9a-f]{12}$/);
});

test("a baseline is verdicts by test id, and the outcome error is unreplayable", () => {
  const path = file(
    JSON.stringify({
      t_a: "passes",
      t_b: "still_fails",
      t_c: "fails_differently",
      t_d: "unreplayable",
      t_e: "error",
    }),
    "baseline.json",
  );
  expect([...importBaseline(path)]).toEqual([
    ["t_a", "passes"],
    ["t_b", "still_fails"],
    ["t_c", "fails_differently"],
    ["t_d", "unreplayable"],
    ["t_e", "unreplayable"],
  ]);
});

test.each([
  ['{"t_a":"great"}', "E_BASELINE_FORMAT"],
  ["[]", "E_BASELINE_FORMAT"],
  ['{"t_a":', "E_BASELINE_FORMAT"],
])("the baseline %s is refused", (content, code) => {
  expect(() => importBaseline(file(content, "baseline.json"))).toThrowError(
    expect.objectContaining({ code }),
  );
});
