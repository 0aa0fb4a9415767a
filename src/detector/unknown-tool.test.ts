import { expect, test } from "vitest";
import { call, failed, traceOf, unanswered, type About, type StepSeed } from "../testing/traces.ts";
import { detect } from "./detector.ts";

function found(steps: readonly StepSeed[], about: About = {}): string[] {
  return detect(traceOf(steps, { tools: ["get_order"], output: "It is on its way.", ...about }))
    .filter(({ kind }) => kind === "unknown_tool")
    .map(({ severity, tool, step }) => `${severity} ${tool} ${step}`);
}
const ORDER = call("get_order", { id: 1 }, { state: "sent" });

test("a tool that nobody offered, and nobody answered, is unknown", () => {
  expect(found([ORDER, unanswered("track_parcel", { id: 1 })])).toEqual(["medium track_parcel 1"]);
});

test("what the harness says of an unknown tool explains the tool error, which counts", () => {
  const said = [
    "Unknown tool: track_parcel",
    "No such function track_parcel.",
    "Tool 'track_parcel' not found",
    "The function track_parcel does not exist",
    "tool track_parcel is not available",
  ];
  for (const text of said)
    expect(found([failed("track_parcel", {}, text)])).toEqual(["low track_parcel 0"]);
});

test("an offered tool, one that was answered, and one that worked later are known", () => {
  expect(found([unanswered("get_order", { id: 1 })])).toEqual([]);
  expect(found([call("track_parcel", {}, "here")])).toEqual([]);
  expect(found([unanswered("track", {}), call("track", {}, "here")])).toEqual([]);
  expect(found([unanswered("track", {})], { tools: [] })).toEqual([]);
});

test("a record that is cut off, a missing answer and an honest one count nothing more", () => {
  const open = [ORDER, unanswered("track_parcel")];
  expect(found(open, { truncated: "torn" })).toEqual([]);
  expect(found(open, { output: "I could not track the parcel." })).toEqual(["low track_parcel 1"]);
});

test("a program that a shell does not find, and a thing that a tool does not find, are no tools", () => {
  expect(found([failed("bash", { command: "fooo" }, "function fooo not found")])).toEqual([]);
  expect(found([failed("get_order", { id: 9 }, "order 9 not found")])).toEqual([]);
});
