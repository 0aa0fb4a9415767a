import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, beforeEach, expect, test } from "vitest";
import { readCapped, sweepTemporary, writeAtomic } from "./file.ts";

const base = mkdtempSync(join(tmpdir(), "twiceshy-file-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));

let folder = base;
beforeEach(() => {
  folder = mkdtempSync(join(base, "t-"));
});

const isRoot = process.getuid?.() === 0;

function codeOf(run: () => unknown): string | undefined {
  try {
    run();
    return undefined;
  } catch (thrown) {
    return (thrown as { code?: string }).code;
  }
}

test("what was written is read back, and nothing else is left in the folder", () => {
  const path = join(folder, "a.json");
  fc.assert(
    fc.property(
      fc
        .string({ unit: "binary" })
        .filter((text) => !/[\ud800-\udfff]/u.test(text) && text[0] !== "\ufeff"),
      (text) => {
        writeAtomic(path, text);
        expect(readCapped(path, 100_000)).toBe(text);
        expect(readdirSync(folder)).toEqual(["a.json"]);
      },
    ),
    { numRuns: 50 },
  );
});

test("missing folders are made", () => {
  const path = join(folder, "a/b/c.json");
  writeAtomic(path, "x", { inside: folder });
  expect(readFileSync(path, "utf8")).toBe("x");
});

test("an existing file keeps its permissions, and a new one gets those asked for", () => {
  const path = join(folder, "a.json");
  writeAtomic(path, "x", { mode: 0o600 });
  expect(statSync(path).mode & 0o777).toBe(0o600);
  chmodSync(path, 0o640);
  writeAtomic(path, "y");
  expect(statSync(path).mode & 0o777).toBe(0o640);
});

test("a target that is a symbolic link is refused and its victim untouched", () => {
  const victim = join(folder, "victim");
  writeFileSync(victim, "mine");
  symlinkSync(victim, join(folder, "out.html"));
  expect(() => writeAtomic(join(folder, "out.html"), "x")).toThrow("it is a symbolic link");
  expect(codeOf(() => writeAtomic(join(folder, "out.html"), "x"))).toBe("E_FILE_SYMLINK");
  symlinkSync(join(folder, "nowhere"), join(folder, "dangling"));
  expect(codeOf(() => writeAtomic(join(folder, "dangling"), "x"))).toBe("E_FILE_SYMLINK");
  expect(readFileSync(victim, "utf8")).toBe("mine");
  expect(existsSync(join(folder, "nowhere"))).toBe(false);
});

test("a folder that leads out of the root through a symbolic link is refused, and nothing is made there", () => {
  const root = join(folder, "root");
  const outside = join(folder, "outside");
  mkdirSync(root);
  mkdirSync(outside);
  symlinkSync(outside, join(root, "specs"));
  expect(codeOf(() => writeAtomic(join(root, "specs/a.json"), "x", { inside: root }))).toBe(
    "E_FILE_OUTSIDE",
  );
  expect(codeOf(() => writeAtomic(join(root, "specs/new/a.json"), "x", { inside: root }))).toBe(
    "E_FILE_OUTSIDE",
  );
  expect(codeOf(() => writeAtomic(join(root, "../outside/a.json"), "x", { inside: root }))).toBe(
    "E_FILE_OUTSIDE",
  );
  expect(codeOf(() => writeAtomic(join(folder, "rooted/a.json"), "x", { inside: root }))).toBe(
    "E_FILE_OUTSIDE",
  );
  expect(readdirSync(outside)).toEqual([]);
  expect(existsSync(join(folder, "rooted"))).toBe(false);
});

test("a root that is reached through a symbolic link is no reason to refuse", () => {
  const real = join(folder, "real");
  mkdirSync(real);
  symlinkSync(real, join(folder, "link"));
  writeAtomic(join(folder, "link/a/b.json"), "x", { inside: join(folder, "link") });
  expect(readFileSync(join(real, "a/b.json"), "utf8")).toBe("x");
});

test("a folder as target and a file as folder are refused with a code", () => {
  mkdirSync(join(folder, "dir"));
  writeFileSync(join(folder, "file"), "x");
  expect(codeOf(() => writeAtomic(join(folder, "dir"), "x"))).toBe("E_FILE_KIND");
  expect(codeOf(() => writeAtomic(join(folder, "file/a.json"), "x"))).toBe("E_FILE_KIND");
  expect(codeOf(() => writeAtomic(join(folder, "x".repeat(300)), "x"))).toBe("E_FILE_NAME");
  expect(readdirSync(folder).toSorted()).toEqual(["dir", "file"]);
});

test.skipIf(isRoot)("a folder that may not be written is named, and the old file is intact", () => {
  const path = join(folder, "a.json");
  writeFileSync(path, "old");
  chmodSync(folder, 0o500);
  expect(codeOf(() => writeAtomic(path, "new"))).toBe("E_FILE_READONLY");
  chmodSync(folder, 0o700);
  expect(readFileSync(path, "utf8")).toBe("old");
});

/** Mounts a small file system for a test; undefined where that is not allowed. */
function mounted(run: (folder: string) => void, size: string): boolean {
  const at = join(folder, "mount");
  mkdirSync(at);
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", at], { stdio: "ignore" });
  } catch {
    return false;
  }
  try {
    run(at);
  } finally {
    execFileSync("umount", ["-l", at], { stdio: "ignore" });
  }
  return true;
}

test("a full disk is an error of its own, and the old file is intact", ({ skip }) => {
  const ran = mounted((at) => {
    const path = join(at, "baseline.json");
    writeAtomic(path, "old");
    expect(codeOf(() => writeAtomic(path, "x".repeat(2_000_000)))).toBe("E_FILE_NO_SPACE");
    expect(readFileSync(path, "utf8")).toBe("old");
    expect(readdirSync(at)).toEqual(["baseline.json"]);
    writeAtomic(path, "new");
    expect(readFileSync(path, "utf8")).toBe("new");
  }, "256k");
  if (!ran) skip("mounting a small file system is not allowed here");
});

test("a read-only file system is an error of its own, and the old file is intact", ({ skip }) => {
  const ran = mounted((at) => {
    const path = join(at, "baseline.json");
    writeAtomic(path, "old");
    execFileSync("mount", ["-o", "remount,ro", at], { stdio: "ignore" });
    expect(codeOf(() => writeAtomic(path, "new"))).toBe("E_FILE_READONLY");
    expect(() => writeAtomic(path, "new")).toThrow("the file system is read-only");
    expect(readFileSync(path, "utf8")).toBe("old");
  }, "256k");
  if (!ran) skip("mounting a small file system is not allowed here");
});

test("a directory, FIFO, device and socket are refused at once and named", async () => {
  const fifo = join(folder, "fifo");
  execFileSync("mkfifo", [fifo]);
  const socket = join(folder, "socket");
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(socket, resolve);
  });
  try {
    expect(() => readCapped(folder, 10)).toThrow("it is a directory, not a file");
    expect(() => readCapped(fifo, 10)).toThrow("it is a FIFO, not a file");
    expect(() => readCapped(socket, 10)).toThrow("it is a socket, not a file");
    expect(() => readCapped("/dev/zero", 10)).toThrow("it is a device, not a file");
    expect(codeOf(() => readCapped(fifo, 10))).toBe("E_FILE_KIND");
  } finally {
    server.close();
  }
});

