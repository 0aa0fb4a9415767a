import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { importsOf, ROOT, sources, type Import } from "./imports.ts";
import { FENCES, LEAN, ROOMS } from "./layers.ts";

const FILES = sources(["src", "matchers", "fixtures", "plugin-vitest", "plugin-jest"]);
const SHIPPED = FILES.filter(
  (file) =>
    !/\.test(-d)?\.ts$/.test(file) && !file.startsWith("src/testing/") && !file.includes("/e2e/"),
);

function roomOf(file: string): string | undefined {
  if (Object.hasOwn(ROOMS, file)) return file;
  return Object.keys(ROOMS).find((room) => file.startsWith(`${room}/`));
}

function refusal(found: Import): string | undefined {
  const from = roomOf(found.from);
  const to = roomOf(found.to);
  if (from === undefined) return `${found.from} stands in no room of layers.ts`;
  if (!found.to.includes("/") || found.to.startsWith("@")) return undefined;
  if (to === undefined) return `${found.from} imports ${found.to}, which stands in no room`;
  const allowed = ROOMS[from] ?? [];
  if (from === to || to === "src/shared" || allowed.includes("*") || allowed.includes(to))
    return undefined;
  return `${found.from} imports ${found.to}: ${from} may import shared, itself and ${allowed.join(", ") || "nothing else"}`;
}

test("every file imports only what its room may", () => {
  const refused = SHIPPED.flatMap((file) => importsOf(file).map((found) => refusal(found))).filter(
    (line) => line !== undefined,
  );
  expect(refused).toEqual([]);
});

test("each fenced package is imported only behind its fence", () => {
  const outside = SHIPPED.flatMap((file) => importsOf(file))
    .filter((found) => Object.hasOwn(FENCES, found.to) && !found.typeOnly)
    .filter((found) => !(FENCES[found.to] ?? []).some((place) => found.from.startsWith(place)))
    .map((found) => `${found.from} imports ${found.to}`);
  expect(outside).toEqual([]);
});

test("what runs inside a test loads no schema library, SQLite or fast-check", () => {
  const heavy: string[] = [];
  const seen = new Set<string>();
  const visit = (file: string, way: readonly string[]): void => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const found of importsOf(file)) {
      if (found.typeOnly || found.lazy) continue;
      if (LEAN.without.includes(found.to)) heavy.push([...way, file, found.to].join(" -> "));
      else if (found.to.endsWith(".ts")) visit(found.to, [...way, file]);
    }
  };
  for (const door of LEAN.doors) visit(door, []);
  expect(heavy).toEqual([]);
});

test("src never imports its own test code", () => {
  const wrong = SHIPPED.flatMap((file) => importsOf(file)).filter((found) =>
    found.to.startsWith("src/testing/"),
  );
  expect(wrong).toEqual([]);
});

test("ARCHITECTURE.md shows the same table of rooms", () => {
  const text = readFileSync(path.join(ROOT, "ARCHITECTURE.md"), "utf8").replaceAll(/ +/g, " ");
  for (const [room, allowed] of Object.entries(ROOMS)) {
    const cell = allowed.includes("*")
      ? "every room"
      : allowed.map((name) => `\`${name}\``).join(", ") || "-";
    expect(text).toContain(`| \`${room}\` | ${cell} |`);
  }
});
