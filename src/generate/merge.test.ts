import { expect, test } from "vitest";
import { detect } from "../detector/detector.ts";
import { toRepro } from "../repro/convert.ts";
import { isHandEdited, writtenDigest } from "../repro/hash.ts";
import { failed, traceOf } from "../testing/traces.ts";
import type { Converted } from "./collect.ts";
import { merge } from "./merge.ts";

/** A conversion with a digest of our choice. */
function converted(task: string, digest: string, over: Partial<Converted> = {}): Converted {
  const trace = traceOf([failed("refund", { task }, "card closed")], {
    task,
    id: `tr_${task}`,
    output: "Refunded successfully.",
  });
  const conversion = toRepro(trace, detect(trace), { agent: "a" });
  if (!("repro" in conversion)) throw new Error(conversion.unproved.reason);
  const repro = { ...conversion.repro, id: digest.slice(0, 8) };
  return {
    repro: { ...repro, written: writtenDigest(repro) },
    digest,
    blobs: conversion.blobs,
    seen: 1,
    ...over,
  };
}

const D1 = `aaaaaaaa1${"0".repeat(55)}`;
const D2 = `aaaaaaaa2${"0".repeat(55)}`;
const D3 = `aaaaaaaa11${"0".repeat(54)}`;

function idsOf(...items: Converted[]): string[] {
  return merge({ agent: "a", converted: items, threshold: 0.85 }).repros.map(({ id }) => id);
}

test("ids that begin alike are as long as it takes to tell them apart, in any order", () => {
  expect(idsOf(converted("x", D1))).toEqual(["aaaaaaaa"]);
  expect(idsOf(converted("x", D1), converted("y", D2))).toEqual(["aaaaaaaa1", "aaaaaaaa2"]);
  const three = ["aaaaaaaa10", "aaaaaaaa11", "aaaaaaaa2"];
  expect(idsOf(converted("x", D1), converted("y", D2), converted("z", D3))).toEqual(three);
  expect(idsOf(converted("z", D3), converted("y", D2), converted("x", D1))).toEqual(three);
});

test("a lengthened id is no edit by hand", () => {
  const { repros } = merge({
    agent: "a",
    converted: [converted("x", D1), converted("y", D2)],
    threshold: 0.85,
  });
  expect(repros.map((repro) => isHandEdited(repro))).toEqual([false, false]);
});

test("a committed id is never lengthened for a newcomer that begins alike", () => {
  const committed = merge({ agent: "a", converted: [converted("x", D1)], threshold: 0.85 });
  const file = merge({ agent: "a", committed, converted: [converted("y", D2)], threshold: 0.85 });
  expect(file.repros.map(({ id }) => id)).toEqual(["aaaaaaaa", "aaaaaaaa2"]);
});

test("what changes nothing gives the committed file itself", () => {
  const item = converted("x", D1);
  const committed = merge({ agent: "a", converted: [item], threshold: 0.85 });
  expect(merge({ agent: "a", committed, converted: [item], threshold: 0.85 })).toBe(committed);
  expect(merge({ agent: "a", committed, converted: [], threshold: 0.85 })).toBe(committed);
});

test("a repro is counted as often as it was ever seen at once", () => {
  const committed = merge({
    agent: "a",
    converted: [converted("x", D1, { seen: 5 })],
    threshold: 0.85,
  });
  const seen = (count: number): number | undefined =>
    merge({
      agent: "a",
      committed,
      converted: [converted("x", D1, { seen: count })],
      threshold: 0.85,
    }).repros[0]?.seen;
  expect([seen(2), seen(7)]).toEqual([5, 7]);
});

test("a rejected repro is in no cluster's size", () => {
  const committed = merge({
    agent: "a",
    converted: [converted("x", D1), converted("y", `b${D2}`.slice(0, 64))],
    threshold: 0.85,
  });
  const [first, ...rest] = committed.repros;
  if (first === undefined) throw new Error("there is none");
  const edited = { ...committed, repros: [{ ...first, status: "rejected" as const }, ...rest] };
  const { clusters } = merge({ agent: "a", committed: edited, converted: [], threshold: 0.85 });
  expect(Object.values(clusters).map(({ size }) => size)).toEqual([1]);
});
