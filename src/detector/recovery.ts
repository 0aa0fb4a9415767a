import type { Json } from "../shared/json.ts";
import type { Call } from "./calls.ts";
import { isTelling, leavesOf, wordsIn, wordsOf, type Leaf } from "./leaves.ts";
import { runsPrograms, wordsOfName } from "./names.ts";

/** What a recovery is judged by, beside the calls. */
export interface Situation {
  readonly task: Json;
  /** The text of the answer; empty when there is none. */
  readonly answer: string;
  /** Whether the run ended with an answer. */
  readonly finished: boolean;
}

/** Arguments that say how much or which part, not what. */
const HOW =
  /amount|price|total|sum|qty|quantity|limit|count|page|size|offset|max|min|timeout|format|lang|note|reason|comment/iu;
/** A longer text is a question or a content that may be put in other words, not a name. */
const LONGEST_NAME_WORDS = 2;

/**
 * The failed calls that did no harm, because what they were for was done later: the same call worked; the same tool
 * worked for the same thing with other arguments; or another tool gave an answer that was used. A later call for
 * something else is no recovery.
 */
export function recoveredOf(calls: readonly Call[], situation: Situation): ReadonlySet<Call> {
  const lost = calls.filter((call) => call.error !== undefined);
  if (lost.length === 0) return new Set();
  // After the last call that worked nothing can have made good what failed.
  const end = calls.findLast((call) => call.worked && call.effect !== "note")?.at ?? -1;
  const early = lost.filter((call) => call.at < end);
  if (early.length === 0) return new Set();
  const later = laterOf(calls, situation);
  return new Set(
    early.filter((call) => later.lastOf(call.key) > call.at || replaced(call, later, situation)),
  );
}

/** What happened after a place in the trace, each answered by its last place. */
interface Later {
  lastOf(key: string): number;
  /** Last call of the tool that worked. */
  lastOfTool(tool: string): number;
  /** Last call of the tool that worked and had the word in its arguments or answer. */
  lastWith(tool: string, word: string): number;
  /** Last call of any tool that worked, with an answer that was used. */
  readonly lastUsed: number;
  /** Last writing call, or program, that worked and has the word in its arguments. */
  lastWriteWith(word: string): number;
  /** Last writing call that worked and has the word in its name. */
  lastWriteNamed(word: string): number;
  /** Words of the task and the answer. */
  readonly wanted: ReadonlySet<string>;
  /** Words of the arguments of a tool's last call that worked. */
  lastArgsOf(tool: string): ReadonlySet<string> | undefined;
}

/** Between two things of which one is enough, in the languages that the phrases know. */
const OR =
  /(?<![^\s,;(])(?:or|else|otherwise|either|oder|sonst|o|ou|sinon|oppure|of|anders|lub|albo)(?![^\s,;:)])/iu;

/** The task offers this or that, this failed, that worked, and the answer names it. */
function isOtherChoice(call: Call, later: Later, { task, answer }: Situation): boolean {
  const other = later.lastArgsOf(call.tool);
  if (other === undefined || !leavesOf(task).some((leaf) => OR.test(leaf.text))) return false;
  const mine = new Set(wordsOfLeaves(call));
  const failed = [...mine].filter((word) => !other.has(word));
  const chosen = [...other].filter((word) => !mine.has(word));
  const said = new Set(wordsOf(answer).map((word) => word.toLowerCase()));
  const asked = new Set(
    leavesOf(task)
      .flatMap((leaf) => wordsOf(leaf.text))
      .map((word) => word.toLowerCase()),
  );
  return (
    failed.length > 0 &&
    failed.every((word) => asked.has(word)) &&
    chosen.some((word) => asked.has(word) && said.has(word))
  );
}

function replaced(call: Call, later: Later, situation: Situation): boolean {
  const names = namesIn(call.step.args).filter((word) => mentioned(word, later.wanted));
  const sameTool = later.lastOfTool(call.tool) > call.at;
  if (sameTool && runsPrograms(call.tool)) return true;
  if (sameTool && names.every((word) => later.lastWith(call.tool, word) > call.at)) return true;
  if (sameTool && isOtherChoice(call, later, situation)) return true;
  if (call.effect === "write") return writtenElsewhere(call, later);
  if (sameTool || !situation.finished) return false;
  return (
    later.lastUsed > call.at ||
    wordsOfLeaves(call).some((word) => later.lastWriteWith(word) > call.at)
  );
}

