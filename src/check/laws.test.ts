import * as fc from "fast-check";
import { expect, test } from "vitest";
import { isObject, type Json } from "../shared/json.ts";
import { anyJson } from "../testing/traces.ts";
import { anyPointer, anyTrial } from "../testing/trial-subject.ts";
import type { Check, CheckKind, FieldShape, Subject } from "./check.ts";
import { COMPARISONS } from "./comparison.ts";
import { checkKinds, evaluate } from "./evaluate.ts";
import { isFor, problems } from "./problems.ts";

const KINDS = [...checkKinds().values()].filter((kind) => isFor(kind, "trial"));
const FIELD: Readonly<Record<FieldShape, fc.Arbitrary<Json>>> = {
  json: anyJson(),
  string: fc.constantFrom("reserve_slot", "refund", "__proto__", "nope"),
  number: fc.nat({ max: 4 }),
  strings: fc.array(fc.constantFrom("reserve_slot", "refund"), { minLength: 1, maxLength: 3 }),
  pattern: fc.constantFrom("a", "^x", "\\d+", "(a|b)c"),
  schema: fc.constantFrom<Json>({ type: "object" }, { type: "string" }, false),
  pointer: anyPointer(),
  source: fc.constantFrom("state", "completion"),
  quantity: fc.double({ noNaN: true, noDefaultInfinity: true }),
  comparison: fc.constantFrom(...COMPARISONS),
};

/** Any check of a kind whose fields have their shapes. */
function anyOf({ type, fields, optional = [] }: CheckKind): fc.Arbitrary<Check> {
  const entries = Object.entries(fields);
  return fc
    .record(Object.fromEntries(entries.map(([name, shape]) => [name, FIELD[shape]])), {
      requiredKeys: entries.map(([name]) => name).filter((name) => !optional.includes(name)),
    })
    .map((given) => Object.assign(given, { type }));
}

const anyCheck = fc.oneof(...KINDS.map((kind) => anyOf(kind)));

/** The same value with its keys in another order, at every depth. */
function turned(value: Json): Json {
  if (Array.isArray(value)) return value.map(turned);
  if (!isObject(value)) return value;
  const copy = {};
  for (const key of Object.keys(value).reverse()) {
    Object.defineProperty(copy, key, {
      value: turned(value[key] ?? null),
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
  return copy;
}

function pick(subject: Subject): string {
  const { trial } = subject;
  return JSON.stringify([trial?.calls, trial?.mutations, trial?.completion, subject.trace]);
}

test("evaluation of checks on trials is total and pure, and names evidence that exists, once", () => {
  fc.assert(
    fc.property(anyTrial(), fc.array(anyCheck, { maxLength: 4 }), (subject, checks) => {
      const before = pick(subject);
      const results = evaluate(checks, subject);
      expect(evaluate(checks, subject)).toEqual(results);
      expect(pick(subject)).toBe(before);
      const { calls = [], mutations = [], completionEvidence } = subject.trial ?? {};
      const ids = [...calls, ...mutations].map(({ evidence }) => evidence);
      for (const { message, evidence = [] } of results) {
        expect(message).not.toBe("");
        expect([...ids, completionEvidence]).toEqual(expect.arrayContaining([...evidence]));
        expect(new Set(evidence).size).toBe(evidence.length);
      }
    }),
    { numRuns: 300 },
  );
});

test("whatever problems() accepts can be judged: no check of it crashes", () => {
  fc.assert(
    fc.property(anyTrial(), anyCheck, (subject, check) => {
      fc.pre(problems(check).length === 0);
      expect(evaluate([check], subject)[0]).not.toHaveProperty("crashed");
    }),
    { numRuns: 500 },
  );
});

test("problems() is total on anything", () => {
  fc.assert(
    fc.property(fc.anything(), (anything) => {
      expect(problems(anything)).toBeInstanceOf(Array);
    }),
    { numRuns: 300 },
  );
});

test("problems() accepts no unknown field and no unknown type", () => {
  fc.assert(
    fc.property(anyCheck, fc.string(), (check, name) => {
      const fields = Object.keys(checkKinds().get(check.type)?.fields ?? {});
      fc.pre(!["type", "id", "label", ...fields].includes(name) && !checkKinds().has(name));
      const odd = Object.defineProperty({ ...check }, name, { value: 1, enumerable: true });
      expect(problems(odd)).not.toEqual([]);
      expect(problems({ ...check, type: name })).not.toEqual([]);
    }),
    { numRuns: 200 },
  );
});

test("a missing path never passes, but for absent, unchanged and a count of no mutations", () => {
  const fine = new Set(["absent", "unchanged", "mutations", "argument"]);
  const onPaths = KINDS.filter(({ type, fields }) => "path" in fields && !fine.has(type));
  fc.assert(
    fc.property(anyTrial(), fc.oneof(...onPaths.map((kind) => anyOf(kind))), (subject, check) => {
      const missing = { ...check, path: "/no/such/place/1234" };
      expect(evaluate([missing], subject)[0]?.passed).toBe(false);
    }),
    { numRuns: 300 },
  );
});

test("the order of keys never matters: in a check, in its values and in what it looks at", () => {
  fc.assert(
    fc.property(anyTrial(), anyCheck, (subject, check) => {
      const { trial } = subject;
      if (trial === undefined) return;
      const at = (value: Json | undefined): Json | undefined =>
        value === undefined ? undefined : turned(value);
      const other: Subject = {
        ...subject,
        trial: {
          ...trial,
          state: (pointer) => at(trial.state(pointer)),
          initial: (pointer) => at(trial.initial(pointer)),
          calls: trial.calls.map((call) => Object.assign({}, call, { args: turned(call.args) })),
        },
      };
      const [one] = evaluate([check], subject);
      const [two] = evaluate([turned(check as Json) as unknown as Check], other);
      expect(two?.passed).toBe(one?.passed);
      expect(two?.message).toBe(one?.message);
    }),
    { numRuns: 300 },
  );
});

test("equals and not_equals are opposites where the path exists", () => {
  fc.assert(
    fc.property(anyTrial(), anyPointer(), anyJson(), (subject, path, other) => {
      const value = subject.trial?.state(path);
      for (const expected of [other, value ?? null]) {
        const [is, isNot] = evaluate(
          [
            { type: "equals", path, expected },
            { type: "not_equals", path, expected },
          ],
          subject,
        );
        const there = value !== undefined;
        expect(isNot?.passed).toBe(there && is?.passed !== true);
        expect(there || is?.passed === false).toBe(true);
      }
    }),
    { numRuns: 200 },
  );
});

test("absent and present are opposites everywhere", () => {
  fc.assert(
    fc.property(anyTrial(), anyPointer(), FIELD.source, (subject, path, source) => {
      const [gone, there] = evaluate(
        [
          { type: "absent", path, source },
          { type: "present", path, source },
        ],
        subject,
      );
      expect(there?.passed).toBe(gone?.passed !== true);
    }),
    { numRuns: 200 },
  );
});
