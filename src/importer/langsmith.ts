import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import type { About, Gatherer, ImportedTrace, Importer, Late } from "./importer.ts";
import { keyed } from "./keyed.ts";
import { flattened, merged, runId, spanOf, traceKey } from "./langsmith-run.ts";
import { maybe, objectIn, objectsIn, own, textIn } from "./member.ts";
import { spanTrace } from "./span-trace.ts";

const TYPES = new Set(["chain", "llm", "tool", "retriever", "prompt", "parser", "embedding"]);

/**
 * LangSmith: the lines that its SDK writes (`{operation, …}`), the bodies that it sends (`{post, patch}`), and exports: a run, a list
 * of runs, `{runs}`, runs inside runs. The times of its JavaScript and Python forms are both read.
 */
export const langsmith: Importer = {
  name: "langsmith",

  recognises(record: Json): boolean {
    if (Array.isArray(record)) return record.length > 0 && record.every((run) => isRun(run));
    if (!isObject(record)) return false;
    if (isRun(record) || isHalf(record)) return true;
    const runs = own(record, "runs");
    if (Array.isArray(runs)) return runs.length > 0 && runs.every((run) => isRun(run));
    return isBody(record);
  },

  read(record: Json, about: About): readonly ImportedTrace[] {
    const gathering = new Gathering();
    gathering.add(record, about.record);
    const found = gathering.traces(about.agent).map((late) => late.read());
    return keyed(found);
  },

  gather: ({ agent }): Gatherer => {
    const gathering = new Gathering();
    return {
      // What holds whole traces is read at once; halves and single runs wait for the rest of theirs.
      takes: (record) =>
        isObject(record) &&
        !Object.hasOwn(record, "runs") &&
        (isHalf(record) || isBody(record) || isSpread(record)),
      add: (record, about) => {
        gathering.add(record, about.record);
        return [];
      },
      end: () => gathering.traces(agent),
    };
  },
};

function isRun(value: Json): boolean {
  if (!isObject(value) || !TYPES.has(textIn(value, "run_type") ?? "")) return false;
  return ["trace_id", "dotted_order", "parent_run_id", "child_runs", "inputs", "session_id"].some(
    (key) => Object.hasOwn(value, key),
  );
}

function isHalf(record: JsonObject): boolean {
  const operation = textIn(record, "operation");
  const named =
    Object.hasOwn(record, "trace_id") ||
    Object.hasOwn(record, "dotted_order") ||
    Object.hasOwn(record, "run_type");
  return (operation === "post" || operation === "patch") && named;
}

function isBody(record: JsonObject): boolean {
  const halves = [...objectsIn(record, "post"), ...objectsIn(record, "patch")];
  const lists = [own(record, "post") ?? [], own(record, "patch") ?? []].every((list) =>
    Array.isArray(list),
  );
  return (
    lists &&
    halves.length > 0 &&
    halves.every((half) => traceKey(half) !== undefined || Object.hasOwn(half, "run_type"))
  );
}

/** Whether a run is one of many lines: it holds no other and names a trace. */
function isSpread(record: JsonObject): boolean {
  return traceKey(record) !== undefined && objectsIn(record, "child_runs").length === 0;
}

interface Half {
  readonly first: JsonObject;
  readonly second: JsonObject;
}

/** Runs by trace, while they come in. */
class Gathering {
  readonly #traces = new Map<string, { runs: Map<string, Half>; record: number }>();
  #unnamed = 0;

  add(record: Json, place: number): void {
    if (Array.isArray(record)) this.#runs(record, place);
    else if (!isObject(record)) return;
    else if (Object.hasOwn(record, "runs")) this.#runs(objectsIn(record, "runs"), place);
    else if (isHalf(record) || isRun(record))
      this.#runs([record], place, textIn(record, "operation") === "patch");
    else {
      this.#runs(objectsIn(record, "post"), place);
      this.#runs(objectsIn(record, "patch"), place, true);
    }
  }

