import { sha256 } from "../shared/hash.ts";
import { canonical, type Json, same } from "../shared/json.ts";
import type { Trace } from "../trace/trace.ts";
import type { Statement } from "./driver.ts";
import { insertFailures, isFailing } from "./looks.ts";
import type { Look } from "./store.ts";

type Sql = (text: string) => Statement;

/** What was added so far. */
export interface Total {
  added: number;
  known: number;
  extended: number;
  readonly renamed: string[];
}

/** A trace on its way into the store. */
export interface Incoming {
  readonly columns: Columns;
  readonly body: string;
  readonly hash: string;
  readonly look: Look | undefined;
}

type Columns = Pick<
  Trace,
  "id" | "agent" | "agentVersion" | "taskId" | "source" | "status" | "startedAt"
> & { readonly steps: number };

export function columnsOf(trace: Trace): Columns {
  const { id, agent, agentVersion, taskId, source, status, startedAt, steps } = trace;
  return { id, agent, agentVersion, taskId, source, status, startedAt, steps: steps.length };
}

/** Adds a trace, or finds that it is known; the caller holds the transaction. */
export function addOne(sql: Sql, incoming: Incoming, total: Total): void {
  const { id } = incoming.columns;
  // Most are new, so it is tried before anything is asked.
  if (insert(sql, incoming)) {
    total.added += 1;
    return;
  }
  if (hashOf(sql, id) === incoming.hash) {
    total.known += 1;
    return;
  }
  const stored = String(sql("SELECT body FROM traces WHERE id = ?").pluck().get(id));
  const [before, trace] = [JSON.parse(stored), JSON.parse(incoming.body)] as [Trace, Trace];
  if (equal(before, trace) || begins(trace, before)) total.known += 1;
  else if (begins(before, trace)) {
    sql("DELETE FROM traces WHERE id = ?").run(id);
    insert(sql, incoming);
    total.extended += 1;
  } else addTwin(sql, incoming, total);
}

/** Another trace of a known id: kept beside it under an id of its content. */
function addTwin(sql: Sql, incoming: Incoming, total: Total): void {
  const trace = JSON.parse(incoming.body) as Trace;
  const id = `${trace.id}-${sha256(canonical(trace as unknown as Json), 8)}`;
  if (hashOf(sql, id) !== undefined) {
    total.known += 1;
    return;
  }
  const body = JSON.stringify({ ...trace, id });
  const columns = { ...incoming.columns, id };
  insert(sql, { ...incoming, columns, body, hash: sha256(body) });
  total.added += 1;
  total.renamed.push(trace.id);
}

/** Writes a trace and what was found in it; false when its id is taken. */
function insert(sql: Sql, { columns, body, hash, look }: Incoming): boolean {
  const { changes } = sql(`INSERT OR IGNORE INTO traces
    (id, hash, agent, agent_version, task_id, source, status, started_at, steps, detected, body, failing, content, cost)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`).run(
    columns.id,
    hash,
    columns.agent,
    columns.agentVersion,
    columns.taskId,
    columns.source,
    columns.status,
    columns.startedAt ?? null,
    columns.steps,
    look === undefined ? 0 : 1,
    body,
    look !== undefined && isFailing(look.failures) ? 1 : 0,
    look?.content ?? "",
    look?.cost ?? null,
  );
  if (changes === 0) return false;
  if (look !== undefined) insertFailures(sql, columns.id, look.failures);
  return true;
}

export function hashOf(sql: Sql, id: string): string | undefined {
  return sql("SELECT hash FROM traces WHERE id = ?").pluck().get(id) as string | undefined;
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
