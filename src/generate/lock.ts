import { randomBytes } from "node:crypto";
import {
  closeSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { monotonic, now, pause } from "../shared/clock.ts";
import { failure } from "../shared/error.ts";
import { writeFailure } from "../shared/file-error.ts";

const NAME = ".twiceshy.lock";
/** A holder writes for well under a second; after this long it is gone, even if another process has its number now. */
const STALE_MS = 60_000;
/** A lock without a holder is just being written, or was when its process was killed. */
const TORN_MS = 5000;
const WAIT_MS = 20_000;

/**
 * Runs `work` while no other process of ours writes in the folder, which is made when missing. A lock left by a killed process
 * is taken over. Throws E_GENERATE_LOCKED when another process holds it for 20 s.
 */
export function withLock<T>(folder: string, work: () => T): T {
  const path = join(folder, NAME);
  make(folder);
  const token = randomBytes(16).toString("hex");
  acquire(path, token);
  try {
    return work();
  } finally {
    if (read(path)?.token === token) rmSync(path, { force: true });
  }
}

function make(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (thrown) {
    throw writeFailure(folder, thrown);
  }
}

interface Holder {
  readonly pid: number;
  readonly host: string;
  readonly token: string;
}

function acquire(path: string, token: string): void {
  const before = monotonic();
  for (let attempt = 1; !create(path, token); attempt++) {
    if (takeOver(path)) continue;
    if (monotonic() - before > WAIT_MS) throw locked(path);
    pause(Math.min(attempt * 5, 50));
  }
}

function create(path: string, token: string): boolean {
  let descriptor: number;
  try {
    descriptor = openSync(path, "wx");
  } catch (thrown) {
    if (codeOf(thrown) === "EEXIST" || codeOf(thrown) === "EPERM") return false;
    throw writeFailure(path, thrown);
  }
  const holder: Holder = { pid: process.pid, host: hostname(), token };
  try {
    writeSync(descriptor, JSON.stringify(holder));
  } catch (thrown) {
    // On a full disk an empty lock would outlive us and stop everybody.
    rmSync(path, { force: true });
    throw writeFailure(path, thrown);
  } finally {
    closeSync(descriptor);
  }
  return true;
}

/** Removes a lock whose holder is gone; whether trying again at once makes sense. */
function takeOver(path: string): boolean {
  const holder = read(path);
  const age = ageOf(path);
  if (age === undefined) return true;
  const dead = holder !== undefined && holder.host === hostname() && !isAlive(holder.pid);
  if (!dead && age < (holder === undefined ? TORN_MS : STALE_MS)) return false;
  const aside = `${path}-${randomBytes(8).toString("hex")}`;
  try {
    renameSync(path, aside);
  } catch {
    return true;
  }
  // Between reading and renaming another process may have taken it over: then it gets its lock back.
  if (read(aside)?.token !== holder?.token) restore(aside, path);
  rmSync(aside, { force: true });
  return true;
}

function restore(aside: string, path: string): void {
  try {
    linkSync(aside, path);
  } catch {
    // A third process holds it now; writes are atomic, so two writers at once do no harm.
  }
}

function read(path: string): Holder | undefined {
  try {
    const holder = JSON.parse(readFileSync(path, "utf8")) as Partial<Holder>;
    const { pid, host, token } = holder;
    if (typeof pid !== "number" || typeof host !== "string" || typeof token !== "string")
      return undefined;
    return { pid, host, token };
  } catch {
    return undefined;
  }
}

function ageOf(path: string): number | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? undefined : now() - stats.mtimeMs;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return codeOf(thrown) === "EPERM";
  }
}

function codeOf(thrown: unknown): string {
  return String((thrown as { readonly code?: unknown }).code);
}

function locked(path: string): Error {
  const holder = read(path);
  return failure("E_GENERATE_LOCKED", {
    to: "write the generated specs",
    because: `process ${String(holder?.pid ?? "unknown")} on ${holder?.host ?? "an unknown machine"} holds ${path}`,
    fix: "Wait for it to end; if it is gone, remove that file",
  });
}
