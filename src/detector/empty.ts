import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import { partsOf } from "./soft-error.ts";

const NOTHING_FOUND =
  /^(?:sorry,? )?(?:there (?:are|were|is|was) )?(?:no|0|zero) (?:\S+ ){0,4}?(?:found|match\w*|results?|hits?|items?|records?|rows?|entries|orders?|data|documents?|files?|messages?|events?|users?)\b.{0,60}$|^nothing (?:was )?found\b|^(?:not found|nothing|none|null|empty|n\/a)[.!]?$|^(?:keine? (?:ergebnisse|treffer|daten)|nichts gefunden|sin resultados|no se encontr\w+|aucun résultat|nessun risultato|nenhum resultado|geen resultaten|brak wyników)(?!\p{L})/iu;
const COUNTS = new Set([
  "count",
  "total",
  "totalcount",
  "total_count",
  "totalresults",
  "total_results",
  "size",
  "length",
  "hits",
  "n",
]);
const LISTS = new Set([
  "results",
  "items",
  "data",
  "hits",
  "matches",
  "rows",
  "records",
  "entries",
  "documents",
  "content",
  "list",
  "orders",
  "files",
]);
const DEEPEST = 4;

/** Whether an answer has nothing in it: null, blank, an empty list, zero hits, or a short text that says so. */
export function isEmpty(data: Json): boolean {
  return empty(data, 0);
}

function empty(data: Json, depth: number): boolean {
  if (data === null) return true;
  if (typeof data === "string") return emptyText(data, depth);
  if (Array.isArray(data)) return data.length === 0;
  return isObject(data) && depth < DEEPEST && emptyObject(data, depth);
}

function emptyText(text: string, depth: number): boolean {
  if (text.length > 400) return false;
  const short = text.trim();
  if (short === "") return true;
  if (/^[[{]/u.test(short) && depth < DEEPEST) {
    const parsed = parse(short);
    return parsed !== undefined && empty(parsed, depth + 1);
  }
  return short.length <= 120 && NOTHING_FOUND.test(short);
}

/** No member holds a list with something in it, a count says zero or a list is empty, and no other member holds content. */
function emptyObject(data: JsonObject, depth: number): boolean {
  const keys = Object.keys(data);
  if (keys.length === 0) return true;
  const parts = partsOf(data);
  if (
    parts !== undefined &&
    Array.isArray(data["content"]) &&
    parts.length === data["content"].length
  ) {
    return parts.every((part) => emptyText(part, depth + 1));
  }
  if (data["found"] === false) return true;
  let sign = false;
  for (const key of keys) {
    const value = data[key] ?? null;
    const name = key.toLowerCase();
    if (Array.isArray(value) || (LISTS.has(name) && (isObject(value) || value === null))) {
      if (!empty(value, depth + 1)) return false;
      sign = true;
    } else if (COUNTS.has(name) && typeof value === "number") {
      if (value !== 0) return false;
      sign = true;
    }
  }
  return sign;
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
