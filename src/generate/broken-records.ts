import type { Problem } from "../importer/importer.ts";
import type { Noted } from "./ingest.ts";

/** Records of one file that are named; a log of something else may have a million lines. */
const NAMED = 1000;

interface BrokenFile {
  readonly named: Noted[];
  count: number;
  /** Where the first stands that is not named. */
  more?: Omit<Noted, "message">;
}

/** The records that could not be read: all are counted, and of each file the first thousand are named. */
export class BrokenRecords {
  readonly #files = new Map<string, BrokenFile>();

  add(place: Omit<Noted, "message">, problem: Problem): void {
    const file = this.#files.get(place.file) ?? { named: [], count: 0 };
    this.#files.set(place.file, file);
    file.count += 1;
    if (file.count <= NAMED) file.named.push({ ...place, ...problem });
    else file.more ??= place;
  }

  /** What is known of the files but these. */
  without(files: ReadonlySet<string>): { readonly broken: Noted[]; readonly unread: number } {
    const rest = [...this.#files].filter(([file]) => !files.has(file)).map(([, held]) => held);
    return {
      broken: rest.flatMap(({ named, count, more }) =>
        more === undefined ? named : [...named, moreOf(more, count - NAMED)],
      ),
      unread: rest.reduce((sum, { count }) => sum + count, 0),
    };
  }
}

function moreOf(place: Omit<Noted, "message">, count: number): Noted {
  const records = `${count} more ${count === 1 ? "record" : "records"}`;
  return {
    ...place,
    code: "E_RECORD_MORE",
    message: `${place.file}: ${records} could not be read. Run "twiceshy detect" on the file with --json to see each.`,
  };
}
