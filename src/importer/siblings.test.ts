import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { folderOf } from "../testing/trace-files.ts";
import { surroundings } from "./siblings.ts";

test("files beside one are found, listed in order and read as JSON", () => {
  const folder = folderOf({
    "a/run.json": "1",
    "a/report.json": '{"ok":true}',
    "b.json": "2",
    "a/sub/c.json": "3",
  });
  const siblings = surroundings([folder])(join(folder, "a", "run.json"));
  expect(siblings.names()).toEqual(["report.json", "run.json", "sub"]);
  expect(siblings.names("sub")).toEqual(["c.json"]);
  expect(siblings.json("report.json")).toEqual({ ok: true });
  expect(siblings.json("../b.json")).toBe(2);
  expect([siblings.has("report.json"), siblings.has("sub"), siblings.has("none")]).toEqual([
    true,
    false,
    false,
  ]);
});

test("what cannot be read beside a file is not there: a link, a folder, broken JSON, bytes", () => {
  const folder = folderOf({
    "run.json": "1",
    "broken.json": "{",
    "bytes.json": new Uint8Array([0xff, 0xfe, 0x80]),
    "secret/x.json": "1",
  });
  symlinkSync(join(folder, "secret", "x.json"), join(folder, "link.json"));
  const siblings = surroundings([folder])(join(folder, "run.json"));
  for (const name of ["link.json", "secret", "broken.json", "bytes.json", "none.json", "a\0b"]) {
    expect(siblings.json(name)).toBeUndefined();
  }
  expect(siblings.names("none")).toEqual([]);
});

test("a file is wanted when it, or a folder that holds it, was named", () => {
  const folder = folderOf({ "a/run.json": "1", "a/b/c.json": "1", "ab/d.json": "1" });
  const wanted = (paths: string[], name: string) =>
    surroundings(paths.map((path) => join(folder, path)))(join(folder, "a", "run.json")).wanted(
      name,
    );
  expect(wanted(["a"], "b/c.json")).toBe(true);
  expect(wanted(["a"], "../ab/d.json")).toBe(false);
  expect(wanted(["a/run.json"], "b/c.json")).toBe(false);
  expect(wanted(["a/run.json", "a/b/c.json"], "b/c.json")).toBe(true);
});
