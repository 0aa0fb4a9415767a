import * as fc from "fast-check";
import { expect, test } from "vitest";
import { cluster, type Cluster, type Clusterable } from "./cluster.ts";

/** Words in a row, so that texts of near numbers are alike, and a chain of them becomes one by what lies between. */
function run(id: string, from: number): Clusterable {
  const words = Array.from({ length: 20 }, (_, at) => letters(from + at));
  const message = words.join(" ");
  return {
    id,
    failures: [
      { kind: "tool_error", severity: "high", signature: "tool_error:ship", tool: "ship", message },
    ],
  };
}

function letters(number: number): string {
  return String.fromCodePoint(97 + (number % 26), 97 + ((number * 7) % 26), 97 + (number % 5));
}

const [LEFT, BETWEEN, RIGHT] = [run("a", 0), run("b", 2), run("c", 4)];
const without = (list: readonly Clusterable[], id: string): Clusterable[] =>
  list.filter((item) => item.id !== id);
const namesOf = ({ id, aliases = {} }: Cluster): string[] => [id, ...Object.keys(aliases)];

test("two clusters that become one by a newcomer leave both names, one as an alias", () => {
  const before = cluster([LEFT, RIGHT]);
  expect(before).toHaveLength(2);
  const [one, ...none] = cluster([LEFT, BETWEEN, RIGHT], { existing: before });
  expect(none).toEqual([]);
  expect(namesOf(one!).sort()).toEqual(before.map(({ id }) => id).sort());
  const [kept, gone] = [...before].sort((a, b) => b.size - a.size || (a.id < b.id ? -1 : 1));
  expect(one).toMatchObject({ id: kept?.id, aliases: { [gone!.id]: gone!.representative } });
});

test("an alias stays through further runs, and is a cluster again when what joined the two is gone", () => {
  const before = cluster([LEFT, RIGHT]);
  const joined = cluster([LEFT, BETWEEN, RIGHT], { existing: before });
  expect(cluster([LEFT, BETWEEN, RIGHT], { existing: joined })).toEqual(joined);
  const apart = cluster([LEFT, RIGHT], { existing: joined });
  expect(apart.map(({ id, representative }) => `${id} ${representative}`).sort()).toEqual(
    before.map(({ id, representative }) => `${id} ${representative}`).sort(),
  );
});

test("an alias whose runs are gone stays with the cluster that it became", () => {
  const before = cluster([LEFT, RIGHT]);
  const joined = cluster([LEFT, BETWEEN, RIGHT], { existing: before });
  const [lost] = Object.values(joined[0]?.aliases ?? {});
  const rest = without([LEFT, BETWEEN, RIGHT], lost ?? "");
  const [still] = cluster(rest, { existing: joined });
  expect(still?.aliases).toEqual(joined[0]?.aliases);
});

test("a cluster whose representative is gone is known by its other members", () => {
  const list = [run("a", 0), run("b", 0), run("c", 0)];
  const [known] = cluster(list);
  const existing = [{ ...known!, id: "c_0000000001", label: "mine" }];
  const [one] = cluster(list.slice(1), { existing });
  expect(one).toMatchObject({ id: "c_0000000001", label: "mine", representative: "b" });
});

const anyRuns = fc
  .uniqueArray(fc.tuple(fc.nat(30), fc.nat(14)), { maxLength: 14, selector: ([id]) => id })
  .map((list) => list.map(([id, from]) => run(`r${String(id)}`, from)));

test("no name is ever lost by additions, whatever becomes one, and each names one cluster", () => {
  fc.assert(
    fc.property(fc.array(anyRuns, { minLength: 1, maxLength: 4 }), (additions) => {
      const all = new Map<string, Clusterable>();
      let known: Cluster[] = [];
      for (const addition of additions) {
        for (const item of addition) if (!all.has(item.id)) all.set(item.id, item);
        const next = cluster([...all.values()], { existing: known });
        const names = next.flatMap((one) => namesOf(one));
        expect(new Set(names).size).toBe(names.length);
        expect(names).toEqual(expect.arrayContaining(known.flatMap((one) => namesOf(one))));
        known = next;
      }
    }),
  );
});

test("names do not depend on the order of the runs or of what was known", () => {
  fc.assert(
    fc.property(anyRuns, anyRuns, (first, second) => {
      const before = cluster(first);
      const list = [...first, ...second.filter(({ id }) => first.every((one) => one.id !== id))];
      const after = cluster(list, { existing: before });
      expect(cluster(list.toReversed(), { existing: before.toReversed() })).toEqual(after);
    }),
  );
});

test.each([
  ["names that the language has", { aliases: { __proto__: "a", constructor: "a" } }],
  ["an alias of its own name", { aliases: { c_1: "a" } }],
  ["an alias without a run", { aliases: { c_2: "nobody" } }],
  ["members that are nowhere", { representative: "nobody", members: ["x", "x", "toString"] }],
])("a known cluster with %s changes no group", (_, odd) => {
  const existing = [{ id: "c_1", label: "l", size: 1, representative: "a", ...odd }];
  const clusters = cluster([LEFT, RIGHT], { existing });
  expect(clusters.map(({ members }) => members.join(" ")).sort()).toEqual(["a", "c"]);
  const names = clusters.flatMap((one) => namesOf(one));
  expect(new Set(names).size).toBe(names.length);
});

test("messages that only repeat others are counted in the size, not in the wordings", () => {
  const [one] = cluster([run("a", 0), run("b", 0), run("c", 1), run("d", 1), run("e", 1)]);
  expect(one).toMatchObject({ size: 5, wordings: 2 });
});
