import * as fc from "fast-check";
import { expect, test } from "vitest";
import { record } from "../agent/record.ts";
import { detect, real, signaturesOf, type Failure } from "../detector/detector.ts";
import { validateSchema } from "../shared/json-schema.ts";
import { decode, encode } from "../shared/encode.ts";
import { canonical, type Json } from "../shared/json.ts";
import { findSecrets } from "../shared/redact.ts";
import { refundDeskV1, refundDeskV2, refundTools, REFUND_TOOLS } from "../testing/refund-desk.ts";
import {
  anyJson,
  anyTrace,
  call,
  crash,
  failed,
  frozen,
  having,
  together,
  traceOf,
  unanswered,
} from "../testing/traces.ts";
import type { Trace } from "../trace/trace.ts";
import { toRepro, type ConvertContext, type Conversion } from "./convert.ts";
import { isHandEdited, reproDigest } from "./hash.ts";
import { prove } from "./prove.ts";
import { replay } from "./replay.ts";
import { reproSchema, type Repro } from "./repro.ts";

const DETECT = { validate: validateSchema };

function convert(
  trace: Trace,
  context: Partial<ConvertContext> = {},
  failures: readonly Failure[] = detect(trace, DETECT),
): Conversion {
  return toRepro(trace, failures, { agent: "agent", options: { detect: DETECT }, ...context });
}

function reproOf(trace: Trace, context: Partial<ConvertContext> = {}): Repro {
  const conversion = convert(trace, context);
  if ("unproved" in conversion) throw new Error(conversion.unproved.reason);
  return conversion.repro;
}

function reasonOf(conversion: Conversion): string {
  return "unproved" in conversion ? conversion.unproved.reason : "converted";
}

test("every repro is proved: the recorded run fails again with a recorded signature", () => {
  fc.assert(
    fc.property(anyTrace(), fc.option(anyTrace(), { nil: undefined }), (trace, other) => {
      const success = other && {
        ...other,
        taskId: trace.taskId,
        id: `${trace.id}x`,
        status: "ok" as const,
      };
      const conversion = convert(trace, success === undefined ? {} : { success });
      fc.pre("repro" in conversion && conversion.repro.needs === undefined);
      if (!("repro" in conversion)) return;
      const { repro, blobs } = conversion;
      const proof = prove(repro, trace, { blobs, detect: DETECT });
      expect([proof.verdict, proof.reason]).toEqual(["still_fails", proof.reason]);
      expect(proof.signatures.some((signature) => repro.signatures.includes(signature))).toBe(true);
    }),
    { numRuns: 100 },
  );
});

test("every repro meets its schema, is untouched, and its conversion changes no input", () => {
  fc.assert(
    fc.property(anyTrace(), anyTrace(), (trace, success) => {
      const conversion = convert(frozen(trace), { success: frozen(success) });
      if (!("repro" in conversion)) return;
      const read = reproSchema.parse(JSON.parse(JSON.stringify(conversion.repro)));
      expect(canonical(read as unknown as Json)).toBe(
        canonical(conversion.repro as unknown as Json),
      );
      expect(isHandEdited(read)).toBe(false);
      expect(convert(trace, { success })).toEqual(conversion);
    }),
    { numRuns: 100 },
  );
});

/** Runs without a failure: reads with answers of any kind, changes that went well, errors that were made good. */
const healthyTrace = fc
  .array(
    fc.oneof(
      fc
        .tuple(fc.constantFrom("get_order", "search", "constructor"), anyJson())
        .map(([name, data]) => call(name, { data: encode(data) }, encode(data))),
      fc.nat().map((id) => call("refund", { id }, { refund_id: `R-${id}` })),
      fc.nat().map((k) => [failed("fetch", { k }, "503 unavailable"), call("fetch", { k }, k)]),
    ),
    { maxLength: 6 },
  )
  .chain((seeds) =>
    fc
      .constantFrom("It is 7.", "There is one order.", "Here you are.")
      .map((output) => traceOf(seeds.flat(), { output })),
  )
  .filter((trace) => real(detect(trace, DETECT)).length === 0);

/** Makes the calls of a trace again, one after the other, and gives its output. */
function sayingAgain(trace: Trace) {
  return async (
    _task: unknown,
    context: { call(tool: string, args: object): Promise<unknown> },
  ): Promise<unknown> => {
    for (const step of trace.steps) {
      if (step.kind === "tool")
        await context.call(step.name, decode(step.args) as object).catch(() => undefined);
    }
    return trace.output;
  };
}

test("a trace that did not fail gives no failure when it is replayed", async () => {
  await fc.assert(
    fc.asyncProperty(healthyTrace, async (trace) => {
      const cassette = trace.steps.flatMap((step) =>
        step.kind === "tool" && step.result !== undefined
          ? [{ tool: step.name, args: step.args, result: step.result }]
          : [],
      );
      const { cut: _cut, ...rest } = reproOf(traceOf([crash("x")]));
      const repro: Repro = { ...rest, cassette, checks: [{ type: "no_failures" }] };
      const proof = prove(repro, trace, { detect: DETECT });
      expect([proof.verdict, proof.signatures]).toEqual(["passes", []]);
      const again = await replay(sayingAgain(trace), repro, { detect: DETECT });
      expect([again.verdict, again.signatures]).toEqual(["passes", []]);
    }),
    { numRuns: 100 },
  );
});

