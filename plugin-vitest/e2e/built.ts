import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmdirSync, statSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** Builds the package when `dist` is missing or older than a source file; the children run what users get. */
export function ensureBuilt(): void {
  // Whoever has just built says so, and saves the comparison.
  if (process.env["TWICESHY_E2E_BUILT"] === "1" || isFresh()) return;
  const lock = path.join(ROOT, ".tmp-build-lock");
  takeLock(lock);
  try {
    if (!isFresh())
      execFileSync(process.execPath, [path.join(ROOT, "scripts/build.mjs")], {
        cwd: ROOT,
        stdio: "pipe",
      });
  } finally {
    rmdirSync(lock);
  }
}

function isFresh(): boolean {
  const built = path.join(ROOT, "dist/plugin-vitest/plugin.js");
  if (!existsSync(built)) return false;
  const since = statSync(built).mtimeMs;
  return ["src", "matchers", "fixtures", "plugin-vitest", "plugin-jest"].every(
    (folder) => newest(path.join(ROOT, folder)) <= since,
  );
}

function newest(folder: string): number {
  let latest = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const full = path.join(folder, entry.name);
    if (entry.isDirectory())
      latest = Math.max(
        latest,
        entry.name === "e2e" || entry.name === "testing" ? 0 : newest(full),
      );
    else if (entry.name.endsWith(".ts") && !/\.test(?:-d)?\.ts$/.test(entry.name))
      latest = Math.max(latest, statSync(full).mtimeMs);
  }
  return latest;
}

/** Two test files may want a build at once; the second waits for the first, and takes over a lock left by a dead one. */
function takeLock(lock: string): void {
  for (;;) {
    try {
      mkdirSync(lock);
      return;
    } catch {
      if (existsSync(lock) && Date.now() - statSync(lock).mtimeMs > 120_000) rmdirSync(lock);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
    }
  }
}