test("an empty file is an empty text, and a missing one has a code", () => {
  writeFileSync(join(folder, "empty"), "");
  expect(readCapped(join(folder, "empty"), 10)).toBe("");
  expect(codeOf(() => readCapped(join(folder, "missing"), 10))).toBe("E_FILE_MISSING");
  expect(codeOf(() => readCapped(join(folder, "empty/x"), 10))).toBe("E_FILE_MISSING");
});

test("a file of exactly the cap is read, and one byte more is refused", () => {
  writeFileSync(join(folder, "a"), "12345");
  expect(readCapped(join(folder, "a"), 5)).toBe("12345");
  expect(codeOf(() => readCapped(join(folder, "a"), 4))).toBe("E_FILE_TOO_LARGE");
  expect(codeOf(() => readCapped("/proc/self/status", 10))).toBe("E_FILE_TOO_LARGE");
});

test("a BOM is skipped, and UTF-16 and other bytes are refused by name", () => {
  const path = join(folder, "a");
  writeFileSync(path, "\ufeffx");
  expect(readCapped(path, 10)).toBe("x");
  writeFileSync(path, Buffer.from([0xff, 0xfe, 0x61, 0x00]));
  expect(() => readCapped(path, 10)).toThrow("it is UTF-16");
  writeFileSync(path, Buffer.from([0x61, 0xff]));
  expect(() => readCapped(path, 10)).toThrow("bytes that are not UTF-8");
});

test("only old temporary files of ours are swept", () => {
  const old = join(folder, `.tmp-${"a".repeat(32)}`);
  const fresh = join(folder, `.tmp-${"b".repeat(32)}`);
  const foreign = join(folder, ".tmp-e2e");
  for (const path of [old, fresh, foreign]) writeFileSync(path, "x");
  for (const path of [old, foreign]) utimesSync(path, 1, 1);
  mkdirSync(join(folder, `.tmp-${"c".repeat(32)}`));
  expect(sweepTemporary(folder)).toBe(1);
  expect(existsSync(old)).toBe(false);
  expect(existsSync(fresh) && existsSync(foreign)).toBe(true);
  expect(sweepTemporary(join(folder, "missing"))).toBe(0);
});

test("errors say what was asked, why not and what to do", () => {
  const path = join(folder, "a\u001b[2J");
  expect(() => readCapped(path, 10)).toThrow(
    /^Failed to read .*a\\x1b\[2J: there is no such file\. Check the path\.$/u,
  );
});
