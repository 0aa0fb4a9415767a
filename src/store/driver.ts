import { createRequire } from "node:module";
import { openNodeSqlite } from "./node-sqlite.ts";
import { noDriver } from "./problem.ts";

/** What the store uses of a SQLite driver, in the form that better-sqlite3 has. */
export interface Database {
  readonly open: boolean;
  prepare(sql: string): Statement;
  exec(sql: string): unknown;
  /** The rows of a pragma; with `simple` the first value alone. */
  pragma(source: string, options?: { readonly simple: boolean }): unknown;
  transaction(work: () => void): { immediate(): void };
  close(): unknown;
}

export interface Statement {
  run(...values: unknown[]): {
    readonly changes: number | bigint;
    readonly lastInsertRowid: number | bigint;
  };
  get(...values: unknown[]): unknown;
  all(...values: unknown[]): unknown[];
  /** The same statement, of whose rows only the first column is given from now on. */
  pluck(): Statement;
}

/** Opens a database file, waiting so long for other writers. */
export type Driver = (path: string, busyMs: number) => Database;

/**
 * The driver that works here: better-sqlite3, else what Node itself brings from 22.13 on, else E_STORE_DRIVER. On first
 * use only: it is the one native part, and a project without a store must not need it. No file is made.
 */
export function driverFor(path: string): Driver {
  const require = createRequire(import.meta.url);
  try {
    const Better = require("better-sqlite3") as new (
      path: string,
      options?: { readonly timeout: number },
    ) => Database;
    // The compiled part is loaded with the first database: a missing one must show before a file is made.
    new Better(":memory:").close();
    return (file, timeout) => new Better(file, { timeout });
  } catch (thrown) {
    const node = openNodeSqlite(require);
    if (node !== undefined) return node;
    throw noDriver(path, thrown);
  }
}
