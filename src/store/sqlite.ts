import { createRequire } from "node:module";
import type Database from "better-sqlite3";
import type { Failure } from "../detector/detector.ts";
import { sha256 } from "../shared/hash.ts";
import { canonical, type Json, same } from "../shared/json.ts";
import type { Trace } from "../trace/trace.ts";
import { inspect, migrate, prepareFile, versionOf } from "./open.ts";
import { closed, explain, noDriver } from "./problem.ts";
import { addRun, readRuns, readStats } from "./runs.ts";
import type { Added, Run, Store, StoreOptions, StoreStats, TraceFilter } from "./store.ts";

const BATCH = 256;

/** Opens a store that SQLite keeps; see `openStore`. */
export function openSqlite(path: string, options: StoreOptions): Store {
  const busyMs = options.busyMs ?? 10_000;
  let db: Database.Database | undefined;
  try {
    inspect(path);
    const Driver = loadDriver(path);
    prepareFile(path);
    db = new Driver(path, { timeout: busyMs });
    // Before the first write: a database of somebody else must not even change its journal.
    versionOf(db, path);
    db.pragma("journal_mode = WAL");
    // better-sqlite3 builds SQLite with NORMAL for WAL, which forgets the last traces when the power fails.
    db.pragma("synchronous = FULL");
    db.pragma("foreign_keys = ON");
    migrate(db, path);
  } catch (thrown) {
    db?.close();
    throw explain(path, busyMs, thrown);
  }
  return new SqliteStore(path, db, busyMs);
}

/** On first use only: it is the one native part, and a project without a store must not need it. */
function loadDriver(path: string): typeof Database {
  try {
    const Driver = createRequire(import.meta.url)("better-sqlite3") as typeof Database;
    // The compiled part is loaded with the first database: a missing one must show before a file is made.
    new Driver(":memory:").close();
    return Driver;
  } catch (thrown) {
    throw noDriver(path, thrown);
  }
}

class SqliteStore implements Store {
  readonly path: string;
  readonly #db: Database.Database;
  readonly #busyMs: number;
  readonly #prepared = new Map<string, Database.Statement>();

  constructor(path: string, db: Database.Database, busyMs: number) {
    this.path = path;
    this.#db = db;
    this.#busyMs = busyMs;
  }

  add(trace: Trace): void {
    this.addTraces([trace]);
  }