/** Another writing tool of the same sort, or for all the same things, worked later. */
function writtenElsewhere(call: Call, later: Later): boolean {
  const words = wordsOfLeaves(call);
  const covered = words.every((word) => later.lastWriteWith(word) > call.at);
  const alike = wordsOfName(call.tool).some((word) => later.lastWriteNamed(word) > call.at);
  return covered && (alike || words.length > 1);
}

/** The words of the arguments that name a thing, not those that say how much of it. */
function namesIn(args: Json): string[] {
  return leavesOf(args)
    .filter((leaf) => isName(leaf))
    .flatMap((leaf) => wordsOf(leaf.text));
}

function isName(leaf: Leaf): boolean {
  if (HOW.test(leaf.name)) return false;
  return leaf.number || leaf.text.trim().split(/\s+/u).length <= LONGEST_NAME_WORDS;
}

function wordsOfLeaves(call: Call): string[] {
  return namesIn(call.step.args).map((word) => word.toLowerCase());
}

/** Whether a word is among the wanted ones; a single letter only as a capital, as `A` is a name and `a` an article. */
function mentioned(word: string, wanted: ReadonlySet<string>): boolean {
  return wanted.has(word.length === 1 ? word.toUpperCase() : word.toLowerCase());
}

const NO_WORDS: ReadonlySet<string> = new Set();

function laterOf(calls: readonly Call[], { task, answer }: Situation): Later {
  const places = new Map<string, number>();
  const wanted = new Set<string>();
  for (const text of [...leavesOf(task).map((leaf) => leaf.text), answer]) {
    for (const word of wordsOf(text)) wanted.add(word.length === 1 ? word : word.toLowerCase());
  }
  const lostTools = new Set(
    calls.filter((call) => call.error !== undefined).map((call) => call.tool),
  );
  const lastArgs = new Map<string, ReadonlySet<string>>();
  const used = new Set(wanted);
  let lastUsed = -1;
  const programs = new Map<string, boolean>();
  const isProgram = (tool: string): boolean => {
    const known = programs.get(tool) ?? runsPrograms(tool);
    programs.set(tool, known);
    return known;
  };
  // Backwards, so that `used` holds the arguments of later calls, and the first place set is the last one.
  const set = (key: string, at: number): void => {
    if (!places.has(key)) places.set(key, at);
  };
  for (const call of calls.toReversed()) {
    if (!call.worked || call.effect === "note") continue;
    const data = call.step.result?.ok === true ? call.step.result.data : null;
    const args = wordsIn(call.step.args);
    // What was answered matters to the tools that failed, and until one answer is known to be used.
    const answers = lastUsed < 0 || lostTools.has(call.tool) ? wordsIn(data) : NO_WORDS;
    if (lastUsed < 0 && [...answers].some((word) => isTelling(word) && used.has(word)))
      lastUsed = call.at;
    for (const word of args) if (isTelling(word)) used.add(word);
    set(`key ${call.key}`, call.at);
    set(`tool ${call.tool}`, call.at);
    if (lostTools.has(call.tool)) {
      if (!lastArgs.has(call.tool)) lastArgs.set(call.tool, args);
      for (const word of args) set(`in ${call.tool} ${word}`, call.at);
      for (const word of answers) set(`in ${call.tool} ${word}`, call.at);
    }
    if (call.effect !== "write" && !isProgram(call.tool)) continue;
    for (const word of args) set(`write ${word}`, call.at);
    for (const word of wordsOfName(call.tool)) set(`named ${word}`, call.at);
  }
  const at = (key: string): number => places.get(key) ?? -1;
  return {
    lastOf: (key) => at(`key ${key}`),
    lastOfTool: (tool) => at(`tool ${tool}`),
    lastWith: (tool, word) => at(`in ${tool} ${word.toLowerCase()}`),
    lastWriteWith: (word) => at(`write ${word}`),
    lastWriteNamed: (word) => at(`named ${word}`),
    lastUsed,
    wanted,
    lastArgsOf: (tool) => lastArgs.get(tool),
  };
}
