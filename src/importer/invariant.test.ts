import { expect, test } from "vitest";
import { itemFrom, outcomes, toolsOf, tracesIn } from "../testing/trace-files.ts";
import { fixture, NO_SHARED, SHARED, WHY_NO_SHARED } from "../testing/trace-fixtures.ts";
import { readTraces } from "./importer.ts";

test("the first line names the tools of the traces after it, and is none itself", () => {
  const items = fixture("invariant/traces.jsonl");
  expect(outcomes(items)).toEqual(["skipped E_RECORD_ASIDE", "trace", "trace"]);
  expect(items.map(({ record, line }) => [record, line])).toEqual([
    [0, 1],
    [1, 2],
    [2, 3],
  ]);
  const [trace] = tracesIn(items);
  expect(trace).toMatchObject({
    source: "invariant",
    task: "Read my mail.",
    output: "You have one letter.",
    status: "ok",
    tools: ["read", "send"],
    score: { name: "success", value: true, passed: true },
    meta: { index: 0, system: "Policy.", annotations: [{ content: "fine" }] },
  });
  expect(trace === undefined ? [] : toolsOf(trace)).toMatchObject([
    { name: "read", args: { box: "in" }, result: { ok: true, data: "One letter." } },
  ]);
});

test("a role that nobody knows is read as the user's, and named", () => {
  const { trace, warnings } = itemFrom({
    messages: [
      { role: "guest", content: "Hi." },
      { role: "assistant", content: "Hello." },
    ],
    annotations: [],
  });
  expect(trace).toMatchObject({ task: "Hi.", output: "Hello.", status: "ok" });
  expect(warnings).toEqual(["the role guest is not known: its messages are read as the user's"]);
});

test("every public line of invariant is read, but for those that describe the others", ({
  skip,
}) => {
  skip(NO_SHARED, WHY_NO_SHARED);
  const items = [...readTraces([`${SHARED}/invariant`])];
  const aside = "skipped E_RECORD_ASIDE";
  expect(outcomes(items)).toEqual([
    aside,
    "trace",
    "trace",
    "trace",
    aside,
    "trace",
    "trace",
    "trace",
    "trace",
    aside,
    "trace",
  ]);
});
