import * as fc from "fast-check";
import { expect, test } from "vitest";
import { record } from "../agent/record.ts";
import type { Agent } from "../agent/agent.ts";
import type { Json } from "../shared/json.ts";
import { REFUND_TOOLS, refundDeskV1, refundDeskV2, refundTools } from "../testing/refund-desk.ts";
import {
  anyTrace,
  call,
  crash,
  failed,
  frozen,
  together,
  traceOf,
  type StepSeed,
} from "../testing/traces.ts";
import type { Trace } from "../trace/trace.ts";
import * as builtin from "./builtin.ts";
import {
  confidenceOf,
  detect,
  real,
  signatureOf,
  signaturesOf,
  type Detector,
} from "./detector.ts";

const DETECTORS = Object.values<Detector>(builtin);

test("detectors are total and pure on any trace", () => {
  fc.assert(
    fc.property(anyTrace(), (trace) => {
      const first = detect(frozen(trace));
      expect(first.filter((failure) => failure.kind === "detector_crash")).toEqual([]);
      expect(detect(structuredClone(trace))).toEqual(first);
      for (const { step } of first) {
        expect(step === undefined || step < trace.steps.length).toBe(true);
      }
    }),
    { numRuns: 500 },
  );
});

test("what a blocked completion excuses is low whatever the trace", () => {
  const excused = DETECTORS.filter((detector) => detector.excusedWhenBlocked === true);
  const kinds = new Set(excused.map(({ kind }) => kind));
  expect([...kinds].sort()).toEqual([
    "ignored_error",
    "invalid_arguments",
    "self_contradiction",
    "tool_error",
    "unknown_tool",
    "unsupported_claim",
  ]);
  fc.assert(
    fc.property(anyTrace(), (trace) => {
      const blocked = { ...trace, output: { status: "blocked", message: "It was not done." } };
      expect(real(detect(blocked)).filter(({ kind }) => kinds.has(kind))).toEqual([]);
    }),
    { numRuns: 500 },
  );
});

test("a loop, a contradiction or fruitless search shows in the steps up to its step alone", () => {
  const shown = new Set(["loop", "no_progress", "self_contradiction"]);
  fc.assert(
    fc.property(anyTrace(), ({ output: _output, score: _score, ...trace }) => {
      for (const failure of detect(trace).filter(({ kind }) => shown.has(kind))) {
        const cut = { ...trace, steps: trace.steps.slice(0, (failure.step ?? 0) + 1) };
        expect(signaturesOf(detect(cut))).toContain(failure.signature);
      }
    }),
    { numRuns: 500 },
  );
});

test("a trace of ten thousand steps is judged in less than a third of a second, whatever is in it", () => {
  const size = 10_000;
  const many = (step: (n: number) => StepSeed): StepSeed[] =>
    Array.from({ length: size }, (_, n) => step(n));
  const shapes: Record<string, StepSeed[]> = {
    same: many(() => call("search", { q: "x" }, [])),
    different: many((n) => call("search", { q: `question ${n}` }, [])),
    failing: many((n) => failed("fetch", { id: n }, `error ${n}`)),
    mixed: many((n) =>
      n % 2 === 0 ? failed("fetch", { id: n }, "no") : call("get_it", { id: n }, { id: n }),
    ),
    undone: many((n) => call(n < size / 2 ? "create_x" : "delete_x", { cart: 1, id: n }, "ok")),
    scratch: many((n) =>
      call(n % 2 === 0 ? "create_file" : "delete_file", { path: Math.floor(n / 2) }, "ok"),
    ),
    loops: many((n) => call("step", { n: Math.floor(n / 4) }, "x")),
    paged: many((n) => call("list_items", { page: n }, { items: [{ id: n }, { id: -n }] })),
    batch: together(
      0,
      many((n) => call("get", { n: n % 7 }, n)),
    ),
  };
  const times = new Map<string, number>();
  for (const [shape, steps] of Object.entries(shapes)) {
    const trace = traceOf(steps, { output: "Order AB-12345-X is done." });
    detect(trace);
    const before = process.cpuUsage();
    detect(trace);
    const { user, system } = process.cpuUsage(before);
    times.set(shape, (user + system) / 1000);
  }
  expect([...times].filter(([, ms]) => ms >= 300)).toEqual([]);
});

test("a long answer is read in no time", () => {
  const times = new Map<string, number>();
  for (const part of [
    "si ",
    "kann ,",
    "let me first ",
    "if you ",
    "I can't ",
    "a.",
    "(no ",
    "1Z-",
    "was nicht ",
  ]) {
    const trace = traceOf([call("search", {}, [])], { output: part.repeat(100_000) });
    const before = process.cpuUsage();
    detect(trace);
    const { user, system } = process.cpuUsage(before);
    times.set(part, (user + system) / 1000);
  }
  expect([...times].filter(([, ms]) => ms >= 300)).toEqual([]);
});

test("a detector that crashes is a failure of its own, and the others go on", () => {
  const steps = [failed("x", {}, "no"), call("y")];
  const trace = traceOf(steps, { output: { a: 1 }, outputSchema: {} });
  const validate = (): never => {
    throw new TypeError("unhashable type: 'list'");
  };
  const found = detect(trace, { validate });
  expect(signaturesOf(found)).toEqual(["detector_crash:malformed_output", "tool_error:x"]);
  expect(found[0]).toMatchInlineSnapshot(`
    {
      "detector": "rule",
      "kind": "detector_crash",
      "message": "The detector malformed_output crashed: unhashable type: 'list'",
      "severity": "high",
      "signature": "detector_crash:malformed_output",
    }
  `);
});

