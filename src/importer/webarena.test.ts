import { expect, test } from "vitest";
import { outcomes, toolsOf, traceFrom, tracesIn } from "../testing/trace-files.ts";
import {
  fixture,
  fixtureTrace,
  NO_SHARED,
  SHARED,
  WHY_NO_SHARED,
} from "../testing/trace-fixtures.ts";
import { readTraces } from "./importer.ts";

test("actions of a browser are calls, and what is said at the stop is the output", () => {
  const [lamp, cart] = tracesIn(fixture("webarena/log.json"));
  expect(lamp).toMatchObject({
    source: "webarena",
    task: "What does the lamp cost?",
    output: "$39.99",
    status: "ok",
    score: { name: "benchmark_success", value: false, passed: false },
  });
  expect(lamp === undefined ? [] : toolsOf(lamp)).toMatchObject([
    { name: "click", args: { action: "click [12]" }, result: { ok: true, data: "Lamp" } },
    {
      name: "type",
      args: { element: "7", text: "lamp" },
      result: { ok: false, error: { message: "Element 7 is not there", source: "flag" } },
    },
    { name: "scroll" },
  ]);
  expect(cart).toMatchObject({
    status: "incomplete",
    score: { name: "score", value: 1, passed: true },
  });
});

test("a run of WebArena-Verified has its answer, and the score of the evaluation beside it", () => {
  const items = fixture(
    "webarena-verified/7.agent_response.json",
    "webarena-verified/7.eval_result.json",
  );
  expect(outcomes(items)).toEqual(["trace", "skipped E_RECORD_ASIDE"]);
  expect(tracesIn(items)[0]).toMatchObject({
    source: "webarena-verified",
    task: { task_id: 7, intent_template_id: 70, sites: ["shop"] },
    output: { status: "SUCCESS", retrieved_data: ["lamp"] },
    status: "ok",
    score: { name: "score", value: 0, best: 1, passed: false },
    meta: {
      evaluators: [{ expected: { retrieved_data: ["desk"] }, failed: ["retrieved_data_mismatch"] }],
    },
  });
});

test("an evaluation alone quotes the answer", () => {
  const trace = fixtureTrace("webarena-verified/8/eval_result.json");
  expect(trace).toMatchObject({
    task: { task_id: 8 },
    output: { retrieved_data: ["lamp"] },
    score: { passed: true },
  });
});

test("a summary of AgentLab has its end, its score and the task of its folder, and says that the steps are not read", () => {
  const [item] = fixture("agentlab");
  if (item === undefined || !("trace" in item)) throw new Error("no trace");
  expect(item.trace).toMatchObject({
    source: "agentlab",
    task: { task_name: "shop.order", seed: "3" },
    status: "ok",
    score: { name: "cum_reward", value: 2, best: 1, passed: true },
    usage: { inputTokens: 90, outputTokens: 10 },
    truncated: "steps_in_pickles",
  });
  expect(item.warnings).toHaveLength(1);
});

test.each([
  [{ err_msg: "ValueError: no page" }, "error"],
  [{ err_msg: "KeyboardInterrupt" }, "incomplete"],
  [{ err_msg: null, truncated: true }, "timeout"],
  [{ err_msg: null, terminated: true }, "ok"],
  [{}, "incomplete"],
])("a summary with %j is %s", (more, status) => {
  expect(traceFrom({ n_steps: 1, cum_reward: 0, ...more }).status).toBe(status);
});

test("every public record of WebArena-Verified and AgentLab is read", ({ skip }) => {
  skip(NO_SHARED, WHY_NO_SHARED);
  const items = [...readTraces([`${SHARED}/webarena-verified`, `${SHARED}/agentlab`])];
  expect(outcomes(items)).toEqual(["trace", "skipped E_RECORD_ASIDE", "trace"]);
  expect(tracesIn(items).map(({ score }) => score?.passed)).toEqual([false, false]);
});