test("version 1 of Grace gives a repro with its task, its tools and no_failure as its first check", async () => {
  const trace = await record(
    refundDeskV1,
    { customer: "Grace" },
    { tools: refundTools(), maxToolCalls: 8 },
  );
  const repro = reproOf(trace);
  expect(repro.task).toEqual({ customer: "Grace" });
  expect(repro.title).toBe("customer: Grace");
  expect(repro.checks[0]).toEqual({ type: "no_failure", signatures: repro.signatures });
  expect(repro.tools).toEqual([...REFUND_TOOLS]);
  expect(reproSchema.parse(JSON.parse(JSON.stringify(repro)))).toEqual(repro);
});

test("a later success adds its recordings, its facts, a call budget and the difference", async () => {
  const options = { tools: refundTools(), maxToolCalls: 8 };
  const trace = await record(refundDeskV1, { customer: "grace" }, options);
  const success = await record(refundDeskV2, { customer: "grace" }, options);
  const repro = reproOf(trace, { success });
  expect(repro.origin).toBe("retry");
  expect(repro.diff).toMatchObject({ onlyInFailure: ["refund"], onlyInSuccess: [] });
  expect(repro.checks).toContainEqual({ type: "output_contains", value: "A-1002" });
  expect(repro.checks).toContainEqual({ type: "max_tool_calls", value: 4 });
  expect(repro.cassette.filter(({ from }) => from === "retry").map(({ tool }) => tool)).toEqual([
    "search_orders",
    "get_order",
  ]);
  expect(repro.id).toBe(reproOf(trace).id);
});

test("ids come from the content: equal runs have one id, another signature, task or agent another", () => {
  const one = traceOf([failed("refund", { id: 1 }, "no")], { output: "Refunded." });
  const same = { ...one, id: "tr_9", startedAt: 5, agentVersion: "2" };
  const other = traceOf([failed("refund", { id: 2 }, "no")], { output: "Refunded." });
  expect(reproOf(one).id).toBe(reproOf(same).id);
  expect(reproOf(one).id).not.toBe(reproOf(other).id);
  expect(reproOf(one).id).not.toBe(reproOf(one, { agent: "other" }).id);
  expect(reproDigest("agent", reproOf(one)).startsWith(reproOf(one).id)).toBe(true);
});

test("the cassette ends with the first failing step, and the tools asked after it are named", () => {
  const trace = traceOf(
    [
      call("get", { k: 1 }, 1),
      failed("refund", { id: 1 }, "declined"),
      call("log_event", {}, "ok"),
      call("notify_none", {}, "ok"),
    ],
    { output: "Your money is on its way back to you!" },
  );
  const repro = reproOf(trace);
  expect([repro.cut, repro.cassette.map(({ tool }) => tool), repro.after]).toEqual([
    1,
    ["get", "refund"],
    ["log_event", "notify_none"],
  ]);
});

test("calls that were under way together with the failing one are kept", () => {
  const trace = traceOf(
    [
      ...together(0, [
        having(failed("refund", { id: 1 }, "declined"), { settled: 1 }),
        having(call("get", { k: 1 }, 1), { settled: 0 }),
      ]),
      call("later", {}, 1),
    ],
    { output: "Your refund was sent!" },
  );
  const { cassette, cut } = reproOf(trace);
  expect(cut).toBe(1);
  expect(cassette.map(({ tool, batch, settled }) => [tool, batch, settled])).toEqual([
    ["refund", 0, 1],
    ["get", 0, 0],
  ]);
});

test("a large answer is stored once, whoever gives it", () => {
  const large = "x".repeat(5_000_000);
  const seeds = [
    call("read", { file: 1 }, large),
    call("read", { file: 2 }, large),
    crash("out of memory", "RangeError"),
  ];
  const conversion = convert(traceOf(seeds));
  if ("unproved" in conversion) throw new Error(conversion.unproved.reason);
  const { repro, blobs } = conversion;
  expect(Object.keys(blobs)).toHaveLength(1);
  expect(repro.cassette.map(({ blob }) => blob)).toEqual([
    ...Object.keys(blobs),
    ...Object.keys(blobs),
  ]);
  expect(JSON.stringify(repro).length).toBeLessThan(4000);
});

test("a repro holds no secret of its trace", () => {
  const key = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD";
  const trace = traceOf(
    [
      failed(
        "mail",
        { api_key: key, to: "ada@example.com" },
        `401 for ada@example.com with ${key}`,
      ),
    ],
    { task: "Mail ada@example.com", output: "Mail sent to ada@example.com!" },
  );
  const repro = reproOf(trace);
  expect(JSON.stringify(repro)).not.toMatch(/abcdefghijklmnop|ada@example/);
  expect(findSecrets(repro as unknown as Json)).toEqual([]);
});

