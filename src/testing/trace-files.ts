import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { readTraces, type ReadItem, type ReadTrace } from "../importer/importer.ts";
import type { Step, ToolStep, Trace } from "../trace/trace.ts";

/** A temporary folder with these files, by relative path; it is removed after the test. */
export function folderOf(files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = mkdtempSync(join(tmpdir(), "twiceshy-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
  return folder;
}

/** What one file of these bytes gives. */
export function readText(content: string | Uint8Array, name = "traces.jsonl"): ReadItem[] {
  return [...readTraces([join(folderOf({ [name]: content }), name)])];
}

/** What a file with these records, one a line, gives. */
export function readRecords(...records: readonly unknown[]): ReadItem[] {
  return readText(records.map((record) => `${JSON.stringify(record)}\n`).join(""));
}

/** The traces among items. */
export function tracesIn(items: Iterable<ReadItem>): Trace[] {
  return [...items].filter((item) => "trace" in item).map((item: ReadTrace) => item.trace);
}

/** The only trace of one record; throws what was wrong with it. */
export function traceFrom(record: unknown): Trace {
  return itemFrom(record).trace;
}

/** The same with its warnings and place. */
export function itemFrom(record: unknown): ReadTrace {
  const [item, ...rest] = readRecords(record);
  if (item === undefined || rest.length > 0 || !("trace" in item))
    throw new Error(`no single trace: ${JSON.stringify([item, ...rest])}`);
  return item;
}

/** `trace`, or the code of what went wrong, for each item. */
export function outcomes(items: Iterable<ReadItem>): string[] {
  return [...items].map((item) =>
    "trace" in item ? "trace" : "error" in item ? item.error.code : `skipped ${item.skipped.code}`,
  );
}

export function isTool(step: Step): step is ToolStep {
  return step.kind === "tool";
}

export function toolsOf(trace: Trace): ToolStep[] {
  return trace.steps.filter((step) => isTool(step));
}
