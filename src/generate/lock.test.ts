import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { folderOf } from "../testing/trace-files.ts";
import { withLock } from "./lock.ts";

const NAME = ".twiceshy.lock";

/** The number of a process that has ended. */
function deadPid(): number {
  const { pid } = spawnSync(process.execPath, ["-e", ""]);
  return pid;
}

function left(folder: string, holder: unknown): string {
  const path = join(folder, NAME);
  writeFileSync(path, typeof holder === "string" ? holder : JSON.stringify(holder));
  return path;
}

test("the work runs in a folder that is made, and nothing stays behind", () => {
  const folder = join(folderOf({}), "a/b");
  expect(withLock(folder, () => readdirSync(folder))).toEqual([NAME]);
  expect(readdirSync(folder)).toEqual([]);
});

test("an error of the work frees the lock", () => {
  const folder = folderOf({});
  expect(() =>
    withLock(folder, () => {
      throw new Error("no");
    }),
  ).toThrow("no");
  expect(readdirSync(folder)).toEqual([]);
});

test("a lock that a killed process left blocks nobody", () => {
  const folder = folderOf({});
  left(folder, { pid: deadPid(), host: hostname(), token: "x" });
  const before = performance.now();
  expect(withLock(folder, () => 1)).toBe(1);
  expect(performance.now() - before).toBeLessThan(2000);
  expect(readdirSync(folder)).toEqual([]);
});

test("an old lock of another machine, or a torn one, is taken over", () => {
  const folder = folderOf({});
  for (const holder of [{ pid: 1, host: "elsewhere", token: "x" }, '{"pi', ""]) {
    const path = left(folder, holder);
    const old = Date.now() / 1000 - 120;
    utimesSync(path, old, old);
    expect(withLock(folder, () => 1)).toBe(1);
    expect(existsSync(path)).toBe(false);
  }
});

test("a lock without a holder, as a process leaves it that is killed while writing it, blocks for seconds only", () => {
  const folder = folderOf({});
  const path = left(folder, "");
  const old = Date.now() / 1000 - 6;
  utimesSync(path, old, old);
  const before = performance.now();
  expect(withLock(folder, () => 1)).toBe(1);
  expect(performance.now() - before).toBeLessThan(2000);
});

test("a lock that is not ours any more is left to its holder", () => {
  const folder = folderOf({});
  const other = { pid: process.pid, host: "elsewhere", token: "other" };
  withLock(folder, () => left(folder, other));
  expect(readdirSync(folder)).toEqual([NAME]);
});
