import { leaveRealm } from "./realm.ts";

/**
 * What Jest's circus tells of the tests of a file: its event handlers, which an environment hears too (`handleTestEvent`),
 * kept under a registered symbol. The only file that knows it.
 */
const HANDLERS: unique symbol = Symbol.for("EVENT_HANDLERS") as never;
const FOLLOWED: unique symbol = Symbol.for("twiceshy.circus") as never;

/** A test as circus keeps it. */
export interface CircusTest {
  readonly type: "test";
  readonly name: string;
  readonly parent: CircusBlock;
  readonly mode?: string | null | undefined;
  readonly timeout?: number | undefined;
  /** How often it was tried. */
  readonly invocations: number;
  status?: string | null;
  failing?: boolean;
}

export interface CircusBlock {
  readonly type: "describeBlock";
  readonly name: string;
  readonly parent?: CircusBlock | undefined;
  readonly children: readonly (CircusTest | CircusBlock)[];
}

interface CircusState {
  readonly rootDescribeBlock: CircusBlock;
  readonly currentlyRunningTest?: CircusTest | null;
  readonly testNamePattern?: RegExp | null;
  readonly testTimeout: number;
}

type Handler = (
  event: { readonly name: string; readonly test?: CircusTest },
  state: CircusState,
) => void;

/** What is known of a file's tests, once for every copy of this module in its realm. */
interface Followed {
  state?: CircusState;
  readonly done: ((test: CircusTest) => void)[];
  readonly finished: (() => void)[];
}

/** Hears what circus tells; once more changes nothing. */
export function followed(): Followed {
  const shared = globalThis as { [FOLLOWED]?: Followed; [HANDLERS]?: Handler[] };
  const known = shared[FOLLOWED];
  if (known !== undefined) return known;
  const made: Followed = { done: [], finished: [] };
  shared[FOLLOWED] = made;
  const handle: Handler = ({ name, test }, state) => {
    made.state = state;
    if (name === "test_done" && test !== undefined) for (const run of made.done) run(test);
    if (name !== "run_finish") return;
    for (const run of made.finished) run();
    leaveRealm();
  };
  // After circus's own two, before those that report.
  shared[HANDLERS]?.splice(2, 0, handle);
  return made;
}

/** The names of a test and the blocks around it, from the outermost. */
export function pathOf(test: CircusTest): string[] {
  const names = [test.name];
  for (let block = test.parent; block.parent !== undefined; block = block.parent)
    names.unshift(block.name);
  return names;
}

/** The names of all tests of the file. */
export function testNames(): string[] {
  const root = followed().state?.rootDescribeBlock;
  return root === undefined ? [] : namesIn(root);
}

function namesIn(block: CircusBlock): string[] {
  return block.children.flatMap((child) => (child.type === "test" ? [child.name] : namesIn(child)));
}

/** After how long circus ends a test. */
export function timeoutOf(test: CircusTest | undefined): number {
  return test?.timeout ?? followed().state?.testTimeout ?? 5000;
}

/** Whether a test of this name beside another one is run, too. */
export function isRunBeside(test: CircusTest, name: string): boolean {
  const pattern = followed().state?.testNamePattern;
  return test.parent.children.some(
    (other) =>
      other.type === "test" &&
      other.name === name &&
      other.mode !== "skip" &&
      other.mode !== "todo" &&
      (pattern === undefined || pattern === null || pattern.test(pathOf(other).join(" "))),
  );
}
