import { canonical, isObject, same, type Json, type JsonObject } from "../shared/json.ts";
import { clip } from "../shared/text.ts";
import type { Step } from "../trace/trace.ts";
import { entriesOf, type Call } from "./calls.ts";
import type { Detector, Finding } from "./detector.ts";
import { isTelling, leavesOf, wordsIn, wordsOf } from "./leaves.ts";
import type { TraceView } from "./view.ts";

/** Fruitless attempts that are too many, as a multiple of the repeats that make a loop. */
const ATTEMPTS = 2;
/** Pages that are too many when no end is in sight. */
const PAGES = 20;
const PAGE_NAME =
  /^(?:page|pagenumber|pageno|pageindex|pagetoken|offset|skip|start|startindex|from|after|cursor|nexttoken|token|seite|página|pagina|strona)$/iu;
const END_NAMES = ["has_more", "hasMore", "has_next", "hasNext", "more", "hasNextPage"];

/** Ever new calls that lead nowhere. */
export const noProgress: Detector = {
  kind: "no_progress",
  detector: "heuristic",
  summary:
    "A tool was asked again and again in other words and found nothing each time, or was paged without an end.",
  excusedWhenPassed: true,
  detect(view, { loopRepeat = 3 }) {
    const attempts = ATTEMPTS * Math.max(2, loopRepeat);
    return [...fruitless(view, attempts), ...paging(view)];
  },
};

/** Tools whose last calls, each with other arguments that the agent made up, all gave nothing. */
function fruitless({ trace, calls }: TraceView, attempts: number): Finding[] {
  if (calls.length < attempts || !isOneOften(calls, attempts)) return [];
  const long = streaksOf(trace.steps, calls).filter((streak) => streak.length >= attempts);
  if (long.length === 0) return [];
  const isGiven = givenIn(trace.task, calls);
  return long.flatMap((streak) => {
    const invented = streak.filter((call) => !isGiven(call));
    const sixth = invented[attempts - 1];
    if (sixth === undefined) return [];
    const message = `${sixth.tool} was tried in ${invented.length} different ways and gave nothing each time.`;
    return [
      {
        severity: "medium" as const,
        tool: sixth.tool,
        step: sixth.at,
        message: clip(message, 500),
      },
    ];
  });
}

/** Whether some tool was called so many times; in most runs none was, and nothing else need be looked at. */
function isOneOften(calls: readonly Call[], attempts: number): boolean {
  const counts = new Map<string, number>();
  return calls.some(({ tool }) => {
    const count = (counts.get(tool) ?? 0) + 1;
    counts.set(tool, count);
    return count >= attempts;
  });
}

/** For each tool its last different calls without a result; what changes something or what the user says begins anew. */
function streaksOf(steps: readonly Step[], calls: readonly Call[]): Call[][] {
  const streaks = new Map<
    string,
    { readonly calls: Map<string, Call>; batch: number | undefined }
  >();
  const byPlace = new Map(calls.map((call) => [call.at, call]));
  for (const [at, step] of steps.entries()) {
    const call = byPlace.get(at);
    if (step.kind === "input" || (call?.effect === "write" && call.worked)) streaks.clear();
    if (call === undefined || call.effect === "write") continue;
    const streak = streaks.get(call.tool) ?? { calls: new Map<string, Call>(), batch: undefined };
    const inBatch = call.step.batch !== undefined && call.step.batch === streak.batch;
    streak.batch = call.step.batch;
    if (!isFruitless(call)) streak.calls.clear();
    else if (!inBatch && !streak.calls.has(call.key)) streak.calls.set(call.key, call);
    streaks.set(call.tool, streak);
  }
  return Array.from(streaks.values(), (streak) => Array.from(streak.calls.values()));
}

/** Void is a good answer of a tool that does something; an empty list or "not found" is none. */
function isFruitless(call: Call): boolean {
  if (call.error !== undefined) return true;
  const data = call.step.result?.ok === true ? call.step.result.data : null;
  return call.empty && (call.effect === "read" || (data !== null && data !== ""));
}

/** Whether a call only goes through what the task or an earlier answer listed. */
function givenIn(task: Json, calls: readonly Call[]): (call: Call) => boolean {
  const places = new Map<string, number>();
  for (const call of calls) {
    const data = call.step.result?.ok === true ? call.step.result.data : null;
    for (const leaf of leavesOf(data)) {
      const text = leaf.text.toLowerCase();
      if (!places.has(text)) places.set(text, call.at);
    }
  }
  const listed = new Set(
    leavesOf(task)
      .flatMap((leaf) => wordsOf(leaf.text).concat(leaf.text))
      .map((text) => text.toLowerCase()),
  );
  return (call) => {
    const leaves = leavesOf(call.step.args).map((leaf) => leaf.text.toLowerCase());
    return (
      leaves.length > 0 &&
      leaves.every((text) => listed.has(text) || (places.get(text) ?? call.at) < call.at)
    );
  };
}

/** Tools that were paged through, and the last page was not the last. */
function paging(view: TraceView): Finding[] {
  const { calls } = view;
  if (calls.length < PAGES) return [];
  const books = new Map<string, { readonly pages: Set<string>; readonly calls: Call[] }>();
  for (const call of calls) {
    const entries = entriesOf(call.step.args);
    const page = entries.find(([name]) => PAGE_NAME.test(name.replaceAll(/[_-]/gu, "")));
    if (page === undefined || call.effect === "write") continue;
    const rest = entries
      .filter((entry) => entry !== page)
      .map(([name, value]) => `${name}=${canonical(value)}`);
    const key = [call.tool, page[0], ...rest.toSorted()].join("\u0000");
    const book = books.get(key) ?? { pages: new Set(), calls: [] };
    const value = canonical(page[1]);
    if (!book.pages.has(value)) book.calls.push(call);
    book.pages.add(value);
    books.set(key, book);
  }
  return [...books.values()].flatMap((book) => {
    const shown = book.calls[PAGES - 1];
    const last = book.calls.at(-1);
    if (shown === undefined || last === undefined || ended(book.calls, view.text)) return [];
    const message = `${last.tool} was asked for ${book.calls.length} pages, and no end was in sight.`;
    return [
      { severity: "medium" as const, tool: last.tool, step: shown.at, message: clip(message, 500) },
    ];
  });
}

/** The last page failed, is empty, short or marked as the last; or what was looked for was on it. */
function ended(pages: readonly Call[], answer: string): boolean {
  const last = dataOf(pages.at(-1));
  const first = dataOf(pages[0]);
  if (pages.at(-1)?.worked !== true || pages.at(-1)?.empty === true) return true;
  if (isObject(last) && (END_NAMES.some((name) => last[name] === false) || endsAtNull(last)))
    return true;
  if (sizeOf(last) < sizeOf(first)) return true;
  if (same(last, first)) return false;
  const before = wordsIn(first);
  const answered = new Set(wordsOf(answer).map((word) => word.toLowerCase()));
  return [...wordsIn(last)].some(
    (word) => isTelling(word) && !before.has(word) && answered.has(word),
  );
}

function endsAtNull(page: JsonObject): boolean {
  return Object.keys(page).some(
    (name) => /^next/iu.test(name) && (page[name] === null || page[name] === ""),
  );
}

function sizeOf(page: Json): number {
  if (Array.isArray(page)) return page.length;
  if (!isObject(page)) return 0;
  return Math.max(
    0,
    ...Object.values(page).map((value) => (Array.isArray(value) ? value.length : 0)),
  );
}

function dataOf(call: Call | undefined): Json {
  return call?.step.result?.ok === true ? call.step.result.data : null;
}
