/** How one item becomes another, from the first to the last: what is put in, taken out, or stays (perhaps changed). */
export type ItemStep<Old = number, Next = number> =
  | { readonly kind: "keep"; readonly old: Old; readonly next: Next }
  | { readonly kind: "remove"; readonly old: Old }
  | { readonly kind: "insert"; readonly next: Next };

/**
 * The steps that turn one list into another, few and sensible: what both begin and end with stays; between, items that
 * are the same stay where they can, one taken out and one put in at the same place is one that changed.
 */
export function itemSteps<T>(
  old: readonly T[],
  next: readonly T[],
  equal: (a: T, b: T) => boolean,
): ItemStep[] {
  let start = 0;
  const least = Math.min(old.length, next.length);
  while (start < least && equal(old[start] as T, next[start] as T)) start += 1;
  let end = 0;
  while (
    end < least - start &&
    equal(old[old.length - 1 - end] as T, next[next.length - 1 - end] as T)
  )
    end += 1;
  const steps: ItemStep[] = [];
  for (let i = 0; i < start; i++) steps.push({ kind: "keep", old: i, next: i });
  const kept = keptPairs(old, next, { start, end });
  let [a, b] = [start, start];
  for (const [toOld, toNext] of [...kept, [old.length - end, next.length - end] as const]) {
    for (; a < toOld && b < toNext; a++, b++) steps.push({ kind: "keep", old: a, next: b });
    for (; a < toOld; a++) steps.push({ kind: "remove", old: a });
    for (; b < toNext; b++) steps.push({ kind: "insert", next: b });
    if (toOld < old.length - end) steps.push({ kind: "keep", old: a++, next: b++ });
  }
  for (let i = end; i > 0; i--)
    steps.push({ kind: "keep", old: old.length - i, next: next.length - i });
  return steps;
}

interface Between {
  readonly start: number;
  readonly end: number;
}

/** Pairs of equal items between, none of which cross; none when changing each in its place is as short. */
function keptPairs<T>(
  old: readonly T[],
  next: readonly T[],
  { start, end }: Between,
): [number, number][] {
  const [oldEnd, nextEnd] = [old.length - end, next.length - end];
  if (oldEnd === start || nextEnd === start) return [];
  const places = new Map<T, number[]>();
  for (let i = oldEnd - 1; i >= start; i--) {
    const at = places.get(old[i] as T);
    if (at === undefined) places.set(old[i] as T, [i]);
    else at.push(i);
  }
  const pairs: [number, number][] = [];
  let inPlace = 0;
  for (let i = start; i < nextEnd; i++) {
    if (i < oldEnd && old[i] === next[i]) inPlace += 1;
    const from = places.get(next[i] as T)?.pop();
    if (from !== undefined) pairs.push([from, i]);
  }
  const kept = rising(pairs);
  const between = Math.max(oldEnd, nextEnd) - start;
  const direct = oldEnd === nextEnd ? between - inPlace : Number.POSITIVE_INFINITY;
  return direct <= costOf(kept, { old: oldEnd, next: nextEnd, start })
    ? pairsInPlace(old, next, { start, end: oldEnd })
    : kept;
}

function pairsInPlace<T>(
  old: readonly T[],
  next: readonly T[],
  { start, end }: Between,
): [number, number][] {
  const pairs: [number, number][] = [];
  for (let i = start; i < end; i++) if (old[i] === next[i]) pairs.push([i, i]);
  return pairs;
}

/** How many steps change something when these pairs stay. */
function costOf(
  kept: readonly (readonly [number, number])[],
  { old, next, start }: { readonly old: number; readonly next: number; readonly start: number },
): number {
  let cost = 0;
  let [a, b] = [start, start];
  for (const [toOld, toNext] of [...kept, [old, next] as const]) {
    cost += Math.max(toOld - a, toNext - b);
    [a, b] = [toOld + 1, toNext + 1];
  }
  return cost;
}

/** The longest part of the pairs whose first numbers rise. */
function rising(pairs: readonly [number, number][]): [number, number][] {
  const ends: number[] = [];
  const before: number[] = [];
  for (const [i, [from]] of pairs.entries()) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((pairs[ends[middle] as number] as [number, number])[0] < from) low = middle + 1;
      else high = middle;
    }
    before[i] = low === 0 ? -1 : (ends[low - 1] as number);
    ends[low] = i;
  }
  const kept: [number, number][] = [];
  for (let at = ends.at(-1) ?? -1; at !== -1; at = before[at] ?? -1)
    kept.push(pairs[at] as [number, number]);
  return kept.reverse();
}
