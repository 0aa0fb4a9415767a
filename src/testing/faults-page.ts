import * as fixtures from "../../fixtures/builtin.ts";
import { checkKinds } from "../check/evaluate.ts";
import type { FaultType } from "../fault/fault.ts";
import { faultTypes } from "../fault/known.ts";

/** What an agent's write does under a fault, in words. */
const COMMITS: Readonly<Record<FaultType["commits"], string>> = {
  all: "all",
  none: "nothing",
  part: "a part",
  later: "later",
  twice: "twice",
  "as the tool does": "as without it",
};

/** The page docs/faults.md, made from the registries. */
export function faultsPage(): string {
  return [
    "# Faults, checks and worlds",
    "",
    "Made from the registries; a test keeps it so.",
    "",
    "## Faults",
    "",
    'A fault is data: `{ type, tool, occurrence?, repeat?, match?, per?, ...its own fields }`, or `fault.timeoutAfter("tool", { ... })`. `occurrence` counts the calls of the tool from 1 (`per: "arguments"`: those with equal arguments), `repeat` hits so many in a row, `match` hits only calls whose arguments contain these members. Several faults in one scenario are layers, the first outermost. Every fault says when it was reached; one that was not makes the trial inconclusive, and names the call that it waited for.',
    "",
    ...table(
      ["type", "what it does", "at", "committed", "own fields", '`"matrix"`'],
      [...faultTypes().values()].map((type) => faultRow(type)),
    ),
    "",
    "## Checks",
    "",
    'A check is data with an `id` and maybe a `label`; or `{ id, test: (trial) => true | false | "why not" }`. `path` is a JSON Pointer into the state, or with `source: "completion"` into `{ status, message, output }`. A path that leads nowhere never passes, but for `absent` and `unchanged`.',
    "",
    ...table(
      ["type", "passes when", "fields", "for"],
      [...checkKinds().values()].map(({ type, summary, fields, optional = [], on = "replay" }) => [
        `\`${type}\``,
        summary,
        names(fields, optional),
        { replay: "repros", trial: "trials", both: "both" }[on],
      ]),
    ),
    "",
    "## Worlds",
    "",
    "Each comes with a safe agent (`.agent`), the same agent with one planted bug (`.planted`), `.task`, `.checks` and `.workflow()`. The safe agents pass the control and every fault that applies.",
    "",
    ...table(
      ["`twiceshy/fixtures`", "task", "tools", "the planted bug"],
      worlds().map(({ name, fixture }) => [
        `\`${name}\``,
        fixture.task,
        Object.keys(fixture().tools)
          .map((tool) => `\`${tool}\``)
          .join(", "),
        fixture.bug,
      ]),
    ),
    "",
    "## What a report can be trusted for",
    "",
    "A report holds the conditions of its trials as data, and whoever reads it judges everything again: digests, times, changes of the state, checks, verdicts. Each line carries a digest of itself and of the line before it, so that a line that was edited, moved or taken out is refused with its number (`E_REPORT_FORGED`). This guards against edits by hand and against damage, not against somebody who makes the digests anew: there is no key. Three things cannot be judged again: the result of a check that is a function (its source's digest is kept, and the check is marked `by_function`), a check that looked at something that was redacted (`before_redaction`), and the digest of tools' code.",
    "",
  ].join("\n");
}

interface World {
  (): { readonly tools: object };
  readonly task: string;
  readonly bug: string;
}

function worlds(): { readonly name: string; readonly fixture: World }[] {
  return Object.entries(fixtures)
    .filter(([, value]) => typeof value === "function" && "bug" in value)
    .map(([name, value]) => ({ name, fixture: value as unknown as World }));
}

function faultRow(type: FaultType): string[] {
  const { label, summary, appliesTo, fields, commits, matrix } = type;
  const listed = typeof matrix === "boolean" ? (matrix ? "yes" : "when asked") : matrix;
  return [
    `\`${type.type}\` (${label})`,
    summary,
    appliesTo.length === 2 ? "any tool" : `${appliesTo.join()} tools`,
    COMMITS[commits],
    names(fields, Object.keys(fields)),
    listed === "if-rival" ? "where the world has a rival" : listed,
  ];
}

/** Required fields as they are, the others with a question mark. */
function names(fields: object, optional: readonly string[]): string {
  return Object.keys(fields)
    .map((name) => `\`${name}${optional.includes(name) ? "?" : ""}\``)
    .join(", ");
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map((row) => line(row))];
}
