/** Something that waits for its time. */
export interface Timed {
  /** Epoch milliseconds. */
  due: number;
  /** Place in the order of registration, for equal times. */
  order: number;
}

/** Waiting timers, the one that is due first at the front; a binary heap. */
export class TimerQueue<T extends Timed> {
  readonly #heap: T[] = [];

  get size(): number {
    return this.#heap.length;
  }

  first(): T | undefined {
    return this.#heap[0];
  }

  add(timer: T): void {
    const heap = this.#heap;
    let place = heap.push(timer) - 1;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      const above = heap[parent];
      if (above === undefined || !before(timer, above)) break;
      heap[place] = above;
      place = parent;
    }
    heap[place] = timer;
  }

  shift(): T | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first !== undefined && last !== undefined && first !== last) this.#sink(last);
    return first;
  }

  /** Takes everything out, in the order of the times. */
  drain(): T[] {
    return this.#heap.splice(0).sort((a, b) => (before(a, b) ? -1 : 1));
  }

  /** Everything that waits, in the order of the times. */
  list(): T[] {
    return [...this.#heap].sort((a, b) => (before(a, b) ? -1 : 1));
  }

  /** Leaves out what nobody waits for any more. */
  keep(wanted: (timer: T) => boolean): void {
    const kept = this.drain().filter(wanted);
    // A sorted list is a heap.
    this.#heap.push(...kept);
  }

  #sink(timer: T): void {
    const heap = this.#heap;
    let place = 0;
    for (;;) {
      const left = heap[2 * place + 1];
      const right = heap[2 * place + 2];
      if (left === undefined) break;
      const useRight = right !== undefined && before(right, left);
      const child = useRight ? right : left;
      if (!before(child, timer)) break;
      heap[place] = child;
      place = 2 * place + (useRight ? 2 : 1);
    }
    heap[place] = timer;
  }
}

function before(a: Timed, b: Timed): boolean {
  return a.due < b.due || (a.due === b.due && a.order < b.order);
}
