const ISO =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?:(Z)|([+-])(\d{2}):?(\d{2}))?)?$/u;
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const MINUTE_MS = 60_000;

/**
 * The moment that an ISO 8601 text names, in epoch milliseconds; undefined for any other text. Without a zone it is UTC, so that
 * a check says the same on every machine.
 */
export function momentOf(text: string): number | undefined {
  const parts = ISO.exec(text);
  if (parts === null) return undefined;
  const number = (at: number): number => Number(parts[at] ?? 0);
  const [year, month, day] = [number(1), number(2), number(3)];
  const [hour, minute, second] = [number(4), number(5), number(6)];
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return undefined;
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const ms = Number(`0.${parts[7] ?? "0"}`) * 1000;
  const offset = (parts[9] === "-" ? -1 : 1) * (number(10) * 60 + number(11));
  const minutes = (daysBefore(year, month) + day - 1) * 1440 + hour * 60 + minute - offset;
  return minutes * MINUTE_MS + second * 1000 + ms;
}

function isLeap(year: number): boolean {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
}

function daysIn(year: number, month: number): number {
  return (DAYS[month - 1] ?? 0) + (month === 2 && isLeap(year) ? 1 : 0);
}

/** Days from 1970-01-01 to the first of a month. */
function daysBefore(year: number, month: number): number {
  const past = year - 1;
  const leaps = Math.floor(past / 4) - Math.floor(past / 100) + Math.floor(past / 400);
  let days = past * 365 + leaps - 719_162;
  for (let earlier = 1; earlier < month; earlier++) days += daysIn(year, earlier);
  return days;
}
