import * as fc from "fast-check";
import type { Json, JsonObject } from "../shared/json.ts";
import {
  TRACE_VERSION,
  type Step,
  type ToolStep,
  type Trace,
  type TraceError,
} from "../trace/trace.ts";

type WithoutIndex<S> = S extends Step ? Omit<S, "index"> : never;
/** A step before it has a place in a trace. */
export type StepSeed = WithoutIndex<Step>;
type CallMore = Partial<Omit<ToolStep, "kind" | "name" | "args" | "result" | "index">>;
/** What of a trace may be given; the rest has plain defaults. */
export type About = Partial<Omit<Trace, "steps" | "schemaVersion">>;

/** A tool call that was answered with data. */
export function call(name: string, args: Json = {}, data: Json = null): StepSeed {
  return { kind: "tool", name, args, result: { ok: true, data } };
}

/** A tool call that was answered with an error: a message, or the whole error. */
export function failed(name: string, args: Json, error: string | TraceError): StepSeed {
  const whole = typeof error === "string" ? { message: error } : error;
  return { kind: "tool", name, args, result: { ok: false, error: whole } };
}

/** A tool call that was never answered. */
export function unanswered(name: string, args: Json = {}): StepSeed {
  return { kind: "tool", name, args };
}

/** The same call with more said about it: `{ write: true }`, `{ params: ["id"] }`. */
export function having(seed: StepSeed, more: CallMore): StepSeed {
  return seed.kind === "tool" ? { ...seed, ...more } : seed;
}

/** A model's words. */
export function model(content: Json): StepSeed {
  return { kind: "model", content };
}

/** What the user said. */
export function input(content: Json): StepSeed {
  return { kind: "input", content };
}

/** An error that ended the run. */
export function crash(message: string, name?: string): StepSeed {
  return { kind: "error", error: name === undefined ? { message } : { name, message } };
}

/** Calls that were under way together; `first` is the index that the first of them will have. */
export function together(first: number, calls: readonly StepSeed[]): StepSeed[] {
  return calls.map((seed) => having(seed, { batch: first }));
}

/**
 * A trace of these steps. With an `output` it ends well (status `ok`, an output step is added); without one it is
 * `incomplete`, or `error` when a step of that kind is there. Everything can be overridden.
 */
export function traceOf(seeds: readonly StepSeed[], about: About = {}): Trace {
  const answered = about.output !== undefined;
  const whole: readonly StepSeed[] =
    answered && !seeds.some((seed) => seed.kind === "output")
      ? [...seeds, { kind: "output", content: about.output as Json }]
      : seeds;
  const crashed = seeds.some((seed) => seed.kind === "error");
  return {
    schemaVersion: TRACE_VERSION,
    id: "tr_0000000000000001",
    taskId: "task_000000000001",
    task: "Do it.",
    agent: "agent",
    agentVersion: "1",
    source: "live",
    status: answered ? "ok" : crashed ? "error" : "incomplete",
    steps: numbered(whole),
    ...about,
  };
}

function numbered(seeds: readonly StepSeed[]): Step[] {
  return seeds.map((seed, index) => Object.assign({ index }, seed));
}

/** Freezes a value at every depth, so that a change throws. */
export function frozen<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const key of Reflect.ownKeys(value)) frozen(Reflect.get(value, key));
  return value;
}

/** Names and texts that break careless code. */
const HOSTILE: readonly string[] = [
  "",
  " ",
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "\u0000",
  "\u001b[31m",
  "::error::x",
  "##[error]x",
  "${process.exit()}",
  "`'\"\\",
  "\u2028\u2029",
  "\u202e",
  "\ud800",
  "*/ //",
  "a:b",
  "Error: nope",
  "Failed: HTTP 500",
  "I cannot do that.",
  "I can\u2019t.",
  "Done!",
  "{",
  '{"a":',
  "[1]",
  "```json\n{}\n```",
  "$t",
];

/** Names that detectors look at. */
const NAMES: readonly string[] = [
  "search_orders",
  "refund",
  "create_file",
  "delete_file",
  "fetch",
  "getUser",
  "send-mail",
  "server.tool",
  "a",
  "b",
];

function anyText(): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...HOSTILE) },
    { weight: 3, arbitrary: fc.string({ unit: "grapheme", maxLength: 40 }) },
    { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 40 }) },
  );
}

/** Members that detectors look at, with any value. */
const MEMBERS = [
  "error",
  "errors",
  "success",
  "ok",
  "isError",
  "status",
  "statusCode",
  "content",
  "message",
  "$t",
  "v",
];

/** Any JSON value, rather small, with hostile keys and with the members that mean something to us. */
export function anyJson(): fc.Arbitrary<Json> {
  const { value } = fc.letrec<{ value: Json; object: Json }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4, depthSize: "small", withCrossShrink: true },
      fc.constantFrom<Json>(null, true, false, 0, -0, 404, 1e21, Number.MIN_VALUE, "", [], {}),
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      anyText(),
      fc.array(tie("value"), { maxLength: 4 }),
      tie("object"),
    ),
    object: fc
      .array(fc.tuple(fc.oneof(fc.constantFrom(...MEMBERS), anyText()), tie("value")), {
        maxLength: 5,
      })
      .map((entries) => objectOf(entries)),
  }));
  return value;
}

