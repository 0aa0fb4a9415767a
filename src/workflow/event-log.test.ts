import { inspect } from "node:util";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Json } from "../shared/json.ts";
import { defineWorld } from "../world/define.ts";
import { endedAt } from "./end-time.ts";
import { Evidence } from "./evidence.ts";
import { subjectOf } from "./subject.ts";
import { runTrial } from "./trial.ts";
import type { TrialEvent } from "./trial-result.ts";

const json = fc.jsonValue({ maxDepth: 1 }).map((value) => value as Json);
const call = fc.record({
  id: fc.constantFrom("call_1", "call_2", "call_3"),
  tool: fc.constantFrom("read", "add"),
  args: json,
});
const error = fc.record({ name: fc.string(), message: fc.string() });
const result = fc.oneof(
  json.map((data) => ({ ok: true as const, data })),
  error.map((told) => ({ ok: false as const, error: told })),
  fc.tuple(error, json).map(([told, data]) => ({ ok: false as const, error: told, data })),
);
const completion = fc.record({
  status: fc.constantFrom("completed" as const, "blocked" as const),
  message: fc.string(),
});

/** A step of a trial: how much later it is, what is told to the evidence, and the events that it is. */
type Step = readonly [number, (evidence: Evidence) => void, ...object[]];
const later = fc.constantFrom(0, 0, 0, 0.1, 1, 40_000);
const told = fc.tuple(call, result);

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(later, told, fc.boolean()).map(([ms, [asked, answer], write]): Step => {
    const made = write ? { ...asked, write } : asked;
    const { id: callId, tool, args } = asked;
    const event = { kind: "call", callId, tool, args, ...(write ? { write } : {}) };
    const run = (evidence: Evidence): void => {
      evidence.call(made);
      evidence.result(made, answer);
    };
    return [ms, run, event, { kind: "result", callId, tool, result: answer }];
  }),
  fc.tuple(later, told).map(([ms, [asked, answer]]): Step => {
    const { id: callId, tool } = asked;
    const event = { kind: "hidden", callId, tool, result: answer };
    return [ms, (evidence) => evidence.hidden(asked, answer), event];
  }),
  fc.tuple(later, call, json).map(([ms, { id: callId, tool, args }, after]): Step => {
    const mutation = { callId, tool, args, changes: [{ path: "/a", after }], by: "agent" as const };
    return [
      ms,
      (evidence) => evidence.mutation({ ...mutation, at: 0 }),
      { kind: "mutation", ...mutation },
    ];
  }),
  fc.tuple(later, completion).map(([ms, ended]): Step => {
    const event = { kind: "completion", completion: ended };
    return [ms, (evidence) => evidence.completion(ended), event];
  }),
  fc.tuple(later, error).map(([ms, thrown]): Step => {
    const event = { kind: "error", side: "tool", error: thrown };
    return [ms, (evidence) => evidence.error("tool", thrown), event];
  }),
  fc.tuple(later, call).map(([ms, { id: callId, tool }]): Step => {
    const event = { kind: "fault", callId, tool, type: "unavailable", n: 0 };
    return [ms, (evidence) => evidence.fault({ callId, tool, type: "unavailable", n: 0 }), event];
  }),
);

test("events are what was told, in order and in time, and what checks see of them is what they see in a list of events", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), fc.nat(30), (steps, looked) => {
      let now = 1_767_225_600_000;
      const evidence = new Evidence({ now: () => now });
      const wanted: object[] = [];
      for (const [i, [ms, run, ...made]] of steps.entries()) {
        now += ms;
        run(evidence);
        for (const event of made) wanted.push({ id: `e${wanted.length + 1}`, at: now, ...event });
        // Somebody may look while it goes on.
        if (i === looked) void evidence.log.events;
      }
      const { log } = evidence;
      expect(log.events).toEqual(wanted);
      expect(log.events).toBe(log.events);
      const events = wanted as unknown as TrialEvent[];
      expect(JSON.stringify(log.events)).toBe(JSON.stringify(events));
      expect(log.endedAt).toBe(endedAt(events));
      expect(log.broke).toBe(events.some(({ kind }) => kind === "error" || kind === "limit"));
      const states = { read: () => undefined, initial: () => undefined };
      const [seen, expected] = [log, events].map((from) => subjectOf(from, states, []));
      for (const name of ["completion", "completionEvidence", "calls", "mutations"] as const)
        expect(seen?.[name]).toEqual(expected?.[name]);
    }),
  );
});

test("the events are a member of the trial, however it is looked at", async () => {
  const world = defineWorld({
    state: { total: 0 },
    tools: { read: { kind: "read", execute: (_args: object, { total }) => total } },
  });
  const agent = async (_task: unknown, { call: ask }: { call: (tool: string) => unknown }) => ({
    status: "completed",
    message: String(await ask("read")),
  });
  const trial = await runTrial({ agent, task: "read", world });
  const kinds = ["call", "result", "completion"];
  expect(Object.keys(trial)).toContain("events");
  expect({ ...trial }.events.map(({ kind }) => kind)).toEqual(kinds);
  expect(JSON.parse(JSON.stringify(trial))).toMatchObject({
    events: kinds.map((kind) => ({ kind })),
  });
  expect(inspect(trial)).toMatch(/^FinishedTrial \{[^]*events: \[\n? +\{/);
  expect(trial.events.map(({ kind }) => kind)).toEqual(kinds);
});
