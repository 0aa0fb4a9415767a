import * as fc from "fast-check";
import type { SeenCall, SeenMutation, Subject, TrialSubject } from "../check/check.ts";
import { valueAt } from "../check/pointer-path.ts";
import type { Json } from "../shared/json.ts";
import { members } from "../shared/pointer.ts";
import { validateSchema } from "../shared/json-schema.ts";
import type { ToolResult } from "../trace/trace.ts";
import { detect } from "../detector/detector.ts";
import { anyJson, call, failed, having, traceOf, unanswered, type StepSeed } from "./traces.ts";

export type Completed = NonNullable<TrialSubject["completion"]>;

/** What of a trial may be given. */
export interface TrialSeed {
  readonly state?: Json;
  readonly calls?: readonly {
    readonly tool: string;
    readonly args?: Json;
    readonly result?: ToolResult | "none";
    readonly write?: boolean;
  }[];
  /** Changes in the order in which they were committed; the end state follows from them. */
  readonly mutations?: readonly {
    readonly tool: string;
    readonly path: string;
    readonly after?: Json;
    readonly by?: "agent" | "rival";
  }[];
  readonly completion?: Completed;
  readonly tools?: readonly string[];
}

/** A trial as checks see it. Ids of its evidence: `c1`, `c2`, ... for calls, `m1`, ... for mutations, `end` for the completion. */
export function trialSubject(seed: TrialSeed): Subject {
  const initial = seed.state ?? {};
  let state: Json | undefined = initial;
  const mutations = (seed.mutations ?? []).map(
    ({ tool, path, after, by = "agent" }, at): SeenMutation => {
      const before = valueAt(state, path);
      state = changed(state, members(path), after);
      const change = {
        path,
        ...(before === undefined ? {} : { before }),
        ...(after === undefined ? {} : { after }),
      };
      return { evidence: `m${at + 1}`, tool, changes: [change], by };
    },
  );
  const calls = (seed.calls ?? []).map(({ tool, args = {}, result }, at): SeenCall => {
    const about = { evidence: `c${at + 1}`, tool, args };
    return result === "none"
      ? about
      : Object.assign(about, { result: result ?? { ok: true, data: null } });
  });
  const { completion } = seed;
  const trace = traceOf(
    (seed.calls ?? []).map((one) => stepOf(one)),
    completion === undefined ? {} : { output: { ...completion } },
  );
  const tools = seed.tools ?? [...new Set(calls.map(({ tool }) => tool))];
  const trial: TrialSubject = {
    state: (pointer) => valueAt(state, pointer),
    initial: (pointer) => valueAt(initial, pointer),
    ...(completion === undefined ? {} : { completion, completionEvidence: "end" }),
    mutations,
    calls,
    tools,
  };
  return { trace, failures: detect(trace), trial, validate: validateSchema };
}

function stepOf({
  tool,
  args = {},
  result,
  write,
}: NonNullable<TrialSeed["calls"]>[number]): StepSeed {
  const more = write === undefined ? {} : { write };
  if (result === "none") return having(unanswered(tool, args), more);
  if (result?.ok === false) return having(failed(tool, args, result.error), more);
  return having(call(tool, args, result?.data ?? null), more);
}

/** The value with another one, or none, at a place. */
function changed(
  value: Json | undefined,
  [first, ...rest]: readonly string[],
  after: Json | undefined,
): Json | undefined {
  if (first === undefined) return after;
  const copy = Array.isArray(value) ? [...value] : Object.assign(Object.create(null), value);
  const inner = changed(
    valueAt(value, `/${first.replaceAll("~", "~0").replaceAll("/", "~1")}`),
    rest,
    after,
  );
  if (inner !== undefined) copy[first] = inner;
  else if (Array.isArray(copy)) copy.splice(Number(first), 1);
  else delete copy[first];
  return Array.isArray(copy) ? copy : { ...copy };
}

const TOOLS = ["reserve_slot", "get_slot", "refund", "__proto__"];

/** Any pointer, mostly to a place that there may be. */
export function anyPointer(): fc.Arbitrary<string> {
  const member = fc.constantFrom(
    "a",
    "b",
    "0",
    "1",
    "bookings",
    "~0",
    "~1x",
    "",
    "__proto__",
    "length",
  );
  return fc
    .array(member, { maxLength: 3 })
    .map((names) => names.map((name) => `/${name}`).join(""));
}

/** Any trial, also one that no world could have: states and mutations need not fit. */
export function anyTrial(): fc.Arbitrary<Subject> {
  const result = fc.oneof(
    fc.constant("none" as const),
    anyJson().map((data) => ({ ok: true as const, data })),
    fc.string().map((message) => ({ ok: false as const, error: { message } })),
  );
  const path = anyPointer();
  return fc
    .record({
      state: fc.oneof(anyJson(), fc.constant<Json>({ a: { b: [1, 2] }, bookings: [{ a: 1 }] })),
      calls: fc.array(
        fc.record({
          tool: fc.constantFrom(...TOOLS),
          args: anyJson(),
          result,
          write: fc.boolean(),
        }),
        { maxLength: 5 },
      ),
      seen: fc.array(
        fc.record(
          {
            tool: fc.constantFrom(...TOOLS),
            path,
            before: anyJson(),
            after: anyJson(),
            by: fc.constantFrom("agent" as const, "rival" as const),
          },
          { requiredKeys: ["tool", "path", "by"] },
        ),
        { maxLength: 4 },
      ),
      completion: fc.record(
        {
          status: fc.constantFrom("completed" as const, "blocked" as const),
          message: fc.string(),
          output: anyJson(),
        },
        { requiredKeys: ["status", "message"] },
      ),
      tools: fc.subarray(TOOLS),
      silent: fc.boolean(),
    })
    .map(({ state, calls, seen, completion, tools, silent }) => {
      const subject = trialSubject({ state, calls, tools, ...(silent ? {} : { completion }) });
      const mutations = seen.map(({ tool, by, ...change }, at) => ({
        evidence: `m${at + 1}`,
        tool,
        by,
        changes: [change],
      }));
      return Object.assign(subject, {
        trial: Object.assign(subject.trial as TrialSubject, { mutations }),
      });
    });
}
