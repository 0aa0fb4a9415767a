import { createContext, Script } from "node:vm";
import * as fc from "fast-check";

/** `\u0040` is the at sign: the runner reads pragmas anywhere in a file, so here too. */
const EVIL: readonly string[] = [
  "`",
  "${globalThis.canary()}",
  "`${process.exit(9)}`",
  "*/globalThis.canary();/*",
  "\u2028globalThis.canary()//",
  "\u2029",
  '"',
  "'",
  "\\",
  "\\'); globalThis.canary();//",
  "\n",
  "\r\n",
  "</script>",
  "<!--",
  "-->",
  "//# sourceMappingURL=file:///etc/passwd",
  "\u0040vitest-environment deploy",
  "\u0040vitest-environment-options {",
  "\u0040jest-environment ./evil",
  "// \u0040module-tag x",
  "\u202E",
  "\u2066",
  "\u{E0041}",
  "\u0000",
  "\u001B[2J",
  "\u001B]8;;http://e\u0007",
  "\u009B",
  "\uD800",
  "\n::stop-commands::x",
  "##[error]x",
  '");globalThis.canary();("',
  'import("fs")',
  "100% %s $x %j",
  "]",
  "});",
];
/** Texts that would run, end a comment, be a pragma or change a terminal where they are not escaped. */
export function hostileText(): fc.Arbitrary<string> {
  return fc
    .array(
      fc.oneof(
        { weight: 4, arbitrary: fc.constantFrom(...EVIL) },
        { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 8 }) },
      ),
      { maxLength: 5 },
    )
    .map((parts) => parts.join(""));
}

/** What a spec did when it ran. */
export interface Ran {
  readonly titles: readonly string[];
  readonly labels: readonly string[];
  readonly replayed: readonly string[];
  readonly canaries: number;
}

/** Runs a spec as a script, with its imports replaced by functions that write down what they are given. */
export function ran(text: string): Ran {
  const log = {
    titles: [] as string[],
    labels: [] as string[],
    replayed: [] as string[],
    canaries: 0,
  };
  const lines = text.split("\n").map((line) => (line.startsWith("import ") ? "" : line));
  const body = lines.join("\n").replace("import.meta.url", '"file:///x"');
  const agents = { run: 0, agent: 0 };
  const context = createContext({
    ...agents,
    __filename: "/x",
    canary: () => (log.canaries += 1),
    describe: (label: string, run: () => void) => {
      log.labels.push(label);
      run();
    },
    test: (name: string, run: () => unknown) => {
      log.titles.push(name);
      run();
    },
    replays: () => (id: string) => log.replayed.push(id),
    expect: () => ({ toMatchBaseline: () => undefined }),
  });
  new Script(body).runInContext(context, { timeout: 1000 });
  return log;
}
