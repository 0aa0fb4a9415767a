import { expect, test } from "vitest";
import { outcomes, toolsOf, tracesIn } from "../testing/trace-files.ts";
import {
  fixture,
  FIXTURES,
  fixtureTrace,
  NO_SHARED,
  SHARED,
  WHY_NO_SHARED,
} from "../testing/trace-fixtures.ts";
import { readTraces } from "./importer.ts";

test("results are joined with their calls by id, then in order, and one without content is none", () => {
  const { trace, warnings } =
    [...readTraces([`${FIXTURES}/atif/trajectory.json`])].flatMap((item) =>
      "trace" in item ? [item] : [],
    )[0] ?? {};
  expect(trace).toMatchObject({
    source: "atif",
    agent: "housekeeper",
    agentVersion: "2.1.0",
    task: "Open drawers 1, 2 and 3.",
    output: "Drawer 1 is open, drawer 2 is locked.",
    status: "ok",
    durationMs: 4000,
    tools: ["open_drawer"],
    usage: { inputTokens: 30, outputTokens: 9 },
    meta: { system: "You know the house.\n\nHanded over.", model: "tiny-1" },
  });
  expect(trace === undefined ? [] : toolsOf(trace)).toMatchObject([
    { id: "d1", batch: 3, result: { ok: true, data: "open" } },
    {
      id: "d2",
      batch: 3,
      result: { ok: false, error: { message: "drawer 2 is locked", source: "text" } },
    },
    { id: "d3", batch: 3 },
  ]);
  expect(warnings).toEqual(["the call of open_drawer at step 5 was never answered"]);
});

test("a sub-agent beside its agent is attached to it, and is a run only when it is read alone", () => {
  expect(outcomes(fixture("atif"))).toEqual(["trace", "trace", "trace", "skipped E_RECORD_ASIDE"]);
  const attached = fixtureTrace("atif/trajectory.json").steps.find(({ kind }) => kind === "other");
  expect(JSON.stringify(attached)).toContain("Write notes.");
  expect(fixtureTrace("atif/trajectory.summarization-1-notes.json")).toMatchObject({
    task: "Write notes.",
    output: "Drawer 2 is locked.",
  });
});

test("what was copied from another trajectory is no call of this one", () => {
  expect(toolsOf(fixtureTrace("atif/trajectory.summarization-1-notes.json"))).toEqual([]);
});

test("commands that stand as JSON in the message are calls of a terminal", () => {
  const trace = fixtureTrace("atif/terminal.json");
  expect(trace).toMatchObject({ status: "ok", output: "Yes." });
  expect(toolsOf(trace)).toMatchObject([
    {
      name: "terminal",
      args: { commands: [{ keystrokes: "mkdir a\n" }] },
      result: { ok: true, data: "$ mkdir a" },
    },
  ]);
});

test("a run that goes on in another file is incomplete and says where", () => {
  expect(fixtureTrace("atif/continued.json")).toMatchObject({
    status: "incomplete",
    truncated: "continued_elsewhere",
    meta: { continued_in: "trajectory.cont-1.json" },
  });
});

test("every public file of atif is read", ({ skip }) => {
  skip(NO_SHARED, WHY_NO_SHARED);
  const items = [...readTraces([`${SHARED}/atif`])];
  expect(outcomes(items)).toEqual(Array.from({ length: 9 }, () => "trace"));
  expect(tracesIn(items).map((trace) => [trace.status, toolsOf(trace).length])).toEqual([
    ["ok", 1],
    ["incomplete", 3],
    ["ok", 2],
    ["ok", 0],
    ["ok", 0],
    ["ok", 0],
    ["ok", 5],
    ["ok", 3],
    ["ok", 1],
  ]);
});
