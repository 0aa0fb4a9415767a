import { failure, sentence } from "../shared/error.ts";
import { isObject, type Json } from "../shared/json.ts";
import type { RedactRules } from "../shared/redact.ts";
import * as builtin from "./builtin.ts";
import type { FoundFile } from "./files.ts";
import { finish } from "./finish.ts";
import type {
  About,
  Gatherer,
  ImportedTrace,
  Importer,
  Place,
  Problem,
  RawItem,
  ReadOptions,
} from "./importer.ts";
import { placed, problemOf, type RawRecord } from "./raw-record.ts";
import { recordsOf } from "./records.ts";
import type { Siblings } from "./siblings.ts";

/** A module lists its exports by name, in Node at least; so no two formats but the general ones may claim one record. */
const IMPORTERS: readonly Importer[] = Object.freeze(
  Object.values<Importer>(builtin).toSorted((a, b) => rank(a) - rank(b)),
);
const FORMATS = IMPORTERS.map(({ name }) => name).join(", ");
/** A record that belongs to a run which is read elsewhere. */
const ASIDE = "E_RECORD_ASIDE";
/** Unknown records at the start of a file after which it counts as no trace file. */
const MAX_UNKNOWN = 1000;

/** What holds for every file of a reading. */
export interface FileOptions extends Pick<ReadOptions, "agent"> {
  readonly rules: RedactRules;
}

/**
 * The items of one file, in the order of its records.
 * @yields each item
 */
export function* readFile(
  file: FoundFile,
  options: FileOptions,
  siblings: Siblings,
): Generator<RawItem> {
  yield* settled(new FileReading(file, options, siblings).items(), file);
}

function rank({ general }: Importer): number {
  return general === true ? 1 : 0;
}

/** The first importer that recognises a record; `likely` is asked first, which is the same, as no two of those that are not general claim one. */
export function importerOf(record: Json, likely?: Importer): Importer | undefined {
  if (likely !== undefined && likely.general !== true && likely.recognises(record)) return likely;
  return IMPORTERS.find((importer) => importer.recognises(record));
}

/** The items of one file, with the records that nobody knows. */
class FileReading {
  readonly #file: FoundFile;
  readonly #options: FileOptions;
  readonly #siblings: Siblings;
  /** The last record's, by which it is most likely that of the next one. */
  #last: Importer | undefined;
  readonly #gatherers = new Map<Importer, Gatherer>();
  /** A record is told by its format before it is split up, and again when it is read. */
  #told: { readonly value: Json; readonly importer: Importer | undefined } | undefined;

  constructor(file: FoundFile, options: FileOptions, siblings: Siblings) {
    this.#file = file;
    this.#options = options;
    this.#siblings = siblings;
  }

  *items(): Generator<RawItem> {
    let records = 0;
    let last = 0;
    for (const raw of recordsOf(this.#file.path, (value) => this.#tell(value) !== undefined)) {
      records = raw.record + 1;
      for (const item of this.#record(raw)) {
        last = item.record;
        yield item;
      }
    }
    for (const [importer, gatherer] of this.#gatherers) {
      const place = { file: this.#file.path, record: records, format: importer.name };
      for (const late of gatherer.end()) {
        if (typeof late === "function") yield this.#item(place, late);
        // Order is that of the records: a trace that comes late stands behind what was said before it.
        else yield this.#item({ ...place, record: Math.max(late.record, last) }, () => late.read());
      }
    }
  }

  *#record(raw: RawRecord): Generator<RawItem> {
    const place = {
      file: this.#file.path,
      record: raw.record,
      ...(raw.line === undefined ? {} : { line: raw.line }),
      ...(raw.key === undefined ? {} : { key: raw.key }),
    };
    if ("problem" in raw) {
      yield {
        ...place,
        ...(raw.torn
          ? { skipped: placed(place, raw.problem) }
          : { error: placed(place, raw.problem) }),
      };
      return;
    }
    const told = this.#told;
    this.#told = undefined;
    const importer = told?.value === raw.value ? told.importer : this.#tell(raw.value);
    if (importer === undefined) {
      yield { ...place, error: placed(place, unknownFormat(raw.value)) };
      return;
    }
    const about = {
      file: place.file,
      record: raw.record,
      agent: this.#options.agent ?? "agent",
      siblings: this.#siblings,
    };
    const gatherer = this.#gathererOf(importer, about);
    const read = gatherer?.takes(raw.value)
      ? () => gatherer.add(raw.value, about)
      : () => importer.read(raw.value, about);
    const known = { ...place, format: importer.name };
    let found: readonly ImportedTrace[];
    try {
      found = read();
    } catch (thrown) {
      const problem = placed(place, problemOf(thrown));
      yield { ...known, ...(problem.code === ASIDE ? { skipped: problem } : { error: problem }) };
      return;
    }
    for (const imported of found) {
      // What the file calls a record tells more than that its only trace is the first.
      const key = found.length === 1 ? (known.key ?? imported.key) : imported.key;
      yield this.#item(key === undefined ? known : { ...known, key }, () => imported);
    }
  }

  /** One trace, or what is wrong with it. */
  #item(place: Place, read: () => ImportedTrace): RawItem {
    try {
      const { draft, warnings } = read();
      return { ...place, trace: finish(draft, this.#options.rules), warnings };
    } catch (thrown) {
      const problem = placed(place, problemOf(thrown));
      return { ...place, ...(problem.code === ASIDE ? { skipped: problem } : { error: problem }) };
    }
  }

  /** A line that says little of itself belongs to the session that the file has begun. */
  #tell(value: Json): Importer | undefined {
    const importer = this.#openFor(value) ?? importerOf(value, this.#last);
    this.#last = importer ?? this.#last;
    this.#told = { value, importer };
    return importer;
  }

  #openFor(record: Json): Importer | undefined {
    for (const [importer, gatherer] of this.#gatherers) {
      if (gatherer.takes(record)) return importer;
    }
    return undefined;
  }