test("a failure known by a score alone waits as needs an expected answer", () => {
  const score = { name: "reward", value: 0, passed: false };
  const scored = traceOf([call("price", {}, 42)], { output: "It costs 40 EUR.", score });
  const waiting = convert(scored);
  expect("repro" in waiting && waiting.repro.needs).toBe("an expected answer");
  const known = convert({ ...scored, expected: { contains: "42" } });
  expect("repro" in known && [known.repro.needs, known.repro.expected]).toEqual([
    undefined,
    { contains: "42" },
  ]);
});

test("a failure known by a judge alone waits as needs an expected answer", () => {
  const judged: Failure = {
    kind: "off_track",
    detector: "judge",
    message: "wrong goal",
    severity: "medium",
    signature: "off_track:-",
  };
  const conversion = convert(traceOf([call("get", {}, 1)], { output: "It is 1." }), {}, [judged]);
  expect("repro" in conversion && conversion.repro.needs).toBe("an expected answer");
});

test("a score beside a failure that can come back waits for nothing", () => {
  const score = { name: "reward", value: 0, passed: false };
  const repro = reproOf(traceOf([failed("refund", {}, "no")], { output: "Refunded.", score }));
  expect([repro.needs, repro.signatures]).toEqual([
    undefined,
    ["tool_error:refund", "unsupported_claim:refund", "wrong_answer:-"],
  ]);
});

test("a run whose calls were never answered gives no repro, and the reason says so", () => {
  const trace = traceOf([unanswered("get", { k: 1 }), unanswered("get", { k: 2 }), crash("boom")]);
  expect(reasonOf(convert(trace))).toBe("none of its 2 tool calls has a recorded answer");
});

test("a run with some unanswered calls gives a repro with a note", () => {
  const repro = reproOf(
    traceOf([call("get", { k: 1 }, 1), unanswered("get", { k: 2 }), crash("boom")]),
  );
  expect(repro.notes).toMatchInlineSnapshot(
    `"1 of 2 tool calls have no recorded answer; a replay that makes them waits until its time is over."`,
  );
  const torn = reproOf(
    traceOf([call("get", { k: 1 }, 1), crash("boom")], { truncated: "disk_full" }),
  );
  expect(torn.notes).toBe("The record is not whole: disk_full.");
});

test("a trace that did not fail gives no repro", () => {
  const trace = traceOf([call("get", {}, 1)], { output: "It is 1." });
  expect(reasonOf(convert(trace))).toBe("it has no failure but low ones");
});

test("a crashed detector is no failure of the agent", () => {
  const crashed: Failure = {
    kind: "detector_crash",
    detector: "rule",
    message: "The detector loop crashed: x",
    severity: "high",
    signature: "detector_crash:loop",
  };
  const healthy = traceOf([call("get", {}, 1)], { output: "It is 1." });
  expect(reasonOf(convert(healthy, {}, [crashed]))).toBe("The detector loop crashed: x");
});

test("what a replay does not find again is named, not dropped", () => {
  const invented: Failure = {
    kind: "loop",
    detector: "heuristic",
    message: "m",
    step: 0,
    severity: "medium",
    signature: "loop:get",
  };
  const conversion = convert(traceOf([call("get", {}, 1)], { output: "It is 1." }), {}, [invented]);
  expect(conversion).toEqual({
    unproved: {
      trace: "tr_0000000000000001",
      reason: expect.stringContaining("a replay of the recorded run gives "),
    },
  });
});

test("a task is titled by its words", () => {
  const titled = (task: Json): string => reproOf(traceOf([crash("x")], { task })).title;
  expect(titled("Refund the order of Grace")).toBe("Refund the order of Grace");
  expect(titled({ customer: "Grace", amount: 3 })).toBe("customer: Grace, amount: 3");
  expect(titled({ question: "How much?", id: 7 })).toBe("How much?");
  expect(
    titled([
      { role: "system", content: "You are" },
      { role: "user", content: [{ type: "text", text: "Hi there" }] },
    ]),
  ).toBe("Hi there");
  expect(titled("")).toBe("(empty)");
  expect(titled(null)).toBe("null");
});

test("signatures are the real ones, sorted, and low failures are kept beside them", () => {
  const trace = traceOf([
    failed("fetch", { k: 1 }, "503"),
    call("fetch", { k: 1 }, 1),
    crash("boom", "TypeError"),
  ]);
  const repro = reproOf(trace);
  expect(repro.signatures).toEqual(signaturesOf(detect(trace)));
  expect(repro.signatures).toEqual(["exception:TypeError"]);
  expect(repro.failures.some(({ severity }) => severity === "low")).toBe(true);
  expect(canonical(repro.failures as unknown as Json)).not.toContain("detector");
});
