import { sha256 } from "../shared/hash.ts";
import { literal } from "../shared/literal.ts";
import { title } from "../shared/text.ts";
import { importPath, type Style } from "./style.ts";

/** One generated spec: only ids, file names and sanitised titles; all data stays in the JSON file beside it. */
export interface Spec {
  /** File name of the repros, in the spec's folder. */
  readonly repros: string;
  readonly agent: {
    /** From the spec's folder, with `/`; or a package's name. */
    readonly path: string;
    readonly export: string;
  };
  readonly style: Style;
  readonly groups: readonly SpecGroup[];
}

/** The tests of one cluster. */
export interface SpecGroup {
  readonly label: string;
  readonly tests: readonly { readonly id: string; readonly title: string }[];
}

const PRAGMA = "// @vitest-environment twiceshy";
const HEADER =
  "// Written by twiceshy. Review the repros beside it; this file is rewritten from them.";
const DIGEST = /^\/\/ Digest of what follows: (?<digest>[0-9a-f]{16})$/;

/** The text of a spec, the same bytes for the same content. */
export function specText(spec: Spec): string {
  const { name, clause } = imported(spec.agent.export);
  const body = [
    "",
    'import { describe, expect, replays, test } from "twiceshy/vitest";',
    `import ${clause} from ${literal(importPath(spec.agent.path, spec.style))};`,
    "",
    `const replay = replays(${spec.style.self}, ${literal(spec.repros)}, ${name});`,
    ...spec.groups.flatMap((group) => ["", ...describeLines(group)]),
    "",
  ].join("\n");
  return `${PRAGMA}\n${HEADER}\n// Digest of what follows: ${digestOf(body)}\n${body}`;
}

function describeLines({ label, tests }: SpecGroup): string[] {
  const blocks = tests.map(({ id, title: text }) =>
    [
      `  test(${literal(`${title(text)} [${id}]`)}, async () => {`,
      `    expect(await replay(${literal(id)})).toMatchBaseline();`,
      "  });",
    ].join("\n"),
  );
  return [`describe(${literal(title(label))}, () => {`, blocks.join("\n\n"), "});"];
}

/** Whether a spec's text is as we wrote it, but for its layout; no, when its digest is missing or not that of what follows. */
export function isUntouched(text: string): boolean {
  const lines = text.split(/\r?\n/);
  const digest = DIGEST.exec(lines[2] ?? "")?.groups?.["digest"];
  return (
    lines[0] === PRAGMA && lines[1] === HEADER && digest === digestOf(lines.slice(3).join("\n"))
  );
}

/** Whether two specs are equal but for their layout. */
export function isSameSpec(a: string, b: string): boolean {
  return a === b || withoutLayout(a) === withoutLayout(b);
}

/** What a formatter may change: white space, the kind of quotes, semicolons, trailing commas. */
function withoutLayout(text: string): string {
  return text
    .replaceAll(/\\(?=["'])/g, "")
    .replaceAll(/["'`]/g, '"')
    .replaceAll(/[\s;]+/g, "")
    .replaceAll(/,(?=[)\]}])/g, "");
}

/** Whether a text is a spec of ours at all, edited or not. */
export function isSpec(text: string): boolean {
  return text.includes(HEADER);
}

function digestOf(body: string): string {
  return sha256(withoutLayout(body), 16);
}

/** Names that mean something else in the spec, or nothing as a binding. */
const TAKEN = new Set(
  (
    "describe expect replays test replay default await break case catch class const continue debugger delete do else enum " +
    "export extends false finally for function if import in instanceof new null return super switch this throw true try " +
    "typeof var void while with yield let static implements interface package private protected public arguments eval " +
    "undefined NaN Infinity __filename __dirname async of"
  ).split(" "),
);

function imported(name: string): { readonly name: string; readonly clause: string } {
  return TAKEN.has(name)
    ? { name: "agent", clause: `{ ${name} as agent }` }
    : { name, clause: `{ ${name} }` };
}
