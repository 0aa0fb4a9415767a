import type { Failure } from "../detector/detector.ts";
import { sha256 } from "../shared/hash.ts";
import type { Trace } from "../trace/trace.ts";
import { driverFor, type Database, type Statement } from "./driver.ts";
import { inspect, migrate, prepareFile, versionOf } from "./open.ts";
import { closed, explain } from "./problem.ts";
import { takeWaiting } from "./journal.ts";
import { addNewRuns, addRun, readRuns, readStats } from "./runs.ts";
import { addOne, columnsOf, hashOf, type Incoming, type Total } from "./adding.ts";
import { keepNote, readNote, readSummaries, saveLook, useRules } from "./looks.ts";
import type {
  Added,
  Damage,
  Look,
  Run,
  Store,
  StoredVector,
  StoreOptions,
  StoreStats,
  Summary,
  TraceFilter,
  WrittenTrace,
} from "./store.ts";
import { insertVectors, readVectors } from "./vectors.ts";

/** Traces of one transaction. */
const BATCH = 1000;
/** Bytes of trace texts after which a transaction ends, however few they are. */
const BATCH_BYTES = 8 * 1024 * 1024;
const PAGE = 256;

/** Opens a store that SQLite keeps; see `openStore`. */
export function openSqlite(path: string, options: StoreOptions): Store {
  const busyMs = options.busyMs ?? 10_000;
  let db: Database | undefined;
  try {
    inspect(path);
    const open = driverFor(path);
    prepareFile(path);
    db = open(path, busyMs);
    // Before the first write: a database of somebody else must not even change its journal.
    versionOf(db, path);
    // Only of a file without a page: traces are large, and fewer pages are less work.
    db.pragma("page_size = 16384");
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

function written(trace: Trace): WrittenTrace {
  const body = JSON.stringify(trace);
  return { trace, body, hash: sha256(body) };
}

class SqliteStore implements Store {
  readonly path: string;
  readonly #db: Database;
  readonly #busyMs: number;
  readonly #prepared = new Map<string, Statement>();

  constructor(path: string, db: Database, busyMs: number) {
    this.path = path;
    this.#db = db;
    this.#busyMs = busyMs;
  }

  add(trace: Trace): void {
    this.addTraces([trace]);
  }

  addTraces(traces: Iterable<Trace | WrittenTrace>, look?: (trace: Trace) => Look): Added {
    const total: Total = { added: 0, known: 0, extended: 0, renamed: [] };
    let batch: Incoming[] = [];
    let bytes = 0;
    const flush = (): void => {
      this.#write(() => {
        for (const incoming of batch) addOne(this.#sql, incoming, total);
      });
      batch = [];
      bytes = 0;
    };
    const isEmpty = this.stamp().startsWith("0 ");
    // Reading the next traces may take long; nobody else's write waits for that.
    for (const given of traces) {
      const { trace, body, hash } = "body" in given ? given : written(given);
      // Nothing is looked at twice, and what waits for its transaction is a text: traces would fill the memory.
      if (!isEmpty && this.#hashOf(trace.id) === hash) total.known += 1;
      else {
        batch.push({ columns: columnsOf(trace), body, hash, look: look?.(trace) });
        bytes += body.length;
      }
      if (batch.length === BATCH || bytes > BATCH_BYTES) flush();
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

  saveFailures(found: Iterable<Look & { trace: string }>): void {
    this.#write(() => {
      for (const { trace, ...look } of found) saveLook(this.#sql, trace, look);
    });
  }

  useRules(rules: string): void {
    if (this.note("rules") === rules) return;
    this.#write(() => {
      useRules(this.#sql, rules);
    });
  }

  *summaries(): Generator<Summary> {
    yield* readSummaries(this.#sql, (work) => this.#use(work));
  }

  trace(id: string): Trace | Damage | undefined {
    const read = this.#read(id);
    if ("gone" in read) return undefined;
    return "trace" in read ? read.trace : { trace: id, because: read.because };
  }

  note(name: string): string | undefined {
    return this.#use(() => readNote(this.#sql, name));
  }

  keepNote(name: string, value: string): void {
    this.#write(() => {
      keepNote(this.#sql, name, value);
    });
  }

  stamp(): string {
    const sql = "SELECT count(*) || ' ' || total(rowid) || ' ' || total(detected) FROM traces";
    return this.#use(() => String(this.#sql(sql).pluck().get()));
  }

  vectors(model: string, dimensions: number): readonly StoredVector[] {
    return this.#use(() => readVectors(this.#db, model, dimensions));
  }

  addVectors(model: string, dimensions: number, vectors: Iterable<StoredVector>): void {
    this.#write(() => {
      insertVectors(this.#db, { model, dimensions }, vectors);
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
    this.#takeWaiting();
    return this.#use(() => readRuns(this.#db, limit));
  }

  stats(): StoreStats {
    this.#takeWaiting();
    return this.#use(() => readStats(this.#db));
  }

  close(): void {
    this.#db.close();
  }

  /** Runs of tests that were kept beside the store. */
  #takeWaiting(): void {
    takeWaiting(this.path, (runs) => {
      this.#write(() => {
        addNewRuns(this.#db, runs);
      });
    });
  }

  #hashOf(id: string): string | undefined {
    return this.#use(() => hashOf(this.#sql, id));
  }

  #idsAfter(after: string, filter: TraceFilter): string[] {
    const where = ["id > ?"];
    const values: (string | number)[] = [after];
    if (filter.undetected === true) where.push("detected = 0");
    if (filter.agent !== undefined) {
      where.push("agent = ?");
      values.push(filter.agent);
    }
    const sql = `SELECT id FROM traces WHERE ${where.join(" AND ")} ORDER BY id LIMIT ${PAGE}`;
    return this.#use(() =>
      this.#sql(sql)
        .pluck()
        .all(...values)
        .map(String),
    );
  }

  /** A trace whose bytes still have the digest with which they were written. */
  #read(id: string): { trace: Trace } | { because: string; gone?: true } {
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
    if (row === undefined) return { because: "its row is gone", gone: true };
    if (sha256(row.body) !== row.hash)
      return { because: "its content is not what was written (SHA-256 differs)" };
    return { trace: JSON.parse(row.body) as Trace };
  }

  readonly #sql = (text: string): Statement => {
    const known = this.#prepared.get(text);
    if (known !== undefined) return known;
    const statement = this.#db.prepare(text);
    this.#prepared.set(text, statement);
    return statement;
  };

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
