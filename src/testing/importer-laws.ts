import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, extname, join } from "node:path";
import { readTraces, type ReadItem } from "../importer/importer.ts";
import { byCodeUnit } from "../shared/json.ts";
import { traceSchema } from "../trace/trace.ts";
import type { TraceText } from "./mutants.ts";

const READABLE: ReadonlySet<string> = new Set([".json", ".jsonl", ".traj", ".txt"]);
/** CPU time that one record may take. */
const RECORD_MS = 1000;

/** The files of traces in a folder, at any depth, in the order of their names; what lies at its top tells about them. */
export function samplesIn(folder: string): TraceText[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => READABLE.has(extname(name)) && dirname(name) !== ".")
    .sort(byCodeUnit)
    .map((name) => ({ name, text: readFileSync(join(folder, name), "utf8") }));
}

/** What the readings cost. */
export interface Cost {
  readonly records: number;
  readonly traces: number;
  /** CPU time of the slowest record. */
  readonly slowestMs: number;
}

/**
 * Reads changed samples where the sample lay, beside the other files of its run.
 * @public to the programs that tests build
 */
export class MutantReader {
  cost: Cost = { records: 0, traces: 0, slowestMs: 0 };
  readonly #home = mkdtempSync(join(tmpdir(), "twiceshy-mutants-"));
  readonly #samples: ReadonlyMap<string, string>;

  constructor(samples: readonly TraceText[]) {
    this.#samples = new Map(samples.map(({ name, text }) => [name, text]));
    for (const sample of samples) this.#write(sample);
  }

  /** Every law of reading that this text breaks. */
  brokenBy({ name, text }: TraceText): string[] {
    this.#write({ name, text });
    try {
      return this.#read(name);
    } finally {
      this.#write({ name, text: this.#samples.get(name) ?? "" });
    }
  }

  close(): void {
    rmSync(this.#home, { recursive: true, force: true });
  }

  #read(name: string): string[] {
    const broken: string[] = [];
    let count = 0;
    let before = process.cpuUsage();
    try {
      for (const item of readTraces([join(this.#home, name)])) {
        const { user, system } = process.cpuUsage(before);
        const ms = (user + system) / 1000;
        this.#count(item, ms);
        if (ms > RECORD_MS) broken.push(`record ${item.record} took ${Math.round(ms)} ms`);
        broken.push(...brokenIn(item, name));
        count += 1;
        before = process.cpuUsage();
      }
    } catch (thrown) {
      broken.push(thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown));
    }
    if (count === 0) broken.push("there is neither a trace nor a reason");
    return broken;
  }

  #count(item: ReadItem, ms: number): void {
    const { records, traces, slowestMs } = this.cost;
    this.cost = {
      records: records + 1,
      traces: traces + ("trace" in item ? 1 : 0),
      slowestMs: Math.max(slowestMs, ms),
    };
  }

  #write({ name, text }: TraceText): void {
    const path = join(this.#home, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}

function brokenIn(item: ReadItem, name: string): string[] {
  if (!("trace" in item)) {
    const { code, message } = "error" in item ? item.error : item.skipped;
    // An importer that fails in a way of its own has not seen what may stand in a file.
    const unforeseen =
      code === "E_RECORD_READ" || (code === "E_RECORD_SCHEMA" && item.format !== "twiceshy");
    if (unforeseen || !/^E_(?:RECORD|FILE)_/.test(code)) return [`${code}: ${message}`];
    return message.includes(name) ? [] : [`no file is named: ${message}`];
  }
  const { trace } = item;
  const problem = traceSchema.safeParse(trace).error;
  if (problem !== undefined) return [`no trace of the schema: ${problem.message}`];
  return trace.steps.some(({ index }, place) => index !== place) ? ["steps out of order"] : [];
}