  addTraces(traces: Iterable<Trace>): Added {
    const total = { added: 0, known: 0, extended: 0, renamed: [] as string[] };
    let batch: Trace[] = [];
    const flush = (): void => {
      this.#write(() => {
        for (const trace of batch) this.#addOne(trace, total);
      });
      batch = [];
    };
    // Reading the next traces may take long; nobody else's write waits for that.
    for (const trace of traces) {
      batch.push(trace);
      if (batch.length === BATCH) flush();
    }
    if (batch.length > 0) flush();
    return total;
  }

  *traces(filter: TraceFilter = {}): Generator<Trace> {
    let after = "";
    for (;;) {
      // Pages of ids instead of one cursor: the caller may write while it reads.
      const ids = this.#idsAfter(after, filter);
      for (const id of ids) {
        const read = this.#read(id);
        if ("trace" in read) yield read.trace;
        else filter.onDamaged?.({ trace: id, because: read.because });
      }
      const last = ids.at(-1);
      if (last === undefined) return;
      after = last;
    }
  }

  saveFailures(found: Iterable<{ trace: string; failures: readonly Failure[] }>): void {
    this.#write(() => {
      for (const { trace, failures } of found) {
        this.#sql("DELETE FROM failures WHERE trace = ?").run(trace);
        const insert = this.#sql("INSERT INTO failures VALUES (?, ?, ?, ?, ?, ?)");
        for (const [place, one] of failures.entries()) {
          insert.run(trace, place, one.kind, one.severity, one.signature, JSON.stringify(one));
        }
        this.#sql("UPDATE traces SET detected = 1 WHERE id = ?").run(trace);
      }
    });
  }

  failures(trace: string): readonly Failure[] | undefined {
    return this.#use(() => {
      const detected = this.#sql("SELECT detected FROM traces WHERE id = ?").pluck().get(trace);
      if (detected !== 1) return undefined;
      const bodies = this.#sql("SELECT body FROM failures WHERE trace = ? ORDER BY place")
        .pluck()
        .all(trace);
      return bodies.map((body) => JSON.parse(String(body)) as Failure);
    });
  }

  addRun(run: Run): void {
    this.#write(() => {
      addRun(this.#db, run);
    });
  }

  runs(limit = 100): readonly Run[] {
    return this.#use(() => readRuns(this.#db, limit));
  }

  stats(): StoreStats {
    return this.#use(() => readStats(this.#db));
  }

  close(): void {
    this.#db.close();
  }

  #addOne(
    trace: Trace,
    total: { added: number; known: number; extended: number; renamed: string[] },
  ): void {
    const stored = this.#sql("SELECT body FROM traces WHERE id = ?").pluck().get(trace.id) as
      | string
      | undefined;
    const before = stored === undefined ? undefined : (JSON.parse(stored) as Trace);
    if (before === undefined) {
      this.#insert(trace);
      total.added += 1;
    } else if (equal(before, trace) || begins(trace, before)) {
      total.known += 1;
    } else if (begins(before, trace)) {
      this.#sql("DELETE FROM traces WHERE id = ?").run(trace.id);
      this.#insert(trace);
      total.extended += 1;
    } else {
      this.#addTwin(trace, total);
    }
  }

  /** Another trace of a known id: kept beside it under an id of its content. */
  #addTwin(trace: Trace, total: { added: number; known: number; renamed: string[] }): void {
    const id = `${trace.id}-${sha256(canonical(trace as unknown as Json), 8)}`;
    if (this.#sql("SELECT 1 FROM traces WHERE id = ?").get(id) !== undefined) {
      total.known += 1;
      return;
    }
    this.#insert({ ...trace, id });
    total.added += 1;
    total.renamed.push(trace.id);
  }

  #insert(trace: Trace): void {
    const body = JSON.stringify(trace);
    this.#sql("INSERT INTO traces VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?)").run(
      trace.id,
      sha256(body),
      trace.agent,
      trace.agentVersion,
      trace.taskId,
      trace.source,
      trace.status,
      trace.startedAt ?? null,
      trace.steps.length,
      body,
    );
  }

  #idsAfter(after: string, filter: TraceFilter): string[] {
    const where = ["id > ?"];
    const values: (string | number)[] = [after];
    if (filter.undetected === true) where.push("detected = 0");
    if (filter.agent !== undefined) {
      where.push("agent = ?");
      values.push(filter.agent);
    }
    const sql = `SELECT id FROM traces WHERE ${where.join(" AND ")} ORDER BY id LIMIT ${BATCH}`;
    return this.#use(() =>
      this.#sql(sql)
        .pluck()
        .all(...values)
        .map(String),
    );
  }

  /** A trace whose bytes still have the digest with which they were written. */
  #read(id: string): { trace: Trace } | { because: string } {
    let row: { hash: string; body: string } | undefined;
    try {
      row = this.#use(() =>
        this.#sql("SELECT hash, body FROM traces WHERE id = ?").get(id),
      ) as typeof row;
    } catch (thrown) {
      return {
        because: `its page in the store is damaged (${thrown instanceof Error ? thrown.name : "error"})`,
      };
    }
    if (row === undefined) return { because: "its row is gone" };
    if (sha256(row.body) !== row.hash)
      return { because: "its content is not what was written (SHA-256 differs)" };
    return { trace: JSON.parse(row.body) as Trace };
  }

  #sql(text: string): Database.Statement {
    const known = this.#prepared.get(text);
    if (known !== undefined) return known;
    const statement = this.#db.prepare(text);
    this.#prepared.set(text, statement);
    return statement;
  }

  /** BEGIN IMMEDIATE: a deferred transaction that reads first fails at once beside a second writer, whatever the timeout. */
  #write(work: () => void): void {
    this.#use(() => {
      this.#db.transaction(work).immediate();
    });
  }

  #use<T>(work: () => T): T {
    if (!this.#db.open) throw closed(this.path);
    try {
      return work();
    } catch (thrown) {
      throw explain(this.path, this.#busyMs, thrown);
    }
  }
}

function equal(a: Trace, b: Trace): boolean {
  return same(a as unknown as Json, b as unknown as Json);
}

/** Whether the steps of a trace are the first steps of another: the record of a run that was still going on. */
function begins(shorter: Trace, longer: Trace): boolean {
  if (shorter.steps.length >= longer.steps.length) return false;
  return shorter.steps.every((step, at) =>
    same(step as unknown as Json, longer.steps[at] as unknown as Json),
  );
}
