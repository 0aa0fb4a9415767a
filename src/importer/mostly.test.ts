import { expect, test } from "vitest";
import { itemFrom, traceFrom } from "../testing/trace-files.ts";
import { mostly } from "./mostly.ts";

test("more than half must pass, so nothing of an empty list does", () => {
  const odd = (n: number) => n % 2 === 1;
  expect([mostly([], odd), mostly([1, 2], odd), mostly([1, 2, 3], odd)]).toEqual([
    false,
    false,
    true,
  ]);
});

test("one broken item does not hide the format of a run", () => {
  const item = { action: "ls", observation: "a", thought: "I look." };
  const trajectory = [item, null, item, item];
  const { trace } = itemFrom({ trajectory, history: [], info: { submission: "x" } });
  expect(trace.source).toBe("swe-agent");
  const event = {
    id: 0,
    source: "user",
    timestamp: "x",
    action: "message",
    args: { content: "Hi." },
  };
  expect(traceFrom([event, event, 7, { ...event, source: "agent" }])).toMatchObject({
    source: "openhands",
    output: "Hi.",
  });
});
