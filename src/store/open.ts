import { closeSync, existsSync, mkdirSync, openSync, readSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { Database } from "./driver.ts";
import { APPLICATION_ID, MIGRATIONS } from "./migrations.ts";
import { damaged, foreign, newer } from "./problem.ts";

/** Looks at the raw bytes before SQLite may touch them: SQLite takes a zero-byte file beside a WAL for an empty database. */
export function inspect(path: string, known = MIGRATIONS.length): void {
  const size = statSync(path, { throwIfNoEntry: false })?.size;
  const wal = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  if (size === undefined || size === 0) {
    if (wal > 0)
      throw damaged(
        path,
        size === 0
          ? "the file is empty although its -wal file is not"
          : "the file is gone although its -wal file is there",
      );
    return;
  }
  if (!statSync(path).isFile()) throw damaged(path, "it is not a file");
  const header = readHeader(path);
  if (!header.subarray(0, 16).equals(Buffer.from("SQLite format 3\0", "latin1"))) {
    throw damaged(path, "it is not a SQLite database");
  }
  const version = header.readUInt32BE(60);
  const owner = header.readUInt32BE(68);
  if (owner !== APPLICATION_ID && !(owner === 0 && version === 0)) throw foreign(path);
  if (version > known) throw newer(path, version, known);
}

function readHeader(path: string): Buffer {
  const file = openSync(path, "r");
  try {
    const header = Buffer.alloc(100);
    readSync(file, header, 0, 100, 0);
    return header;
  } finally {
    closeSync(file);
  }
}

/** Makes the folder and an empty file that only the owner may read. */
export function prepareFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, "a", 0o600));
}

/** Brings an open database to the newest version in one transaction; several processes may try at once. */
export function migrate(
  db: Database,
  path: string,
  migrations: readonly string[] = MIGRATIONS,
): void {
  const before = versionOf(db, path, migrations.length);
  if (before === migrations.length) return;
  if (before > 0) backUp(db, `${path}.v${before}.bak`);
  // The version is looked at again inside: another process may have been first.
  db.transaction(() => {
    for (const step of migrations.slice(versionOf(db, path, migrations.length))) db.exec(step);
    db.pragma(`application_id = ${APPLICATION_ID}`);
    db.pragma(`user_version = ${migrations.length}`);
  }).immediate();
}

/** The version of an open database, 0 for an empty one; throws when it is newer than `known` or not ours. */
export function versionOf(db: Database, path: string, known = MIGRATIONS.length): number {
  const owner = Number(db.pragma("application_id", { simple: true }));
  const version = Number(db.pragma("user_version", { simple: true }));
  if (owner === APPLICATION_ID) {
    if (version > known) throw newer(path, version, known);
    return version;
  }
  const tables = Number(db.prepare("SELECT count(*) FROM sqlite_schema").pluck().get());
  if (owner !== 0 || version !== 0 || tables > 0) throw foreign(path);
  return 0;
}

function backUp(db: Database, target: string): void {
  if (existsSync(target)) rmSync(target);
  db.prepare("VACUUM INTO ?").run(target);
}
