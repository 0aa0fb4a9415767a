/**
 * Works on several items at once and gives the results in the order of the items; at most `most` of them are held.
 * @yields each result; rejects with the first that failed
 */
export async function* inOrder<Item, Result>(
  items: Iterable<Item>,
  most: number,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const held: Promise<Result>[] = [];
  for (const item of items) {
    const result = work(item);
    // One that fails while an earlier one is awaited is told when its turn comes.
    void result.catch(() => undefined);
    held.push(result);
    const [oldest] = held;
    if (held.length < most || oldest === undefined) continue;
    void held.shift();
    yield await oldest;
  }
  for (const result of held) yield await result;
}

/** Lets at most `most` pieces of work run at once; the others wait for their turn, in order. */
export function turns(most: number): <Result>(work: () => Promise<Result>) => Promise<Result> {
  const waiting: (() => void)[] = [];
  let free = most;
  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}
