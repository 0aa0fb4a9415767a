import type { Repro, ReprosFile } from "../repro/repro.ts";
import { oneLine } from "../shared/text.ts";
import { colours, type Io } from "./io.ts";
import { counted } from "./table.ts";

export const ANNOTATE_KEYS = `  c  confirm: the test gates from now on     r  reject: it makes no test
  e  give the expected answer                a  add a check, as JSON
  x  decide for the whole cluster, with the edits made here
  u  undo the last answer                    s  skip    q  quit`;

const LAST_CALLS = 4;

/** A repro as a person decides on it: what was asked, what went wrong, what the agent did last, what is checked. */
export function reproCard(io: Io, file: ReprosFile, repro: Repro): string[] {
  const { bold, dim, red } = colours(io);
  const cluster = Object.hasOwn(file.clusters, repro.cluster)
    ? file.clusters[repro.cluster]
    : undefined;
  const last = repro.cassette.slice(-LAST_CALLS);
  return [
    bold(`${repro.id}  ${oneLine(repro.title, 80)}`),
    dim(
      `${oneLine(cluster?.label ?? repro.cluster, 120)} · ${counted(cluster?.size ?? 1, "run")} · ${repro.origin} · ${oneLine(file.agent, 60)}`,
    ),
    `task      ${textOf(repro.task, 200)}`,
    ...repro.failures.map(
      ({ severity, kind, step, message }) =>
        `${severity === "low" ? "  " : red("! ")}${oneLine(kind, 60)}${step === undefined ? "" : ` at step ${step}`}: ${oneLine(message, 140)}`,
    ),
    `cassette  ${counted(repro.cassette.length, "call")}${last.length < repro.cassette.length ? ", the last:" : ""}`,
    ...last.map(
      ({ tool, args, result }) =>
        `  ${oneLine(tool, 60)} ${textOf(args, 80)} -> ${resultText(result)}`,
    ),
    ...repro.checks.map((check) => `check     ${textOf(check, 160)}`),
    ...(repro.expected === undefined ? [] : [`expected  ${textOf(repro.expected, 160)}`]),
    ...(repro.needs === undefined ? [] : [red(`needs     ${repro.needs}`)]),
  ];
}

function textOf(value: unknown, max: number): string {
  return oneLine(typeof value === "string" ? value : JSON.stringify(value), max);
}

function resultText(result: Repro["cassette"][number]["result"]): string {
  if (result === undefined) return "(a large result, or none)";
  return result.ok ? textOf(result.data, 80) : `error ${oneLine(result.error.message, 80)}`;
}
