import { join } from "node:path";
import { expect, test } from "vitest";
import { folderOf } from "../testing/trace-files.ts";
import { expand } from "./glob.ts";

function found(...patterns: string[]): string[] {
  const root = folderOf({
    ".twiceshy/traces/a.jsonl": "",
    ".twiceshy/traces/deep/er/b.jsonl": "",
    ".twiceshy/traces/.hidden/c.jsonl": "",
    ".twiceshy/traces/note.txt": "",
    ".twiceshy/traces/node_modules/d.jsonl": "",
    "runs/[x]/a.json": "",
    "runs/one.json": "",
    "runs/two.traj": "",
  });
  return expand(patterns.map((pattern) => `${root}/${pattern}`)).map((path) =>
    path.slice(root.length + 1),
  );
}

test("two stars are any depth, none too; hidden files and node_modules are left out", () => {
  expect(found(".twiceshy/traces/**/*.jsonl")).toEqual([
    ".twiceshy/traces/a.jsonl",
    ".twiceshy/traces/deep/er/b.jsonl",
  ]);
});

test("one star, a question mark and a choice stay within a folder", () => {
  expect(found("runs/*.json")).toEqual(["runs/one.json"]);
  expect(found("runs/{one.json,two.*}")).toEqual(["runs/one.json", "runs/two.traj"]);
  expect(found("runs/?ne.json")).toEqual(["runs/one.json"]);
});

test("a folder named in a pattern may be hidden", () => {
  expect(found(".twiceshy/*/.hidden/*.jsonl")).toEqual([".twiceshy/traces/.hidden/c.jsonl"]);
});

test("a path is kept, there or not, and a folder may be called [x]", () => {
  expect(found("runs/none.json", "runs/[x]")).toEqual(["runs/[x]", "runs/none.json"]);
});

test("the order and repetition of patterns change nothing", () => {
  expect(found("runs/*", "runs/one.json")).toEqual(found("runs/one.json", "runs/*"));
});

test("a pattern in a missing folder finds nothing", () => {
  expect(expand([join("/nowhere-at-all", "**/*.jsonl")])).toEqual([]);
});
