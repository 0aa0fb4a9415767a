import { byCodeUnit } from "../shared/json.ts";
import { hashing, similarity } from "./embedder.ts";

/**
 * Groups texts that are alike, directly or through others. The result depends on the set of texts alone, never on their order.
 * Every pair is compared, so a group of thousands of different texts costs seconds; equal texts must be given once.
 */
export function components(texts: readonly string[], threshold: number): string[][] {
  const sorted = [...texts].sort(byCodeUnit);
  const vectors = sorted.map((text) => hashing.embed(text));
  const parents = sorted.map((_, index) => index);
  for (const [i, a] of vectors.entries()) {
    for (let j = i + 1; j < vectors.length; j++) {
      const b = vectors[j];
      const left = rootOf(parents, i);
      const right = rootOf(parents, j);
      if (b === undefined || left === right || similarity(a, b) < threshold) continue;
      parents[Math.max(left, right)] = Math.min(left, right);
    }
  }
  const groups = new Map<number, string[]>();
  for (const [index, text] of sorted.entries()) {
    const root = rootOf(parents, index);
    groups.set(root, [...(groups.get(root) ?? []), text]);
  }
  return [...groups.values()];
}

function rootOf(parents: number[], index: number): number {
  let root = index;
  for (;;) {
    const parent = parents[root] ?? root;
    if (parent === root) return root;
    parents[root] = parents[parent] ?? parent;
    root = parent;
  }
}
