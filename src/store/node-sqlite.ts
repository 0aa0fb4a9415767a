import process from "node:process";
import type { Database, Driver, Statement } from "./driver.ts";

/** What is used of `node:sqlite`, which the types of Node 20 do not know. */
interface NodeStatement {
  run(...values: unknown[]): ReturnType<Statement["run"]>;
  get(...values: unknown[]): object | undefined;
  all(...values: unknown[]): object[];
}
interface NodeDatabase {
  prepare(sql: string): NodeStatement;
  exec(sql: string): void;
  close(): void;
}
type NodeSqlite = { readonly DatabaseSync: new (path: string) => NodeDatabase };

/** The driver that Node brings, from 22.13 on without a flag; undefined where there is none. */
export function openNodeSqlite(require: NodeJS.Require): Driver | undefined {
  const sqlite = quietly(() => {
    try {
      return require("node:sqlite") as NodeSqlite;
    } catch {
      return undefined;
    }
  });
  if (sqlite === undefined) return undefined;
  return (path, busyMs) => {
    const db = new sqlite.DatabaseSync(path);
    db.exec(`PRAGMA busy_timeout = ${Math.max(0, Math.round(busyMs))}`);
    return new Face(db);
  };
}

/** Node says once that its SQLite is an experiment: whoever runs a command can do nothing about that. */
function quietly<T>(load: () => T): T {
  const warn: unknown = Reflect.get(process, "emitWarning");
  process.emitWarning = (warning: string | Error, ...rest: unknown[]) => {
    if (String(warning).startsWith("SQLite is an experimental feature")) return;
    if (typeof warn === "function") Reflect.apply(warn, process, [warning, ...rest]);
  };
  try {
    return load();
  } finally {
    Reflect.set(process, "emitWarning", warn);
  }
}

class Face implements Database {
  open = true;
  readonly #db: NodeDatabase;

  constructor(db: NodeDatabase) {
    this.#db = db;
  }

  prepare(sql: string): Statement {
    return new StatementFace(this.#db.prepare(sql));
  }

  exec(sql: string): void {
    this.#db.exec(sql);
  }

  pragma(source: string, options?: { readonly simple: boolean }): unknown {
    const rows = this.#db.prepare(`PRAGMA ${source}`).all();
    return options?.simple === true ? firstOf(rows[0]) : rows;
  }

  transaction(work: () => void): { immediate(): void } {
    return {
      immediate: () => {
        this.#db.exec("BEGIN IMMEDIATE");
        try {
          work();
          this.#db.exec("COMMIT");
        } catch (thrown) {
          this.#rollBack();
          throw thrown;
        }
      },
    };
  }

  close(): void {
    this.open = false;
    this.#db.close();
  }

  /** SQLite has rolled back by itself after some errors, and then refuses. */
  #rollBack(): void {
    try {
      this.#db.exec("ROLLBACK");
    } catch {
      // What went wrong before is what the caller is told.
    }
  }
}

class StatementFace implements Statement {
  readonly #statement: NodeStatement;
  #plucked = false;

  constructor(statement: NodeStatement) {
    this.#statement = statement;
  }

  run(...values: unknown[]): ReturnType<Statement["run"]> {
    return this.#statement.run(...values);
  }

  get(...values: unknown[]): unknown {
    const row = this.#statement.get(...values);
    return this.#plucked ? firstOf(row) : row;
  }

  all(...values: unknown[]): unknown[] {
    const rows = this.#statement.all(...values);
    return this.#plucked ? rows.map((row) => firstOf(row)) : rows;
  }

  pluck(): Statement {
    this.#plucked = true;
    return this;
  }
}

function firstOf(row: object | undefined): unknown {
  return row === undefined ? undefined : Object.values(row)[0];
}
