import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, expect, test } from "vitest";
import { ensureBuilt, ROOT } from "./built.ts";

beforeAll(ensureBuilt, 300_000);

const folder = path.join(ROOT, "dist/plugin-vitest");

function codeFiles(): ReadonlyMap<string, string> {
  const names = readdirSync(folder).filter((name) => name.endsWith(".js"));
  return new Map(names.map((name) => [name, readFileSync(path.join(folder, name), "utf8")]));
}

test("code that several doors of the plugin load stands in one file", () => {
  const files = codeFiles();
  // A telling piece of the network guard, the recorder, the redaction and the cassette.
  for (const line of [
    'Symbol.for("twiceshy.network")',
    "[redacted:unreadable]",
    "-----BEGIN ",
    "its large answer ",
  ]) {
    const found = [...files].filter(([, text]) => text.includes(line)).map(([name]) => name);
    expect([line, found.length]).toEqual([line, 1]);
  }
});

test("every door of the plugin is a bundle that loads none of the unbundled modules", () => {
  for (const [name, text] of codeFiles()) {
    const others = [...text.matchAll(/(?:from|import\() ?"(\.[^"]+)"/gu)].map(([, to]) => to);
    expect([
      name,
      others.filter((to) => !/^\.\/[\w-]+\.js$|^\.\/[\w-]+\.chunk\.js$/u.test(to ?? "")),
    ]).toEqual([name, []]);
  }
});
