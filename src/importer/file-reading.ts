import { failure } from "../shared/error.ts";
import { isObject, type Json } from "../shared/json.ts";
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
  ReadItem,
  ReadOptions,
} from "./importer.ts";
import { placed, problemOf, recordsOf, type RawRecord } from "./records.ts";

const IMPORTERS: readonly Importer[] = Object.freeze(Object.values(builtin));
const FORMATS = IMPORTERS.map(({ name }) => name).join(", ");
/** Unknown records at the start of a file after which it counts as no trace file. */
const MAX_UNKNOWN = 1000;

/**
 * The items of one file, in the order of its records.
 * @yields each item
 */
export function* readFile(file: FoundFile, options: ReadOptions): Generator<ReadItem> {
  yield* settled(new FileReading(file, options).items(), file);
}

/** The first importer that recognises a record. */
export function importerOf(record: Json): Importer | undefined {
  return IMPORTERS.find((importer) => importer.recognises(record));
}

/** The items of one file, with the records that nobody knows. */
class FileReading {
  readonly #file: FoundFile;
  readonly #options: ReadOptions;
  readonly #gatherers = new Map<Importer, Gatherer>();

  constructor(file: FoundFile, options: ReadOptions) {
    this.#file = file;
    this.#options = options;
  }

  *items(): Generator<ReadItem> {
    let records = 0;
    for (const raw of recordsOf(this.#file.path, (value) => importerOf(value) !== undefined)) {
      records = raw.record + 1;
      yield* this.#record(raw);
    }
    for (const [importer, gatherer] of this.#gatherers) {
      const place = { file: this.#file.path, record: records, format: importer.name };
      for (const read of gatherer.end()) yield this.#item(place, read);
    }
  }

  *#record(raw: RawRecord): Generator<ReadItem> {
    const place = {
      file: this.#file.path,
      record: raw.record,
      ...(raw.line === undefined ? {} : { line: raw.line }),
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
    const importer = importerOf(raw.value);
    if (importer === undefined) {
      yield { ...place, error: placed(place, unknownFormat(raw.value)) };
      return;
    }
    const about = { file: place.file, record: raw.record, agent: this.#options.agent ?? "agent" };
    const gatherer = this.#gathererOf(importer, about);
    const read = gatherer?.takes(raw.value)
      ? () => gatherer.add(raw.value, about)
      : () => importer.read(raw.value, about);
    const known = { ...place, format: importer.name };
    let found: readonly ImportedTrace[];
    try {
      found = read();
    } catch (thrown) {
      yield { ...known, error: placed(place, problemOf(thrown)) };
      return;
    }
    for (const imported of found) yield this.#item(known, () => imported);
  }

  /** One trace, or what is wrong with it. */
  #item(place: Place, read: () => ImportedTrace): ReadItem {
    try {
      const { draft, warnings } = read();
      return { ...place, trace: finish(draft, this.#options.redact ?? {}), warnings };
    } catch (thrown) {
      return { ...place, error: placed(place, problemOf(thrown)) };
    }
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
function* settled(items: Iterable<ReadItem>, file: FoundFile): Generator<ReadItem> {
  let held: ReadItem[] | undefined = [];
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
function* unknownFile(held: readonly ReadItem[], file: FoundFile): Generator<ReadItem> {
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
  return failure("E_RECORD_FORMAT", {
    to: "tell the format of the record",
    because: tests ? "it is an exported test, not a trace" : `it is ${shape}`,
    fix: `Known are ${FORMATS}`,
  });
}
