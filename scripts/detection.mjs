// Measures failure detection on judged records: `node scripts/detection.mjs [labels.jsonl]`. The files stand beside the labels.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const BUILT = resolve(process.env["TWICESHY_DIST"] ?? join(ROOT, "dist"));
const LABELS = resolve(process.argv[2] ?? join(ROOT, "../shared/data/labels.jsonl"));
const LIMITS = { falseAlarms: 3, precision: 0.95, recall: 0.9 };

const labels = linesOf(readFileSync(LABELS, "utf8"));
const judged = labels.filter(({ confidence }) => confidence !== "low");
const found = detectIn([...new Set(judged.map(({ file }) => file))]);
const results = judged.map((label) => ({ label, report: reportOf(label) }));

/** The command that a user runs, on whole files, from the folder of the labels. */
function detectIn(files) {
  const argv = [join(BUILT, "src/cli/bin.js"), "detect", ...files, "--json"];
  const options = { cwd: dirname(LABELS), encoding: "utf8", maxBuffer: 2 ** 30 };
  const reports = new Map();
  for (const report of linesOf(execFileSync(process.execPath, argv, options))) {
    const list = reports.get(report.file);
    if (list === undefined) reports.set(report.file, [report]);
    else list.push(report);
  }
  return reports;
}

function linesOf(text) {
  return text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line));
}

/** A label without a record is about the whole file. */
function reportOf({ file, record }) {
  const reports = found.get(file) ?? [];
  const same = reports.find((report) => report.record === record);
  return same ?? (reports.length === 1 && record === null ? reports[0] : undefined);
}

/** Whether the failure shows in the file or beside it, and not to a judge alone. */
function leavesSign({ detect_by: by }) {
  return by.some((sign) => sign !== "judge");
}

function figuresOf(list) {
  const sum = (test) => list.filter(test).length;
  const failing = ({ report }) => report?.failing === true;
  const read = sum(({ report }) => report !== undefined && report.error === null);
  const hits = sum((one) => failing(one) && one.label.failed);
  const alarms = sum((one) => failing(one) && !one.label.failed);
  const failed = sum(({ label }) => label.failed);
  const signs = sum(({ label }) => label.failed && leavesSign(label));
  const seen = sum((one) => failing(one) && one.label.failed && leavesSign(one.label));
  return {
    records: list.length,
    read,
    failed,
    hits,
    alarms,
    signs,
    seen,
    precision: hits + alarms === 0 ? undefined : hits / (hits + alarms),
    recall: signs === 0 ? undefined : seen / signs,
    all: failed === 0 ? undefined : hits / failed,
  };
}

const share = (value) => (value === undefined ? "-" : value.toFixed(3));

function rowOf(name, figures) {
  const { records, read, failed, hits, alarms, precision, recall, all } = figures;
  const cells = [records, read, failed, hits, alarms, share(precision), share(recall), share(all)];
  return [name.padEnd(26), ...cells.map((cell) => String(cell).padStart(9))].join(" ");
}

function lineOf(what, { label, report }) {
  const kinds = (report?.failures ?? [])
    .filter(({ severity }) => severity !== "low")
    .map(({ kind, step, message }) => `${kind}${step === null ? "" : `@${step}`} (${message})`);
  const said = report?.error ?? kinds.join("; ");
  const place = `${label.file}${label.record === null ? "" : ` ${label.record}`}`;
  const wanted = `${label.kinds.join(",")} by ${label.detect_by.join(",") || "-"}: ${label.why}`;
  return `${what.padEnd(11)} ${place}  ${`${said}  [${wanted}]`.replaceAll(/\s+/gu, " ").slice(0, 300)}`;
}

const head = ["records", "read", "failed", "found", "alarms", "precision", "recall", "of all"];
console.log(["format".padEnd(26), ...head.map((cell) => cell.padStart(9))].join(" "));
const formats = [...new Set(judged.map(({ format }) => format))].sort((a, b) => (a < b ? -1 : 1));
for (const format of formats) {
  const own = results.filter(({ label }) => label.format === format);
  console.log(rowOf(format, figuresOf(own)));
}
const total = figuresOf(results);
console.log(rowOf("all", total));
console.log(
  "recall: of the failures that leave a sign (a score is one); of all: of every failure\n",
);

for (const one of results) {
  const { label, report } = one;
  if (report === undefined || report.error !== null) console.log(lineOf("unread", one));
  else if (report.failing && !label.failed) console.log(lineOf("false alarm", one));
  else if (!report.failing && label.failed)
    console.log(lineOf(leavesSign(label) ? "miss" : "judge only", one));
}

const broken = [
  ...(total.read < total.records ? [`${total.records - total.read} records were not read`] : []),
  ...(total.alarms > LIMITS.falseAlarms
    ? [`${total.alarms} false alarms, at most ${LIMITS.falseAlarms} are allowed`]
    : []),
  ...((total.precision ?? 1) < LIMITS.precision
    ? [`the precision is ${share(total.precision)}, at least ${LIMITS.precision} is wanted`]
    : []),
  ...((total.recall ?? 1) < LIMITS.recall
    ? [`the recall is ${share(total.recall)}, at least ${LIMITS.recall} is wanted`]
    : []),
];
for (const line of broken) console.log(`not met: ${line}`);
process.exitCode = broken.length === 0 ? 0 : 1;