  #runs(list: readonly Json[], place: number, second = false): void {
    for (const top of list) {
      if (!isObject(top)) continue;
      const runs = flattened([top]);
      const named = runs.map((run) => traceKey(run)).find((key) => key !== undefined);
      const key = named ?? this.#keyOf(runs[0] ?? {});
      const trace = this.#traces.get(key) ?? { runs: new Map<string, Half>(), record: place };
      this.#traces.set(key, trace);
      for (const run of runs) {
        const id = runId(run) ?? "";
        const known = trace.runs.get(id) ?? { first: {}, second: {} };
        trace.runs.set(
          id,
          second
            ? { ...known, second: merged(known.second, run) }
            : { ...known, first: merged(known.first, run) },
        );
      }
    }
  }

  /** A run without the name of its trace belongs to its parent's, when that is there. */
  #keyOf(run: JsonObject): string {
    const parent = textIn(run, "parent_run_id");
    for (const [key, { runs }] of this.#traces) {
      if (parent !== undefined && runs.has(parent)) return key;
    }
    return `unnamed ${this.#unnamed++}`;
  }

  traces(agent: string): Exclude<Late, () => ImportedTrace>[] {
    return [...this.#traces].map(([id, { runs, record }]) => ({
      record,
      read: () => {
        const whole = [...runs.values()].map(({ first, second }) => merged(first, second));
        return traceOf(whole, id, agent);
      },
    }));
  }
}

function traceOf(runs: readonly JsonObject[], id: string, agent: string): ImportedTrace {
  const ids = new Set(runs.map((run) => runId(run)));
  const root = runs.find((run) => {
    const parent = textIn(run, "parent_run_id");
    return parent === undefined || !ids.has(parent);
  });
  const chain =
    root !== undefined && textIn(root, "run_type") !== "llm" ? textIn(root, "name") : undefined;
  const elsewhere = runs.filter(
    (run) => isElsewhere(run, "inputs") || isElsewhere(run, "outputs"),
  ).length;
  const metadata = objectIn(objectIn(root ?? {}, "extra"), "metadata");
  return spanTrace({
    format: "langsmith",
    spans: runs.map((run) => spanOf(run)),
    agent: chain ?? agent,
    meta: {
      ...(id.startsWith("unnamed ") ? {} : { trace_id: id }),
      ...maybe(
        "session",
        root === undefined
          ? undefined
          : (textIn(root, "session_name") ?? textIn(root, "session_id")),
      ),
      ...maybe("thread_id", textIn(metadata, "thread_id")),
      ...maybe(
        "reference_example_id",
        root === undefined ? undefined : textIn(root, "reference_example_id"),
      ),
      ...(root === undefined ? {} : maybe("feedback_stats", present(own(root, "feedback_stats")))),
    },
    truncated: elsewhere === 0 ? undefined : "stored_elsewhere",
    warnings: [...orphanWarnings(runs, ids), ...elsewhereWarnings(elsewhere)],
  });
}

/** What tells that an export is not whole: runs whose parent is missing, and several runs without one. */
function orphanWarnings(
  runs: readonly JsonObject[],
  ids: ReadonlySet<string | undefined>,
): string[] {
  const parents = runs.map((run) => textIn(run, "parent_run_id"));
  const lost = parents.filter((parent) => parent !== undefined && !ids.has(parent)).length;
  const tops = parents.filter((parent) => parent === undefined).length;
  return [
    ...(lost === 0
      ? []
      : [
          `${lost === 1 ? "1 run names a parent" : `${lost} runs name parents`} that the record does not hold`,
        ]),
    ...(tops < 2
      ? []
      : [`${tops} runs have no parent: what the first was asked and answered is taken`]),
  ];
}

function elsewhereWarnings(count: number): string[] {
  if (count === 0) return [];
  return [`the contents of ${count} runs are stored elsewhere, behind links that are not followed`];
}

/** Whether a member is kept behind a link instead of in the export. */
function isElsewhere(run: JsonObject, key: "inputs" | "outputs"): boolean {
  const links = objectIn(run, `${key}_s3_urls`);
  return Object.keys(links).length > 0 && Object.keys(objectIn(run, key)).length === 0;
}

function present(value: Json | undefined): Json | undefined {
  return value === null ? undefined : value;
}
