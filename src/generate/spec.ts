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
/** Jest reads it in a comment of this form only. */
const JEST_PRAGMA = "/** @jest-environment twiceshy/jest/environment */";
const HEADER =
  "// Written by twiceshy. Review the repros beside it; this file is rewritten from them.";
const DIGEST = /^\/\/ Digest of what follows: (?<digest>[0-9a-f]{16})$/;

/** The text of a spec, the same bytes for the same content. */
export function specText(spec: Spec): string {
  const { style } = spec;
  const { name, as } = imported(spec.agent.export);
  const isJest = style.runner === "jest";
  const door = isJest ? "twiceshy/jest" : "twiceshy/vitest";
  const agent = literal(importPath(spec.agent.path, style));
  // Jest itself knows which file runs.
  const self = isJest ? "" : `${style.self}, `;
  const body = [
    "",
    ...(style.requires === true
      ? [
          `const { describe, expect, replays, test } = require("${door}");`,
          `const { ${as(":")} } = require(${agent});`,
        ]
      : [
          `import { describe, expect, replays, test } from "${door}";`,
          `import { ${as(" as")} } from ${agent};`,
        ]),
    "",
    `const replay = replays(${self}${literal(spec.repros)}, ${name});`,
    ...spec.groups.flatMap((group) => ["", ...describeLines(group)]),
    "",
  ].join("\n");
  return `${isJest ? JEST_PRAGMA : PRAGMA}\n${HEADER}\n// Digest of what follows: ${digestOf(body)}\n${body}`;
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
  const isPragma = lines[0] === PRAGMA || lines[0] === JEST_PRAGMA;
  return isPragma && lines[1] === HEADER && digest === digestOf(lines.slice(3).join("\n"));
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
    "undefined NaN Infinity __filename __dirname async of require module exports"
  ).split(" "),
);

/** The agent's name in the spec, and how its export is bound to it. */
function imported(name: string): {
  readonly name: string;
  readonly as: (word: string) => string;
} {
  return TAKEN.has(name)
    ? { name: "agent", as: (word) => `${name}${word} agent` }
    : { name, as: () => name };
}
