import { existsSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { VitestSnapshotEnvironment } from "vitest/runtime";
import type { BaselineEntry } from "../src/runtime.ts";
import { parseBaseline, writeBaseline } from "../src/baseline/file.ts";
import { messageOf, TwiceshyError } from "../src/shared/error.ts";
import { same, type Json } from "../src/shared/json.ts";
import {
  agentOf,
  baselineFileOf,
  BROKEN,
  idOfKey,
  keyOf,
  stateName,
} from "../src/plugin/baseline-file.ts";
import { parseScript, scriptLine } from "./snapshot-script.ts";

/** What Vitest 5 adds: snapshots as data, so that nothing is evaluated. */
type DataReader = (path: string) => Promise<Record<string, string> | null>;

/**
 * Keeps baseline entries as JSON beside the spec and everything else where Vitest keeps it.
 * Vitest sees both as the snapshots of one file, so its counts, `-u`, CI mode and obsolete list hold for both.
 */
class BaselineEnvironment extends VitestSnapshotEnvironment {
  /** Baseline file by the snapshot file that Vitest asks for. Inline and file snapshots are never in it. */
  readonly #baselines = new Map<string, string>();
  /** Baseline files that could not be read: they are left as they are. */
  readonly #broken = new Set<string>();
  /** What was last told about a snapshot file: Vitest asks again before it saves, and mostly saves the same. */
  readonly #told = new Map<string, Told>();

  override async resolvePath(testFile: string): Promise<string> {
    const path = await super.resolvePath(testFile);
    this.#baselines.set(path, baselineFileOf(testFile));
    return path;
  }

  /** Vitest 4 evaluates the answer, so entries go in as quoted text. */
  override async readSnapshotFile(path: string): Promise<string | null> {
    const own = await super.readSnapshotFile(path);
    const { lines } = this.#tell(path, own !== null);
    if (lines.length === 0) return own;
    return `${own ?? `${this.getHeader()}\n`}\n${lines.join("\n\n")}\n`;
  }

  async readSnapshotFileData(path: string): Promise<Record<string, string> | null> {
    const own = await this.#ownData(path);
    const entries = this.#entriesFor(path);
    if (own === null && Object.keys(entries).length === 0) return null;
    return { ...own, ...entries };
  }

  override async saveSnapshotFile(path: string, text: string): Promise<void> {
    const baseline = this.#baselines.get(path);
    // Snapshots of a file without any entry are Vitest's own business, whatever they look like.
    const ours =
      baseline !== undefined &&
      (text.includes(`${keyOf(stateName(""))}\``) || existsSync(baseline));
    if (!ours) return super.saveSnapshotFile(path, text);
    if (isAsTold(text, this.#told.get(path))) return;
    const lines = parseScript(text, path);
    const own = lines.filter(
      (line) => idOfKey(line.key) === undefined && line.key !== keyOf(BROKEN),
    );
    await this.#saveOwn(
      path,
      own.map((line) => line.source),
    );
    if (!this.#broken.has(baseline)) await saveBaseline(baseline, lines);
  }

  override async removeSnapshotFile(path: string): Promise<void> {
    await super.removeSnapshotFile(path);
    const baseline = this.#baselines.get(path);
    if (baseline !== undefined && !this.#broken.has(baseline)) await rm(baseline, { force: true });
  }

  #tell(path: string, beside: boolean): Told {
    const baseline = this.#baselines.get(path);
    const text = baseline === undefined ? undefined : textOf(baseline);
    const before = this.#told.get(path);
    const lines =
      before !== undefined && before.text === text
        ? before.lines
        : Object.entries(this.#entriesFor(path)).map(([key, value]) => scriptLine(key, value));
    const told = { text, lines, beside };
    this.#told.set(path, told);
    return told;
  }

  #entriesFor(path: string): Record<string, string> {
    const baseline = this.#baselines.get(path);
    const data: Record<string, string> = Object.create(null);
    if (baseline === undefined || !existsSync(baseline)) return data;
    try {
      const { entries } = parseBaseline(readFileSync(baseline, "utf8"), baseline);
      for (const [id, entry] of Object.entries(entries))
        data[keyOf(stateName(id))] = JSON.stringify(entry);
    } catch (thrown) {
      this.#broken.add(baseline);
      const code = TwiceshyError.is(thrown) ? thrown.code : "E_BASELINE_READ";
      data[keyOf(BROKEN)] = JSON.stringify({ code, message: messageOf(thrown) });
    }
    return data;
  }

  async #ownData(path: string): Promise<Record<string, string> | null> {
    const inherited = Reflect.get(VitestSnapshotEnvironment.prototype, "readSnapshotFileData") as
      | DataReader
      | undefined;
    if (inherited !== undefined) return inherited.call(this, path);
    const text = await super.readSnapshotFile(path);
    if (text === null) return null;
    return Object.fromEntries(parseScript(text, path).map((line) => [line.key, line.value]));
  }

  async #saveOwn(path: string, sources: readonly string[]): Promise<void> {
    const before = await super.readSnapshotFile(path);
    if (sources.length === 0) return before === null ? undefined : super.removeSnapshotFile(path);
    const text = `${this.getHeader()}\n\n${sources.join("\n\n")}\n`;
    if (text !== before) await super.saveSnapshotFile(path, text);
  }
}

/** The entries of a baseline as Vitest was given them. */
interface Told {
  /** The baseline file's text; undefined where there is none. */
  readonly text: string | undefined;
  readonly lines: readonly string[];
  /** Whether there are snapshots of Vitest's own in the same answer. */
  readonly beside: boolean;
}

/** Whether Vitest saves what it was told, in whatever order. */
function isAsTold(text: string, told: Told | undefined): boolean {
  if (told === undefined || told.beside) return false;
  const saved = text.slice(text.indexOf("\n\n") + 2).trimEnd();
  const lines = new Set(saved.split("\n\n"));
  return lines.size === told.lines.length && told.lines.every((line) => lines.has(line));
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

async function saveBaseline(
  path: string,
  lines: readonly { readonly key: string; readonly value: string }[],
): Promise<void> {
  const entries: Record<string, BaselineEntry> = Object.create(null);
  for (const { key, value } of lines) {
    const id = idOfKey(key);
    if (id !== undefined) entries[id] = JSON.parse(value) as BaselineEntry;
  }
  const before = existsSync(path) ? parseBaseline(readFileSync(path, "utf8"), path) : undefined;
  if (Object.keys(entries).length === 0) return rm(path, { force: true });
  // Vitest saves whenever something is obsolete; a file in another layout with the same entries stays as it is.
  if (before !== undefined && same(before.entries as Json, entries as Json)) return;
  writeBaseline(path, { formatVersion: 1, agent: before?.agent ?? agentOf(path), entries });
}

export default new BaselineEnvironment();
