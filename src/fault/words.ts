import { sha256 } from "../shared/hash.ts";
import { canonical } from "../shared/json.ts";
import { oneLine } from "../shared/text.ts";
import type { Fault } from "./fault.ts";
import { faultTypes } from "./known.ts";
import { rangeOf } from "./selection.ts";

/** A fault in words, for titles and messages: "lost confirmation of reserve_slot, 2nd call". The first call goes without saying. */
export function sayFault(fault: Fault): string {
  const type = faultTypes().get(fault.type);
  const tool = oneLine(fault.tool, 80);
  if (type === undefined) return `${oneLine(fault.type, 60)} of ${tool}`;
  const { from, to, per } = rangeOf(fault, type);
  const calls = to > from ? `${nth(from)} to ${nth(to)} call` : `${nth(from)} call`;
  const { match } = fault;
  const qualities = [
    ...(per === "arguments" ? ["with equal arguments"] : []),
    ...(match === undefined ? [] : [`with ${oneLine(canonical(match), 60)}`]),
  ].join(" ");
  const which = to === 1 && qualities === "" ? "" : `, ${calls}`;
  return `${type.label} ${type.before ?? "of"} ${tool}${which}${qualities === "" ? "" : ` ${qualities}`}`;
}

/**
 * A fault as a part of a scenario's id, in letters, digits, `-` and `_`: "reserve_slot-timeout_after", with "-2" for the second
 * occurrence and "-2x3" for three in a row. A tool's name that has other characters, or is long, ends with a digest.
 */
export function faultId(fault: Fault): string {
  const type = faultTypes().get(fault.type);
  const occurrence = fault.occurrence ?? type?.occurrence ?? 1;
  const repeat = fault.repeat ?? 1;
  const first = occurrence === (type?.occurrence ?? 1) && repeat === 1;
  const row = repeat === 1 ? "" : `x${repeat}`;
  return `${idOf(fault.tool, 60)}-${idOf(fault.type, 40)}${first ? "" : `-${occurrence}${row}`}`;
}

function idOf(name: string, max: number): string {
  if (name.length <= max && /^[\w-]+$/.test(name)) return name;
  const safe = name.slice(0, max - 9).replaceAll(/[^\w-]/g, "-");
  return `${safe}-${sha256(name, 8)}`;
}

/** 1st, 2nd, 3rd, 4th, 11th ... */
export function nth(count: number): string {
  const tens = count % 100;
  if (tens >= 11 && tens <= 13) return `${count}th`;
  return `${count}${["th", "st", "nd", "rd"][count % 10] ?? "th"}`;
}

/** once, twice, 3 times ... */
export function times(count: number): string {
  return ["never", "once", "twice"][count] ?? `${count} times`;
}
