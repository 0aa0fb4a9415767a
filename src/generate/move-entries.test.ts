import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { baselineText, parseBaseline } from "../baseline/file.ts";
import type { BaselineEntry } from "../baseline/baseline.ts";
import { moveEntries, type SpecIds } from "./move-entries.ts";

const CLUSTERS = ["c_0000000000", "c_1111111111", "c_2222222222"];
const SPECS = ["desk", ...CLUSTERS.map((cluster) => `desk.${cluster}`)];
const IDS = ["aaaaaaaa", "bbbbbbbb", "cccccccc", "dddddddd", "eeeeeeee"];

const entryOf = (id: string): BaselineEntry => ({ verdict: "passes", hash: `hash-${id}` });

/** Baselines in a folder; runs the moves on it. */
class Folder {
  readonly dir = mkdtempSync(join(tmpdir(), "twiceshy-moves-"));

  write(spec: string, ids: readonly string[]): void {
    const entries = Object.fromEntries(ids.map((id) => [id, entryOf(id)]));
    const text = baselineText({ formatVersion: 1, agent: "desk", entries });
    if (ids.length > 0) writeFileSync(join(this.dir, `${spec}.baseline.json`), text);
  }

  move(specs: readonly SpecIds[]): number {
    const { writes, removals } = moveEntries(this.dir, "desk", specs);
    for (const { path, text } of writes) writeFileSync(path, text);
    for (const path of removals) rmSync(path);
    return writes.length + removals.length;
  }

  /** How many entries there are. */
  count(): number {
    return readdirSync(this.dir).flatMap((name) => {
      const path = join(this.dir, name);
      return Object.keys(parseBaseline(readFileSync(path, "utf8"), path).entries);
    }).length;
  }

  /** Where each entry stands. */
  places(): Record<string, string> {
    const places: [string, string][] = readdirSync(this.dir).flatMap((name) => {
      const path = join(this.dir, name);
      const { entries } = parseBaseline(readFileSync(path, "utf8"), path);
      return Object.entries(entries).map(([id, { hash }]): [string, string] => [
        id === hash.replace("hash-", "") ? id : "changed",
        name.replace(".baseline.json", ""),
      ]);
    });
    return Object.fromEntries(places);
  }
}

test("an entry follows its repro to whichever spec has its test, none is lost, and once more moves nothing", () => {
  const spread = fc.dictionary(fc.constantFrom(...IDS), fc.constantFrom(...SPECS));
  fc.assert(
    fc.property(spread, spread, (before, after) => {
      const folder = new Folder();
      try {
        for (const spec of SPECS)
          folder.write(
            spec,
            IDS.filter((id) => before[id] === spec),
          );
        const specs = SPECS.map((name) => ({ name, ids: IDS.filter((id) => after[id] === name) }));
        folder.move(specs);
        const wanted = Object.entries(before).map(([id, was]) => [id, after[id] ?? was]);
        expect(folder.places()).toEqual(Object.fromEntries(wanted));
        expect(folder.count()).toBe(wanted.length);
        expect(folder.move(specs)).toBe(0);
      } finally {
        rmSync(folder.dir, { recursive: true });
      }
    }),
    { numRuns: 100 },
  );
});

test("another agent's baseline whose name begins alike is left alone", () => {
  const folder = new Folder();
  folder.write("desk-two", ["aaaaaaaa"]);
  folder.write("desk.extra", ["bbbbbbbb"]);
  const moved = folder.move([{ name: "desk", ids: ["aaaaaaaa", "bbbbbbbb"] }]);
  expect(moved).toBe(0);
  rmSync(folder.dir, { recursive: true });
});

test("a baseline that cannot be read moves nothing", () => {
  const folder = new Folder();
  folder.write("desk", ["aaaaaaaa"]);
  writeFileSync(join(folder.dir, "desk.c_0000000000.baseline.json"), "<<<<<<< ours\n");
  expect(folder.move([{ name: "desk.c_0000000000", ids: ["aaaaaaaa"] }])).toBe(0);
  rmSync(folder.dir, { recursive: true });
});

test("a folder that is not there yet has nothing to move", () => {
  const dir = join(tmpdir(), "twiceshy-moves-none");
  mkdirSync(dir, { recursive: true });
  rmSync(dir, { recursive: true });
  expect(moveEntries(dir, "desk", [{ name: "desk", ids: ["aaaaaaaa"] }])).toEqual({
    writes: [],
    removals: [],
  });
});
