import { sha256 } from "../shared/hash.ts";
import { isObject } from "../shared/json.ts";
import type { Embedder } from "./embedder.ts";

/** Named with every change of what makes texts alike: what an earlier version found is then found anew. */
const RULES = 1;

/**
 * Which texts were found alike before, by the digest of all that were compared. Never more than a saving of time: the texts
 * of a digest always give the same groups.
 */
export interface Memo {
  /** For each text, in their order, the place of the first text of its group. */
  get(key: string): readonly number[] | undefined;
  keep(key: string, firsts: readonly number[]): void;
}

/** Names the sorted texts that are compared, and how. */
export function memoKey(
  texts: readonly string[],
  threshold: number,
  { name, dimensions }: Embedder,
): string {
  return sha256(`${String(RULES)} ${name} ${dimensions} ${threshold}\n${texts.join("\n")}`, 32);
}

/** Where small texts are kept by name; a store is one. */
export interface Notes {
  note(name: string): string | undefined;
  keepNote(name: string, value: string): void;
}

/** A memo that is kept under a name. `save` keeps what was asked for since it was opened, and forgets the rest. */
export function openMemo(notes: Notes, name: string): Memo & { save(): void } {
  const before = read(notes.note(name));
  const used = new Map<string, readonly number[]>();
  return {
    get(key) {
      const firsts = used.get(key) ?? before.get(key);
      if (firsts !== undefined) used.set(key, firsts);
      return firsts;
    },
    keep(key, firsts) {
      used.set(key, firsts);
    },
    save() {
      const isSame = used.size === before.size && [...used.keys()].every((key) => before.has(key));
      if (!isSame) notes.keepNote(name, JSON.stringify(Object.fromEntries(used)));
    },
  };
}

/** What cannot be read was never found. */
function read(text: string | undefined): Map<string, readonly number[]> {
  try {
    const kept: unknown = JSON.parse(text ?? "{}");
    if (!isObject(kept)) return new Map();
    return new Map(
      Object.entries(kept).flatMap(([key, firsts]) => (isFirsts(firsts) ? [[key, firsts]] : [])),
    );
  } catch {
    return new Map();
  }
}

function isFirsts(value: unknown): value is number[] {
  return (
    Array.isArray(value) &&
    value.every(
      (first, place) =>
        Number.isInteger(first) && first >= 0 && value[first] === first && first <= place,
    )
  );
}
