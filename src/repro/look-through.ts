import type { Json } from "../shared/json.ts";
import { isPlainJson } from "../shared/parse.ts";
import { openRules, redactorBy, type RedactOptions } from "../shared/redact.ts";
import { readStamped, type CheckedNotes, type Note } from "./checked.ts";
import { contentHash } from "./hash.ts";
import { LIMITS, parseRepros } from "./load.ts";
import type { ReprosFile } from "./repro.ts";

/** Looks through a repros file: hashes each repro, and looks for what redaction would replace. Throws as `loadRepros` does. */
export function lookThrough(path: string, redact: RedactOptions, { rules }: CheckedNotes): Note {
  const { text, stamp } = readStamped(path);
  const { blobs, repros } = parseRepros(path, text) as unknown as ReprosFile;
  const all = openRules(redact);
  // A user's pattern has a time limit, so what it says now need not be what it says next time.
  const isClean = (json: Json): boolean => all.steady && redactorBy(all).value(json) === json;
  const cleanBlobs = isClean(blobs);
  const found = repros.map((repro): [string, [string, boolean]] => [
    repro.id,
    [contentHash(repro, blobs), cleanBlobs && isClean(repro as unknown as Json)],
  ]);
  const plain = isPlainJson(text, LIMITS);
  return { path, stamp, rules, plain, repros: Object.fromEntries(found) };
}