  #gathererOf(importer: Importer, about: About): Gatherer | undefined {
    const known = this.#gatherers.get(importer);
    if (known !== undefined) return known;
    const fresh = importer.gather?.(about);
    if (fresh !== undefined) this.#gatherers.set(importer, fresh);
    return fresh;
  }
}

/**
 * Holds back the errors at the start of a file until one record is known. A file of a folder in which none is known is
 * no trace file, and is skipped as a whole; the first trace behind a link says so.
 * @yields the items, settled
 */
function* settled(items: Iterable<RawItem>, file: FoundFile): Generator<RawItem> {
  let held: RawItem[] | undefined = [];
  let link = "link" in file ? file.link : undefined;
  for (const item of items) {
    if (held !== undefined && item.format === undefined && held.push(item) < MAX_UNKNOWN) continue;
    if (held !== undefined && item.format === undefined) break;
    if (held !== undefined) yield* held;
    held = undefined;
    if (link !== undefined && "trace" in item) {
      yield {
        ...item,
        warnings: [`the file is a link, which was followed to ${link}`, ...item.warnings],
      };
      link = undefined;
    } else yield item;
  }
  if (held !== undefined) yield* unknownFile(held, file);
}

/**
 * What is said about a file without a known record.
 * @yields one item for the file, or one for each record
 */
function* unknownFile(held: readonly RawItem[], file: FoundFile): Generator<RawItem> {
  const foreign = held.some((item) => "error" in item && item.error.code === "E_RECORD_FORMAT");
  if (held.length > 0 && held.length < MAX_UNKNOWN && (file.named || !foreign)) {
    yield* held;
    return;
  }
  const count = held.length < MAX_UNKNOWN ? String(held.length) : `first ${held.length}`;
  const { code, message } = failure("E_FILE_FORMAT", {
    to: `read traces from ${file.path}`,
    because:
      held.length === 0
        ? "it holds no record"
        : `none of its ${count} records is a trace of a known format`,
    fix: `Known are ${FORMATS}`,
  });
  const problem = { code, message };
  yield { file: file.path, record: 0, ...(file.named ? { error: problem } : { skipped: problem }) };
}

function unknownFormat(record: Json): Problem {
  const keys = isObject(record) ? Object.keys(record).sort().slice(0, 8) : [];
  const shape = isObject(record)
    ? `an object with ${keys.length === 0 ? "no member" : keys.join(", ")}`
    : Array.isArray(record)
      ? "a list"
      : `a bare ${record === null ? "null" : typeof record}`;
  const tests =
    isObject(record) && Object.hasOwn(record, "mocks") && Object.hasOwn(record, "assertions");
  const message = sentence({
    to: "tell the format of the record",
    because: tests ? "it is an exported test, not a trace" : `it is ${shape}`,
    fix: `Known are ${FORMATS}`,
  });
  return { code: "E_RECORD_FORMAT", message };
}
