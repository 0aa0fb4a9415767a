import { isObject, type Json } from "../shared/json.ts";
import { own } from "./member.ts";

const ISO =
  /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?\s*(?:Z|UTC|([+-])(\d\d):?(\d\d))?$/;
const DIGITS = /^\d{9,20}(?:\.\d+)?$/;
const MINUTE = 60_000;
const DAY = 86_400_000;

/**
 * Epoch milliseconds of a time in any form that traces have: ISO text (one without a zone is taken as UTC), or a number, also
 * as a text or a long integer, of seconds, milliseconds, microseconds or nanoseconds, told by its size; or `[seconds, nanoseconds]`.
 * Undefined for anything else.
 */
export function epochMs(value: Json | undefined): number | undefined {
  if (typeof value === "number") return scaled(value);
  if (typeof value === "string") {
    return DIGITS.test(value) ? scaled(Number(value)) : isoMs(value.trim());
  }
  if (Array.isArray(value)) {
    const [seconds, nanoseconds] = value;
    return typeof seconds === "number" && typeof nanoseconds === "number"
      ? scaled(seconds + nanoseconds / 1e9)
      : undefined;
  }
  const long = isObject(value) && own(value, "$t") === "bigint" ? own(value, "v") : undefined;
  return typeof long === "string" && DIGITS.test(long) ? scaled(Number(long)) : undefined;
}

/** Milliseconds between two times; undefined when one is missing or they run backwards. */
export function between(start: number | undefined, end: number | undefined): number | undefined {
  if (start === undefined || end === undefined || end < start) return undefined;
  return Math.round((end - start) * 1000) / 1000;
}

/** A number of this size is a time of our days in one unit only. */
function scaled(value: number): number | undefined {
  if (!(value > 1e8) || value > 1e20) return undefined;
  if (value > 1e17) return value / 1e6;
  if (value > 1e14) return value / 1e3;
  return value > 1e11 ? value : value * 1e3;
}

function isoMs(text: string): number | undefined {
  const found = ISO.exec(text);
  if (found === null) return undefined;
  const part = (place: number): number => Number(found[place] ?? 0);
  if (part(2) < 1 || part(2) > 12 || part(3) < 1 || part(3) > 31 || part(4) > 24) return undefined;
  const shift = (found[8] === "-" ? -1 : 1) * (part(9) * 60 + part(10));
  const fraction = Number(`0.${found[7] ?? "0"}`) * 1000;
  const clock = (part(4) * 60 + part(5) - shift) * MINUTE + part(6) * 1000 + fraction;
  return daysSinceEpoch(part(1), part(2), part(3)) * DAY + clock;
}

/** Days from 1970-01-01 in the Gregorian calendar; years begin in March, so that a leap day is the last of its year. */
function daysSinceEpoch(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const ofEra = y - era * 400;
  const ofYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  return (
    era * 146_097 + ofEra * 365 + Math.floor(ofEra / 4) - Math.floor(ofEra / 100) + ofYear - 719_468
  );
}
