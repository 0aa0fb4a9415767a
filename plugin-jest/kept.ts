import type { NotedTest } from "../src/plugin/section.ts";
import type { VerdictMeta } from "../src/plugin/verdict-meta.ts";
import { followed, type CircusTest } from "./circus.ts";

/** What the tests of a file leave for the reporter: plain data. */
export interface Kept {
  readonly verdicts: { readonly title: string; readonly verdict: VerdictMeta }[];
  readonly notes: Omit<NotedTest, "file">[];
}

const KEPT: unique symbol = Symbol.for("twiceshy.kept") as never;
const OF_TEST: unique symbol = Symbol.for("twiceshy.kept-of-test") as never;

interface OfTest {
  verdict?: VerdictMeta;
  note?: string;
  /** The test is shown as one that was not run. */
  skipped?: boolean;
}

interface Shared {
  [KEPT]?: Kept;
  [OF_TEST]?: WeakMap<CircusTest, OfTest>;
}

/** Keeps something of a running test; what a test that is tried again left before is replaced. */
export function keep(test: CircusTest, what: OfTest): void {
  const shared = globalThis as Shared;
  const all = (shared[OF_TEST] ??= listening());
  all.set(test, { ...all.get(test), ...what });
}

function listening(): WeakMap<CircusTest, OfTest> {
  const all = new WeakMap<CircusTest, OfTest>();
  followed().done.push((test) => {
    const kept = all.get(test);
    if (kept !== undefined) take(test, kept);
  });
  return all;
}

function take(test: CircusTest, { verdict, note, skipped }: OfTest): void {
  const kept = ((globalThis as Shared)[KEPT] ??= { verdicts: [], notes: [] });
  const { name: title } = test;
  // A test that is tried again is done more than once.
  if (verdict !== undefined) put(kept.verdicts, { title, verdict });
  if (note !== undefined) put(kept.notes, { title, text: note });
  // Jest's own word for a test that fails as expected, in its JSON.
  if (verdict?.known === true) test.failing = true;
  if (skipped === true) test.status = "skip";
}

function put<T extends { readonly title: string }>(list: T[], item: T): void {
  const known = list.findIndex(({ title }) => title === item.title);
  if (known === -1) list.push(item);
  else list[known] = item;
}

/** What was kept in a realm, as data of this one; undefined where there is nothing. */
export function keptIn(realm: object): Kept | undefined {
  const kept = (realm as Shared)[KEPT];
  return kept === undefined ? undefined : (JSON.parse(JSON.stringify(kept)) as Kept);
}
