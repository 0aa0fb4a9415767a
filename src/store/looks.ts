import type { Failure } from "../detector/detector.ts";
import type { Statement } from "./driver.ts";
import type { Look, Summary } from "./store.ts";

type Sql = (text: string) => Statement;

/** Writes what was found in one trace, in place of what was there; the caller holds the transaction. */
export function saveLook(sql: Sql, trace: string, { failures, content, cost }: Look): void {
  sql("DELETE FROM failures WHERE trace = ?").run(trace);
  insertFailures(sql, trace, failures);
  sql("UPDATE traces SET detected = 1, failing = ?, content = ?, cost = ? WHERE id = ?").run(
    isFailing(failures) ? 1 : 0,
    content ?? "",
    cost ?? null,
    trace,
  );
}

/** Writes the failures of a trace that has none yet. */
export function insertFailures(sql: Sql, trace: string, failures: readonly Failure[]): void {
  const insert = sql("INSERT INTO failures VALUES (?, ?, ?, ?, ?, ?)");
  for (const [place, one] of failures.entries()) {
    insert.run(trace, place, one.kind, one.severity, one.signature, JSON.stringify(one));
  }
}

export function isFailing(failures: readonly Failure[]): boolean {
  return failures.some(({ severity }) => severity !== "low");
}

/** Everything that was found by rules of another name is forgotten. */
export function useRules(sql: Sql, rules: string): void {
  if (readNote(sql, "rules") === rules) return;
  sql("UPDATE traces SET detected = 0 WHERE detected = 1").run();
  keepNote(sql, "rules", rules);
}

export function readNote(sql: Sql, name: string): string | undefined {
  return sql("SELECT value FROM notes WHERE name = ?").pluck().get(name) as string | undefined;
}

export function keepNote(sql: Sql, name: string, value: string): void {
  sql("INSERT OR REPLACE INTO notes VALUES (?, ?)").run(name, value);
}

interface SummaryRow {
  readonly id: string;
  readonly agent: string;
  readonly task_id: string;
  readonly status: string;
  readonly started_at: number | null;
  readonly failing: number;
  readonly content: string;
  readonly cost: number | null;
}

const PAGE = 2000;

/**
 * Pages instead of one cursor: the caller may write while it reads.
 * @yields each trace that was looked at, by id
 */
export function* readSummaries(sql: Sql, use: <T>(work: () => T) => T): Generator<Summary> {
  const query = `SELECT id, agent, task_id, status, started_at, failing, content, cost
    FROM traces WHERE id > ? AND detected = 1 ORDER BY id LIMIT ${PAGE}`;
  let after = "";
  for (;;) {
    const [rows, found] = use(() => {
      const page = sql(query).all(after) as SummaryRow[];
      return [page, failuresOf(sql, after, page.at(-1)?.id ?? after)] as const;
    });
    for (const row of rows) yield summaryOf(row, found);
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}

/** The failures of a page of traces as they were written, in one go through the table, which is in the order of the ids. */
function failuresOf(sql: Sql, after: string, last: string): ReadonlyMap<string, string[]> {
  const found = new Map<string, string[]>();
  const rows = sql(
    "SELECT trace, body FROM failures WHERE trace > ? AND trace <= ? ORDER BY trace, place",
  ).all(after, last) as { readonly trace: string; readonly body: string }[];
  for (const { trace, body } of rows) {
    const known = found.get(trace);
    if (known === undefined) found.set(trace, [body]);
    else known.push(body);
  }
  return found;
}

function summaryOf(row: SummaryRow, found: ReadonlyMap<string, string[]>): Summary {
  // Only of failing traces they are asked for.
  const failures = row.failing === 1 ? (found.get(row.id) ?? []) : [];
  return {
    id: row.id,
    agent: row.agent,
    taskId: row.task_id,
    status: row.status as Summary["status"],
    failing: row.failing === 1,
    content: row.content === "" ? row.id : row.content,
    failures: failures.map((body) => JSON.parse(body) as Failure),
    ...(row.started_at === null ? {} : { startedAt: row.started_at }),
    ...(row.cost === null ? {} : { cost: row.cost }),
  };
}
