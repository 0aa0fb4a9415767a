import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { ClusterFailure } from "./cause.ts";
import { cluster, type Clusterable } from "./cluster.ts";

function error(message: string, tool = "fetch"): ClusterFailure {
  return {
    kind: "tool_error",
    severity: "medium",
    signature: `tool_error:${tool}`,
    message,
    tool,
    step: 1,
  };
}

function exception(name: string, message: string): ClusterFailure {
  return {
    kind: "exception",
    severity: "high",
    signature: `exception:${name}`,
    message: `${name}: ${message}`,
  };
}

const timeout: ClusterFailure = {
  kind: "timeout",
  severity: "high",
  signature: "timeout",
  message: "stopped after 50 tool calls",
};
function loop(tool: string): ClusterFailure {
  return {
    kind: "loop",
    severity: "medium",
    signature: `loop:${tool}`,
    message: `${tool} was called 8 times`,
    tool,
    step: 4,
  };
}

function items(...failures: readonly (readonly ClusterFailure[])[]): Clusterable[] {
  return failures.map((list, index) => ({ id: `r${String(index)}`, failures: list, at: index }));
}

const sizes = (list: readonly Clusterable[]): number[] => cluster(list).map(({ size }) => size);

const anyFailure = fc.constantFrom(
  error("HTTP 404"),
  error("HTTP 500"),
  error("429 Too Many Requests"),
  error("Rate limit exceeded, try in 3 s"),
  error("card 'visa' closed by issuer 17", "refund"),
  error("card 'visa' closed by issuer 9 again", "refund"),
  error("card 'amex' closed by issuer 9", "refund"),
  exception("KeyError", "'amount'"),
  exception("KeyError", "'email'"),
  timeout,
  loop("search"),
  loop("poll"),
);
const anyItems = fc
  .array(fc.tuple(fc.array(anyFailure, { minLength: 1, maxLength: 3 }), fc.nat(5)), {
    maxLength: 20,
  })
  .map((list) => list.map(([failures, at], index) => ({ id: `r${String(index)}`, failures, at })));

test("the order of the items changes nothing", () => {
  fc.assert(
    fc.property(anyItems, fc.nat(), (list, turn) => {
      const by = turn % (list.length + 1);
      const rotated = [...list.slice(by), ...list.slice(0, by)].reverse();
      expect(cluster(rotated)).toEqual(cluster(list));
    }),
  );
});

test("every item is in exactly one cluster, and ids are distinct", () => {
  fc.assert(
    fc.property(anyItems, (list) => {
      const clusters = cluster(list);
      expect(clusters.flatMap(({ members }) => members).sort()).toEqual(
        list.map(({ id }) => id).sort(),
      );
      expect(new Set(clusters.map(({ id }) => id)).size).toBe(clusters.length);
      for (const { members, representative } of clusters) expect(members).toContain(representative);
    }),
  );
});

test("clustering again with what was known changes nothing", () => {
  fc.assert(
    fc.property(anyItems, (list) => {
      const first = cluster(list);
      expect(cluster(list, { existing: first })).toEqual(first);
    }),
  );
});

test("an addition never gives a known cluster a new name", () => {
  fc.assert(
    fc.property(anyItems, anyFailure, (list, failure) => {
      const before = cluster(list);
      const after = cluster([...list, { id: "new", failures: [failure] }], { existing: before });
      for (const old of before) {
        const home = after.find(({ members }) => members.includes(old.representative));
        // Two clusters may become one through the newcomer: then one of the two names stays.
        expect(before.map(({ id }) => id)).toContain(home?.id);
      }
    }),
  );
});

test("five 503s with other retry counts and one KeyError are clusters of five and one, the oldest represents", () => {
  const list = items(
    ...[1, 2, 3, 4, 5].map((i) => [error(`HTTP 503 from upstream after ${String(i)} retries`)]),
    [exception("KeyError", "'amount'")],
  );
  const clusters = cluster([...list].reverse(), { threshold: 0.85 });
  expect(clusters.map(({ size }) => size)).toEqual([5, 1]);
  expect(clusters[0]?.representative).toBe("r0");
});

test("KeyError 'amount' and KeyError 'email' are two causes", () => {
  expect(
    sizes(items([exception("KeyError", "'amount'")], [exception("KeyError", "'email'")])),
  ).toEqual([1, 1]);
  const long = (field: string): string =>
    `the payment provider refused order 12: missing required field '${field}' in the request body`;
  expect(
    sizes(items([error(long("amount"))], [error(long("email"))], [error(long("email"))])),
  ).toEqual([2, 1]);
});

test("HTTP 404 and HTTP 500 of one tool are two causes", () => {
  expect(sizes(items([error("HTTP 404")], [error("HTTP 500")]))).toEqual([1, 1]);
});

test("429 Too Many Requests and Rate limit exceeded of one tool are one cause", () => {
  expect(sizes(items([error("429 Too Many Requests")], [error("Rate limit exceeded")]))).toEqual([
    2,
  ]);
  expect(
    sizes(items([error("429 Too Many Requests")], [error("Rate limit exceeded", "other")])),
  ).toEqual([1, 1]);
});

test("the same timeout with and without an extra loop finding is one cause", () => {
  expect(sizes(items([timeout], [timeout, loop("search")]))).toEqual([2]);
  expect(sizes(items([error("HTTP 404")], [error("HTTP 404"), loop("fetch")]))).toEqual([2]);
});

test("two services that time out are two causes", () => {
  const connection = (name: string): ClusterFailure => ({
    ...timeout,
    message: `Connection to ${name} timed out after 9288 ms`,
  });
  expect(sizes(items([connection("billing-calendar")], [connection("flight-handshake")]))).toEqual([
    1, 1,
  ]);
});

test("two tools that loop until the timeout are two causes", () => {
  expect(sizes(items([timeout, loop("search")], [timeout, loop("poll")]))).toEqual([1, 1]);
});

test("messages with apostrophes are told apart by their words", () => {
  expect(
    sizes(
      items(
        [error("Can't read the order, won't retry")],
        [error("Can't reach the printer, won't wait")],
      ),
    ),
  ).toEqual([1, 1]);
  expect(
    sizes(
      items(
        [error("Can't read order 12, won't retry")],
        [error("Can't read order 7, won't retry")],
      ),
    ),
  ).toEqual([2]);
});

test("equal failing traces count in the size", () => {
  const [a] = cluster([{ id: "r0", failures: [timeout], seen: 7 }]);
  expect(a?.size).toBe(7);
});

test("the label is one line that a person understands", () => {
  const [a] = cluster(items([error("card\nclosed \u001B[2J@here", "refund")]));
  expect(a?.label).toMatchInlineSnapshot(`"tool_error in refund: card closed �[2J(at)here"`);
});

test("5,000 different texts finish in seconds", () => {
  const list = Array.from({ length: 5000 }, (_, i) => ({
    id: `r${String(i)}`,
    failures: [
      error(
        Array.from(
          { length: 8 },
          (_, j) =>
            `w${String.fromCodePoint(97 + ((i * 7 + j * 13) % 26), 97 + ((i >> (j % 5)) % 26), 97 + (i % 26))}`,
        ).join(" "),
      ),
    ],
  }));
  const before = performance.now();
  cluster(list);
  expect(performance.now() - before).toBeLessThan(15_000);
});
