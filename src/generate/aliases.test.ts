import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { detect } from "../detector/detector.ts";
import { toRepro } from "../repro/convert.ts";
import { reprosText, readRepros } from "../repro/file.ts";
import { reproDigest } from "../repro/hash.ts";
import type { Repro, ReprosFile } from "../repro/repro.ts";
import { failed, traceOf } from "../testing/traces.ts";
import type { Converted } from "./collect.ts";
import { merge } from "./merge.ts";
import { moveEntries } from "./move-entries.ts";
import { clusterStem } from "./names.ts";

/** A run that fails with words of a row, from one on: those of near rows are alike, and those between join the others. */
function run(from: number): Converted {
  const words = Array.from({ length: 20 }, (_, at) => letters(from + at)).join(" ");
  const trace = traceOf([failed("ship", { from }, words)], {
    task: `ship ${String(from)}`,
    id: `tr_${String(from)}`,
    output: "It was sent.",
  });
  const conversion = toRepro(trace, detect(trace), { agent: "a" });
  if (!("repro" in conversion)) throw new Error(conversion.unproved.reason);
  const { repro, blobs } = conversion;
  return { repro, digest: reproDigest("a", repro), blobs, seen: 1, at: from };
}

function letters(number: number): string {
  return String.fromCodePoint(97 + (number % 26), 97 + ((number * 7) % 26), 97 + (number % 5));
}

function merged(converted: readonly Converted[], committed?: ReprosFile): ReprosFile {
  return merge({ agent: "a", committed, converted, threshold: 0.85 });
}

/** The file with one repro rejected. */
function rejecting(file: ReprosFile, id: string | undefined): ReprosFile {
  const repros: Repro[] = [];
  for (const repro of file.repros)
    repros.push(repro.id === id ? { ...repro, status: "rejected" } : repro);
  return { ...file, repros };
}

const homesOf = ({ repros }: ReprosFile): Map<string, string> =>
  new Map(repros.map(({ id, cluster }) => [id, cluster]));

test("two committed clusters that become one leave both names in the file, which is read and written as before", () => {
  const before = merged([run(0), run(4)]);
  expect(Object.keys(before.clusters)).toHaveLength(2);
  const after = merged([run(2)], before);
  const [[id, one] = ["", undefined]] = Object.entries(after.clusters);
  expect(Object.keys(after.clusters)).toHaveLength(1);
  expect([id, ...Object.keys(one?.aliases ?? {})].sort()).toEqual(
    Object.keys(before.clusters).sort(),
  );
  const dir = mkdtempSync(join(tmpdir(), "twiceshy-alias-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const path = join(dir, "a.repros.json");
  writeFileSync(path, reprosText(after));
  expect(readRepros(path).clusters).toEqual(after.clusters);
  // And nothing changes from then on.
  expect(merged([run(0), run(2), run(4)], after)).toBe(after);
});

test("a rejected representative does not take the name of its cluster along", () => {
  const before = merged([run(0), run(1)]);
  const [[id, one] = []] = Object.entries(before.clusters);
  const after = merged([], rejecting(before, one?.representative));
  expect(Object.keys(after.clusters)).toEqual([id]);
  expect(after.clusters[id ?? ""]).toMatchObject({ label: one?.label });
  expect(after.clusters[id ?? ""]?.representative).not.toBe(one?.representative);
});

test("a baseline entry goes along when its cluster's spec becomes another's, and comes back when they part", () => {
  const dir = mkdtempSync(join(tmpdir(), "twiceshy-alias-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const specsOf = (file: ReprosFile): { name: string; ids: string[] }[] =>
    Object.keys(file.clusters).map((id) => ({
      name: `a.${clusterStem(id)}`,
      ids: file.repros.filter(({ cluster }) => cluster === id).map((repro) => repro.id),
    }));
  const apply = (file: ReprosFile): void => {
    const { writes, removals } = moveEntries(dir, "a", specsOf(file));
    for (const { path, text } of writes) writeFileSync(path, text);
    for (const path of removals) rmSync(path);
  };
  const entriesOf = (file: ReprosFile): string[] =>
    specsOf(file).flatMap(({ name }) =>
      Object.keys(
        (
          JSON.parse(readFileSync(join(dir, `${name}.baseline.json`), "utf8")) as {
            entries: object;
          }
        ).entries,
      ),
    );
  const before = merged([run(0), run(4)]);
  for (const { name, ids } of specsOf(before)) {
    const entries = Object.fromEntries(
      ids.map((id) => [id, { verdict: "still_fails", hash: "0123456789abcdef" }]),
    );
    const text = JSON.stringify({ formatVersion: 1, agent: "a", entries });
    writeFileSync(join(dir, `${name}.baseline.json`), text);
  }
  const all = entriesOf(before).sort();
  const joined = merged([run(2)], before);
  apply(joined);
  expect(entriesOf(joined).sort()).toEqual(all);
  // What lay between is rejected: the two are two again, under their old names.
  const between = joined.repros.find((repro) => !homesOf(before).has(repro.id));
  const parted = merged([], rejecting(joined, between?.id));
  expect(Object.keys(parted.clusters).sort()).toEqual(Object.keys(before.clusters).sort());
  apply(parted);
  expect(entriesOf(parted).sort()).toEqual(all);
});