/** Own keys whatever their name, `__proto__` too. */
function objectOf(entries: readonly (readonly [string, Json])[]): JsonObject {
  const made: JsonObject = {};
  for (const [key, value] of entries) {
    Object.defineProperty(made, key, {
      value,
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
  return made;
}

function anyError(): fc.Arbitrary<TraceError> {
  return fc.record(
    {
      message: anyText(),
      name: anyText(),
      code: fc.oneof(anyText(), fc.integer()),
      retryable: fc.boolean(),
      data: anyJson(),
      source: fc.constantFrom("thrown", "flag", "wrapper", "text"),
    },
    { requiredKeys: ["message"] },
  );
}

function anyResult(): fc.Arbitrary<NonNullable<ToolStep["result"]>> {
  return fc.oneof(
    anyJson().map((data) => ({ ok: true as const, data })),
    anyError().map((error) => ({ ok: false as const, error })),
    fc.tuple(anyError(), anyJson()).map(([error, data]) => ({ ok: false as const, error, data })),
  );
}

function anyCall(): fc.Arbitrary<StepSeed> {
  return fc.record(
    {
      kind: fc.constant("tool" as const),
      name: fc.oneof(
        { weight: 4, arbitrary: fc.constantFrom(...NAMES) },
        { weight: 1, arbitrary: anyText() },
      ),
      args: fc.oneof(fc.constantFrom<Json>({}, { id: 1 }, { page: 2 }, [1]), anyJson()),
      result: anyResult(),
      id: anyText(),
      params: fc.array(anyText(), { maxLength: 3 }),
      durationMs: fc.nat(),
      batch: fc.nat({ max: 12 }),
      settled: fc.nat({ max: 12 }),
      write: fc.boolean(),
      sync: fc.boolean(),
    },
    { requiredKeys: ["kind", "name", "args"] },
  );
}

function anyStep(): fc.Arbitrary<StepSeed> {
  const content = anyJson();
  return fc.oneof(
    { weight: 6, arbitrary: anyCall() },
    { weight: 1, arbitrary: content.map((value) => ({ kind: "input" as const, content: value })) },
    { weight: 1, arbitrary: content.map((value) => ({ kind: "model" as const, content: value })) },
    {
      weight: 1,
      arbitrary: content.map((value) => ({ kind: "reasoning" as const, content: value })),
    },
    { weight: 1, arbitrary: content.map((value) => ({ kind: "output" as const, content: value })) },
    { weight: 1, arbitrary: anyError().map((error) => ({ kind: "error" as const, error })) },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant("other" as const), name: anyText(), content }),
    },
  );
}

function anyExpected(): fc.Arbitrary<NonNullable<Trace["expected"]>> {
  return fc.oneof(
    anyJson().map((equals) => ({ equals })),
    fc.string({ minLength: 1, maxLength: 20 }).map((contains) => ({ contains })),
    fc.constantFrom("R-\\d+", "(", "^$", "a|b").map((matches) => ({ matches })),
  );
}

/**
 * Any trace that `traceSchema` accepts, rather hostile: names like `__proto__`, broken texts, soft errors, steps in any
 * order, repeated calls (steps are drawn from a few, so loops are common), missing results, odd schemas.
 */
export function anyTrace(): fc.Arbitrary<Trace> {
  const steps = fc
    .array(anyStep(), { minLength: 1, maxLength: 6 })
    .chain((few) => fc.array(fc.constantFrom(...few), { maxLength: 16 }));
  const about = fc.record(
    {
      id: anyText(),
      taskId: anyText(),
      task: anyJson(),
      agent: anyText(),
      agentVersion: anyText(),
      source: anyText(),
      status: fc.constantFrom("ok", "error", "timeout", "incomplete"),
      startedAt: fc.integer(),
      endedAt: fc.integer(),
      durationMs: fc.nat(),
      output: fc.oneof(anyText(), anyJson()),
      tools: fc.array(anyText(), { maxLength: 3 }),
      limits: fc.record({ toolCalls: fc.nat(), ms: fc.nat() }, { requiredKeys: [] }),
      outputSchema: anyJson(),
      expected: anyExpected(),
      score: fc.record({ name: anyText(), value: fc.integer(), passed: fc.boolean() }),
      truncated: anyText(),
      meta: anyJson().map((value) => objectOf([["x", value]])),
    },
    { requiredKeys: ["id", "taskId", "task", "agent", "agentVersion", "source", "status"] },
  );
  return fc
    .tuple(steps, about)
    .map(([seeds, rest]) =>
      Object.assign({ schemaVersion: TRACE_VERSION, steps: numbered(seeds) } as const, rest),
    );
}
