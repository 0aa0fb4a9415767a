import { expect, test } from "vitest";
import type { ClusterFailure } from "./cause.ts";
import { cluster, type Clusterable } from "./cluster.ts";

const WORDS = "refund order card ledger parcel window driver tenant coupon invoice".split(" ");

function error(message: string, tool = "fetch"): ClusterFailure {
  return {
    kind: "tool_error",
    severity: "high",
    signature: `tool_error:${tool}`,
    message,
    tool,
  };
}

/** Texts of a hundred causes of one tool: each is ten words of its own, one of which may be another. */
function texts(count: number): Clusterable[] {
  return Array.from({ length: count }, (_, at) => {
    const cause = at % 100;
    const words = Array.from(
      { length: 10 },
      (_, place) => `${WORDS[(cause + place) % 10]}${letters(cause * 10 + place)}`,
    );
    // Of the last word, so that only one pair of words is another.
    if (at % 3 === 0) words[9] = `other${letters(at)}`;
    return { id: `t${String(at)}`, failures: [error(`${words.join(" ")} after ${at} ms`)], at };
  });
}

function letters(number: number): string {
  return Array.from(String(number), (digit) => String.fromCodePoint(97 + Number(digit))).join("");
}

test("thousands of texts of one tool come apart by their causes, and a shuffle changes not a bit", () => {
  const list = texts(6000);
  const clusters = cluster(list);
  expect(clusters).toHaveLength(100);
  for (const { members } of clusters) {
    expect(new Set(members.map((id) => Number(id.slice(1)) % 100)).size).toBe(1);
  }
  const turned = [...list.slice(2500), ...list.slice(0, 2500).reverse()];
  expect(JSON.stringify(cluster(turned))).toBe(JSON.stringify(clusters));
});

test("a number after HTTP that is no status in use does not tell two causes apart", () => {
  const of = (status: number): Clusterable => ({
    id: `s${String(status)}`,
    failures: [error(`HTTP ${status} from billing while calling /api/v1/orders/7`)],
  });
  expect(cluster([of(4547), of(432), of(597), of(12)])).toHaveLength(1);
  expect(cluster([of(432), of(404)])).toHaveLength(2);
});

test("clusters of one size are ranked by their newest run, then by what they cost", () => {
  const run = (tool: string, at: number, cost: number): Clusterable => ({
    id: tool,
    failures: [error("closed", tool)],
    at,
    cost,
  });
  const ranked = cluster([run("old", 1, 99), run("cheap", 5, 1), run("dear", 5, 7)]);
  expect(ranked.map(({ representative }) => representative)).toEqual(["dear", "cheap", "old"]);
  expect(ranked[0]).toMatchObject({ latest: 5, cost: 7 });
});
