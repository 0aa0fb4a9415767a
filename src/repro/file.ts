import type { z } from "zod";
import { failure } from "../shared/error.ts";
import { byCodeUnit, fileText, type Json } from "../shared/json.ts";
import { child } from "../shared/pointer.ts";
import { oneLine } from "../shared/text.ts";
import { parseRepros, readText } from "./load.ts";
import { reprosFileSchema, type ReprosFile } from "./repro.ts";

/**
 * Reads and checks a repros file. Every problem is an error with the place in the file: `E_REPROS_READ`,
 * `E_REPROS_CONFLICT` (merge-conflict markers), `E_REPROS_JSON`, `E_REPROS_VERSION`, `E_REPROS_SCHEMA` (with the JSON
 * Pointer), `E_REPROS_DUPLICATE`. Either kind of line end is accepted.
 */
export function readRepros(path: string): ReprosFile {
  const value = parseRepros(path, readText(path));
  const parsed = reprosFileSchema.safeParse(value);
  if (!parsed.success) throw schemaError(path, parsed.error.issues);
  refuseTwins(path, parsed.data);
  return parsed.data;
}

/** The text of a repros file, the same bytes for the same content: sorted keys, repros sorted by id, used blobs only. */
export function reprosText(file: ReprosFile): string {
  const repros = file.repros.toSorted((a, b) => byCodeUnit(a.id, b.id));
  const used = new Set(repros.flatMap(({ cassette }) => cassette.map(({ blob }) => blob)));
  const blobs = Object.fromEntries(Object.entries(file.blobs).filter(([key]) => used.has(key)));
  return fileText({ ...file, repros, blobs } as unknown as Json);
}

const MAX_PROBLEMS = 5;

function schemaError(path: string, issues: readonly z.core.$ZodIssue[]): Error {
  const problems = issues.flatMap((issue) => problemsOf(issue));
  const shown = problems.slice(0, MAX_PROBLEMS).join("; ");
  const more = problems.length > MAX_PROBLEMS ? `; and ${problems.length - MAX_PROBLEMS} more` : "";
  return failure("E_REPROS_SCHEMA", {
    to: `read the repros ${path}`,
    because: `${shown}${more}`,
    fix: "Correct these places, or restore the file from version control",
  });
}

function problemsOf(issue: z.core.$ZodIssue): string[] {
  const pointer = issue.path.reduce<string>((all, key) => child(all, String(key)), "");
  if (issue.code !== "unrecognized_keys")
    return [`${place(pointer)} ${oneLine(issue.message, 200)}`];
  return issue.keys.map((key) => `${place(child(pointer, key))} is unknown`);
}

function place(pointer: string): string {
  return pointer === "" ? "the file" : oneLine(pointer, 200);
}

function refuseTwins(path: string, { repros }: ReprosFile): void {
  const places = new Map<string, number>();
  for (const [index, { id }] of repros.entries()) {
    const first = places.get(id);
    if (first !== undefined) {
      throw failure("E_REPROS_DUPLICATE", {
        to: `read the repros ${path}`,
        because: `/repros/${first} and /repros/${index} have the same id ${id}`,
        fix: "Remove one of them; generating again restores what is missing",
      });
    }
    places.set(id, index);
  }
}