test("a trace that cannot be looked at at all is a failure, not a pass", () => {
  let deep: Json = 1;
  for (let n = 0; n < 100_000; n++) deep = [deep];
  expect(signaturesOf(detect(traceOf([call("x", deep)])))).toEqual(["detector_crash:view"]);
  expect(signaturesOf(detect({} as Trace))).toEqual(["detector_crash:view"]);
});

test("the first version of the refund desk fails in its three ways and in no other", async () => {
  const kinds = async (customer: string): Promise<string[]> =>
    real(detect(await run(refundDeskV1, customer)))
      .map((failure) => failure.kind)
      .sort();
  expect(await kinds("ada")).toEqual([]);
  expect(await kinds("Grace")).toEqual(["loop", "timeout"]);
  expect(await kinds("grace")).toEqual(["tool_error", "unsupported_claim"]);
  expect(await kinds("linus")).toEqual(["exception"]);
});

test("the second version of the refund desk does not fail", async () => {
  const found: Record<string, string[]> = {};
  for (const customer of ["ada", "Grace", "grace", "linus", "nobody"]) {
    found[customer] = signaturesOf(detect(await run(refundDeskV2, customer)));
  }
  expect(found).toEqual({ ada: [], Grace: [], grace: [], linus: [], nobody: [] });
});

async function run(agent: Agent, customer: string): Promise<Trace> {
  expect(REFUND_TOOLS).toHaveLength(3);
  return record(
    agent,
    { customer },
    { agent: "refund-desk", tools: { ...refundTools() }, maxToolCalls: 8 },
  );
}

test("failures are sorted by weight, then by step", () => {
  const steps = [failed("b", {}, "1"), failed("a", {}, "2"), call("b", {}), crash("KeyError: 'x'")];
  expect(
    detect(traceOf(steps)).map(({ signature, severity }) => `${severity} ${signature}`),
  ).toEqual(["high exception:KeyError", "medium tool_error:a", "low tool_error:b"]);
});

test("where ground truth says that a run passed, what is read out of it is a hint", () => {
  const score = { name: "reward", value: 1, passed: true };
  const hints = new Set(
    DETECTORS.flatMap(({ kind, excusedWhenPassed }) => (excusedWhenPassed === true ? [kind] : [])),
  );
  expect([...hints].sort()).toEqual([
    "budget_exceeded",
    "duplicate_mutation",
    "ignored_error",
    "invalid_arguments",
    "loop",
    "no_progress",
    "refused",
    "self_contradiction",
    "timeout",
    "ungrounded_answer",
    "unknown_tool",
    "unsupported_claim",
  ]);
  fc.assert(
    fc.property(anyTrace(), (trace) => {
      for (const { kind, severity } of detect({ ...trace, score }))
        expect(hints.has(kind) && severity !== "low").toBe(false);
    }),
    { numRuns: 300 },
  );
  const again = Array.from({ length: 4 }, () => call("scroll", { by: "page" }, "lamps"));
  const scrolled = traceOf(again, { output: "49.99" });
  expect(signaturesOf(detect(scrolled))).toEqual(["loop:scroll"]);
  expect(signaturesOf(detect({ ...scrolled, score }))).toEqual([]);
});

test("a failed call that the run did not end with is a hint where the run passed", () => {
  const score = { name: "reward", value: 1, passed: true };
  const lost = failed("get_user", { id: 1 }, "503 unavailable");
  const answered = traceOf([lost, call("get_seat", {}, "4A")], { output: "Your seat is 4A." });
  expect(signaturesOf(detect({ ...answered, score }))).toEqual([]);
  const ended = traceOf([call("get_seat", {}, "4A"), lost], { output: "Your name is Bo." });
  expect(signaturesOf(detect({ ...ended, score }))).toContain("tool_error:get_user");
});

test("what the record says is surer than what is read out of it, and a hint is not sure", () => {
  const of = (...seeds: Parameters<typeof traceOf>[0]) =>
    detect(traceOf(seeds)).map((failure) => `${failure.kind} ${confidenceOf(failure)}`);
  expect(of(crash("KeyError: 'x'"))).toEqual(["exception high"]);
  expect(of(failed("a", {}, "1"), call("a", {}, 1))).toEqual([
    "abandoned medium",
    "tool_error low",
  ]);
  fc.assert(
    fc.property(anyTrace(), (trace) => {
      for (const failure of detect(trace))
        expect(confidenceOf(failure) === "low").toBe(failure.severity === "low");
    }),
    { numRuns: 300 },
  );
});

test("a signature holds no free text", () => {
  expect(signatureOf("tool_error", { tool: "refund" })).toBe("tool_error:refund");
  expect(signatureOf("exception", { subject: "KeyError", tool: "x" })).toBe("exception:KeyError");
  expect(signatureOf("timeout", {})).toBe("timeout:-");
});

test("every detector has its own kind and a summary of one line", () => {
  expect(new Set(DETECTORS.map(({ kind }) => kind)).size).toBe(DETECTORS.length);
  for (const { kind, summary } of DETECTORS) {
    expect(kind).toMatch(/^[a-z]+(?:_[a-z]+)*$/u);
    expect(summary).toMatch(/^[A-Z][^\n]{20,200}\.$/u);
  }
});
