import type { ComparedScenario, Comparison } from "../baseline/compare-reports.ts";
import type { Report } from "../workflow/report.ts";
import { clip, oneLine } from "../shared/text.ts";
import { rowsOf, totalsOf, type ScenarioRow } from "./rows.ts";

const MAX_CELL = 300;
const MOST_NOTES = 20;

/** Text of a user as Markdown that shows it and does nothing: no mark-up, no HTML, no mention, no table cell, no line of its own. */
export function escapeMarkdown(text: string, max = MAX_CELL): string {
  return clip(oneLine(text.replace(/\s+/gu, " ").trim()), max)
    .replace(/[\\`*_[\]|~#!$]/gu, "\\$&")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll("@", "&#64;")
    .replaceAll("::", ":&#58;")
    .replaceAll("://", ":&#47;/");
}

/** A run as Markdown: what passed, and why the rest did not. */
export function runSummary(report: Report): string {
  const { header, partial } = report;
  const measured = { ...report, scenarios: header.scenarios };
  const { verdict, planned, passed, missing } = totalsOf(measured);
  const { id, title } = header.workflow;
  const commit = header.commit === undefined ? "" : `, commit ${escapeMarkdown(header.commit)}`;
  const word = { passed: "passed", failed: "**failed**", incomplete: "**incomplete**" }[verdict];
  return [
    `## ${escapeMarkdown(title ?? id)}: ${word}`,
    "",
    `${passed}/${planned} fault trials passed. Agent ${escapeMarkdown(header.agent.id)}, version ${escapeMarkdown(header.agent.version)}${commit}.`,
    ...(missing > 0 ? ["", `${missing} of ${planned} trials were not run.`] : []),
    ...(partial === undefined ? [] : ["", `The report is partial: ${escapeMarkdown(partial)}.`]),
    "",
    "| scenario | passed | verdict | why |",
    "| --- | --- | --- | --- |",
    ...rowsOf(measured).map((row) => runRow(row)),
    "",
    ...notesOf(report),
  ].join("\n");
}

/** What changes no verdict and is worth a look, each once. */
function notesOf({ notes, trials }: Report): string[] {
  const all = new Set([...notes, ...trials.flatMap((trial) => trial.notes)]);
  if (all.size === 0) return [];
  const shown = [...all].slice(0, MOST_NOTES).map((note) => `- ${escapeMarkdown(note)}`);
  const rest = all.size - shown.length;
  return ["Notes:", "", ...shown, ...(rest > 0 ? [`- and ${rest} more`] : []), ""];
}

function runRow(row: ScenarioRow): string {
  const verdict = row.verdict === "passed" ? "passed" : `**${VERDICTS[row.verdict]}**`;
  const why = row.reasons.map((reason) => escapeMarkdown(reason)).join("<br>");
  return `| ${escapeMarkdown(row.title)} | ${row.passed}/${row.planned} | ${verdict} | ${why} |`;
}

const VERDICTS = { failed: "failed", inconclusive: "incomplete", missing: "not run" } as const;

const STATUS = {
  no_regressions: "no regressions",
  regressed: "**regressed**",
  incomparable: "**incomparable**",
} as const;

/** A comparison as Markdown: a row for each scenario of either report. */
export function comparisonSummary({ status, reason, scenarios, source }: Comparison): string {
  const commits =
    source === undefined
      ? []
      : [
          "",
          `Base ${escapeMarkdown(source.baseSha ?? "unknown")}, candidate ${escapeMarkdown(source.headSha ?? "unknown")}.`,
        ];
  return [
    `## Fault tests: ${STATUS[status]}`,
    "",
    `${escapeMarkdown(capital(reason))}.`,
    ...commits,
    ...(scenarios.length === 0
      ? []
      : [
          "",
          "| scenario | base failures | candidate failures | change | why |",
          "| --- | --- | --- | --- | --- |",
          ...scenarios.map((scenario) => comparedRow(scenario)),
        ]),
    "",
  ].join("\n");
}

function comparedRow(scenario: ComparedScenario): string {
  const { title, change, reason, trials, failures, regressed } = scenario;
  const word = change === "unchanged" || change === "improved" ? change : `**${change}**`;
  const labels = regressed
    .filter(({ what }) => what !== "trials")
    .map(({ label, base, candidate }) => `${escapeMarkdown(label)} ${base} to ${candidate}`);
  const why = labels.length === 0 ? escapeMarkdown(reason) : labels.join("<br>");
  return `| ${escapeMarkdown(title)} | ${failures.base}/${trials.base} | ${failures.candidate}/${trials.candidate} | ${word} | ${why} |`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
