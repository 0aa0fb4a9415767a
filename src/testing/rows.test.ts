import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "./imports.ts";
import wanted from "./rows-wanted.json" with { type: "json" };
import rows from "./rows.json" with { type: "json" };

interface Place {
  readonly file: string;
  readonly title: string;
}

/** A list of rows and the rows in it that a test must cover. */
const WANTED = Object.entries(wanted).flatMap(([list, names]) =>
  names.map((name) => `${list}/${name}`),
);
const ENTRIES = Object.entries(rows as Record<string, readonly Place[]>);

function holds({ file, title }: Place): boolean {
  const full = path.join(ROOT, file);
  if (!existsSync(full)) return false;
  const text = readFileSync(full, "utf8");
  return [
    title,
    JSON.stringify(title).slice(1, -1),
    title.replaceAll("`", "\\`"),
    title.replaceAll("'", "\\'"),
  ].some((form) => text.includes(form));
}

test("every entry of rows.json names a test that exists", () => {
  const gone = ENTRIES.flatMap(([row, places]) =>
    places.filter((place) => !holds(place)).map(({ file, title }) => ({ row, file, title })),
  );
  expect(gone).toEqual([]);
});

test("every wanted row is covered by a test", () => {
  const covered = new Set(ENTRIES.filter(([, places]) => places.length > 0).map(([row]) => row));
  expect(WANTED.filter((row) => !covered.has(row))).toEqual([]);
});
