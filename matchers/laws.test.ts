import { isDeepStrictEqual } from "node:util";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Trace } from "../src/runtime.ts";
import { TwiceshyError } from "../src/shared/error.ts";
import { anyTrace } from "../src/testing/traces.ts";
import * as builtin from "./builtin.ts";
import type { MatcherOutcome, MatcherThis } from "./matcher.ts";

type Matcher = (this: MatcherThis, received: unknown, ...args: never[]) => MatcherOutcome;

/** Arguments that fit each matcher; a matcher without an entry here does not compile. */
const ARGUMENTS: Record<keyof typeof builtin, fc.Arbitrary<readonly unknown[]>> = {
  toHaveCalledTool: fc.oneof(
    fc.tuple(fc.string()),
    fc.tuple(fc.constantFrom("refund", "a", "__proto__", "constructor"), fc.anything()),
  ),
  toHaveCalledToolsInOrder: fc.tuple(
    fc.array(fc.constantFrom("refund", "a", "__proto__", "search_orders"), { maxLength: 3 }),
  ),
  toHaveExactlyOneMutation: fc.oneof(fc.constant([]), fc.tuple(anyFilter())),
  toHaveMutations: fc.tuple(fc.nat(2), anyFilter()),
  toHavePassed: fc.constant([]),
  toHaveReachedFault: fc.oneof(
    fc.constant([]),
    fc.tuple(fc.constantFrom("timeout_after", "malformed", "nope")),
  ),
  toHaveRecoveredFrom: fc.tuple(fc.constantFrom("refund", "a", "search_orders", "book", "nope")),
  toHaveUnchanged: fc.tuple(fc.constantFrom("", "/bookings", "/bookings/0", "nope", "/~2")),
  toReportCommittedState: fc.constant([]),
  toHaveFailure: fc.tuple(fc.oneof(fc.string(), fc.constantFrom("tool_error", "loop"))),
  toNotRepeatFailure: fc.constant([]),
  toPassChecks: fc.constant([]),
  toStayWithinBudget: fc.tuple(
    fc.record({ toolCalls: fc.nat(5), tokens: fc.nat(9), ms: fc.nat(9) }, { requiredKeys: [] }),
  ),
};

function anyFilter(): fc.Arbitrary<object> {
  return fc.record(
    {
      tool: fc.constantFrom("book", "nope"),
      path: fc.constantFrom("", "/bookings", "/bookings/0", "x"),
    },
    { requiredKeys: [] },
  );
}

const MATCHERS = Object.entries(builtin) as [keyof typeof builtin, Matcher][];

/** The outcome, or our error; anything else that is thrown fails the law. */
function outcome(
  matcher: Matcher,
  isNot: boolean,
  given: readonly unknown[],
): MatcherOutcome | TwiceshyError {
  try {
    return matcher.apply({ isNot, equals: isDeepStrictEqual }, given as [unknown, ...never[]]);
  } catch (thrown) {
    if (TwiceshyError.is(thrown)) return thrown;
    throw thrown;
  }
}

test.each(MATCHERS)(
  "%s is total on arbitrary traces, and every message of it can be printed",
  (name, matcher) => {
    fc.assert(
      fc.property(anyTrace(), ARGUMENTS[name], fc.boolean(), (trace: Trace, args, isNot) => {
        const found = outcome(matcher, isNot, [trace, ...args]);
        const text = TwiceshyError.is(found) ? found.message : found.message();
        expect(text).not.toMatch(/(?!\n)\p{Cc}|^\s*::|##\[|[\u202a-\u202e\u2066-\u2069]/mu);
      }),
      { numRuns: 60 },
    );
  },
);

test.each(
  MATCHERS.filter(([name]) => name !== "toNotRepeatFailure" && name !== "toHaveCalledTool"),
)(
  "%s gives the same answer with and without .not, so that the runner can turn it around",
  (name, matcher) => {
    fc.assert(
      fc.property(anyTrace(), ARGUMENTS[name], (trace, args) => {
        const [plain, not] = [false, true].map((isNot) =>
          outcome(matcher, isNot, [trace, ...args]),
        );
        expect(Reflect.get(plain ?? {}, "pass")).toBe(Reflect.get(not ?? {}, "pass"));
      }),
      { numRuns: 30 },
    );
  },
);

test("a matcher changes nothing that it was given", () => {
  fc.assert(
    fc.property(anyTrace(), (trace) => {
      const before = structuredClone(trace);
      for (const [, matcher] of MATCHERS) outcome(matcher, false, [trace, "refund"]);
      expect(trace).toEqual(before);
    }),
    { numRuns: 30 },
  );
});
