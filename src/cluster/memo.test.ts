import * as fc from "fast-check";
import { expect, test } from "vitest";
import { cluster, type Clusterable } from "./cluster.ts";
import { hashing, type Embedder } from "./embedder.ts";
import { openMemo, type Notes } from "./memo.ts";

/** Counts the texts that are compared. */
function counting(): Embedder & { compared: number } {
  const counter = {
    ...hashing,
    compared: 0,
    likeness: (texts: readonly string[], threshold: number) => {
      counter.compared += texts.length;
      return hashing.likeness!(texts, threshold);
    },
  };
  return counter;
}

function notes(): Notes & { readonly kept: Map<string, string> } {
  const kept = new Map<string, string>();
  return {
    kept,
    note: (name) => kept.get(name),
    keepNote: (name, value) => void kept.set(name, value),
  };
}

function runs(tool: string, count: number, from = 0): Clusterable[] {
  return Array.from({ length: count }, (_, at) => ({
    id: `${tool}${String(from + at)}`,
    failures: [
      {
        kind: "tool_error" as const,
        severity: "high" as const,
        signature: `tool_error:${tool}`,
        tool,
        message: `no ${letters((from + at) % 9)} for ${letters(from + at)} in the long list of the shop`,
      },
    ],
  }));
}

function letters(number: number): string {
  return Array.from(String(number), (digit) => String.fromCodePoint(97 + Number(digit))).join("");
}

test("only the signature with new messages is compared again, and the clusters are those of all at once", () => {
  const kept = notes();
  const [pay, ship] = [runs("pay", 60), runs("ship", 50)];
  const first = openMemo(kept, "alike");
  cluster([...pay, ...ship], { memo: first });
  first.save();
  const embedder = counting();
  const all = [...ship, ...pay, ...runs("pay", 5, 60)];
  const memo = openMemo(kept, "alike");
  const clusters = cluster(all, { memo, embedder });
  expect(embedder.compared).toBe(65);
  expect(clusters).toEqual(cluster(all));
  memo.save();
  embedder.compared = 0;
  // Equal failures again: nothing is new.
  const again = [
    ...all,
    ...runs("ship", 50).map(({ id, failures }) => ({ id: `${id}again`, failures })),
  ];
  expect(cluster(again, { memo: openMemo(kept, "alike"), embedder })).toEqual(cluster(again));
  expect(embedder.compared).toBe(0);
});

test("what was compared otherwise is no answer: another threshold, another embedder, another dimension", () => {
  const kept = notes();
  const memo = openMemo(kept, "alike");
  cluster(runs("pay", 60), { memo });
  memo.save();
  for (const other of [{ name: "other" }, { dimensions: 4 }]) {
    const embedder = counting();
    cluster(runs("pay", 60), {
      memo: openMemo(kept, "alike"),
      embedder: { ...embedder, ...other },
    });
    expect(embedder.compared).toBe(60);
  }
  const embedder = counting();
  cluster(runs("pay", 60), { memo: openMemo(kept, "alike"), embedder, threshold: 0.5 });
  expect(embedder.compared).toBe(60);
});

test("saving forgets what was not asked for, and writes nothing when nothing is new", () => {
  const kept = notes();
  const first = openMemo(kept, "alike");
  cluster([...runs("pay", 60), ...runs("ship", 50)], { memo: first });
  first.save();
  expect(Object.keys(JSON.parse(kept.kept.get("alike")!))).toHaveLength(2);
  const second = openMemo(kept, "alike");
  cluster(runs("pay", 60), { memo: second });
  second.save();
  expect(Object.keys(JSON.parse(kept.kept.get("alike")!))).toHaveLength(1);
  kept.keepNote = () => expect.unreachable("nothing is new");
  const third = openMemo(kept, "alike");
  cluster(runs("pay", 60), { memo: third });
  third.save();
});

test("whatever is kept under the name, the clusters are the same", () => {
  const list = runs("pay", 60);
  const clusters = cluster(list);
  const kept = notes();
  const memo = openMemo(kept, "alike");
  cluster(list, { memo });
  memo.save();
  const [key = ""] = Object.keys(JSON.parse(kept.kept.get("alike")!));
  const odd = fc.oneof(
    fc.string(),
    fc.json(),
    fc.json().map((value) => `{"${key}":${value}}`),
    fc
      .array(fc.oneof(fc.integer({ min: -2, max: 70 }), fc.double(), fc.constant(null)))
      .filter(({ length }) => length !== 60)
      .map((value) => JSON.stringify({ [key]: value })),
    fc.constant(JSON.stringify({ [key]: Array.from({ length: 60 }, (_, at) => 59 - at) })),
  );
  fc.assert(
    fc.property(odd, (text) => {
      kept.keepNote("alike", text);
      expect(cluster(list, { memo: openMemo(kept, "alike") })).toEqual(clusters);
    }),
  );
});
