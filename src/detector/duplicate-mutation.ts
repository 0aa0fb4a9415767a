import { canonical, isObject, type Json } from "../shared/json.ts";
import { clip } from "../shared/text.ts";
import type { Call } from "./calls.ts";
import type { Detector, Finding } from "./detector.ts";
import { leavesOf } from "./leaves.ts";
import type { TraceView } from "./view.ts";

/** Deeds that cost or reach somebody each time; making a file or setting a value twice does not. */
const TELLS_EACH_TIME: ReadonlySet<string> = new Set([
  "book",
  "buy",
  "charge",
  "credit",
  "debit",
  "deposit",
  "dispatch",
  "order",
  "pay",
  "purchase",
  "redeem",
  "refund",
  "reserve",
  "sell",
  "send",
  "transfer",
  "withdraw",
]);
const ID = /(?:^|_|[a-z])(?:id|ids|number|reference|ref|confirmation|code|receipt|token|uuid)$/iu;
/** What a service says that knows the second call for the first one. */
const SAME =
  /\b(?:already|duplicate|idempoten\w*|no change|unchanged|replayed|bereits|schon|déjà|già|já|ya)\b/iu;
/** Words of a task that wants a thing more than once. */
const AGAIN =
  /(?<!\p{L})(?:two|twice|three|both|double|each|every|again|second|another|repeat\p{L}*|times|copies|\p{N}+ ?x|zwei\p{L}*|beide|doppelt|nochmal\p{L}*|jede\p{L}*|dos|ambos|cada|otra|deux|chaque|encore|due|ogni|ancora|dois|duas|twee|elke|dwa|każd\p{L}*)(?!\p{L})|两|每|再|二|全/iu;

/** The agent did the same thing twice. */
export const duplicateMutation: Detector = {
  kind: "duplicate_mutation",
  detector: "heuristic",
  summary:
    "An equal call that pays, books, sends or makes something worked twice, and nothing says that the second was the first. A retry after an error is none.",
  excusedWhenPassed: true,
  detect(view) {
    const found: Finding[] = [];
    let first: Call | undefined;
    for (const call of view.calls) {
      if (call.effect !== "write" || !call.worked) continue;
      // Another deed between may make the second one another thing.
      if (
        first?.key === call.key &&
        !spokenBetween(first, call, view) &&
        happenedTwice(first, call)
      )
        found.push(findingOf(call, view));
      first = call;
    }
    // A third time is a loop of its own.
    return [...new Map(found.map((finding) => [finding.tool, finding])).values()];
  },
};

function spokenBetween(first: Call, second: Call, { trace }: TraceView): boolean {
  return trace.steps.slice(first.at + 1, second.at).some((step) => step.kind === "input");
}

/** Two ids for equal calls are two things; without ids only a deed that tells each time it is done. */
function happenedTwice(first: Call, second: Call): boolean {
  const [one, other] = [dataOf(first), dataOf(second)];
  if (leavesOf(other).some((leaf) => SAME.test(leaf.text))) return false;
  if (isObject(other) && Object.keys(other).some((name) => SAME.test(name) && other[name] === true))
    return false;
  const [ids, others] = [idsIn(one), idsIn(other)];
  if (ids.size > 0 || others.size > 0) {
    const shared = [...ids.keys()].filter((name) => others.has(name));
    return shared.some((name) => ids.get(name) !== others.get(name));
  }
  return TELLS_EACH_TIME.has(second.verb) && hasArguments(second);
}

function idsIn(data: Json): ReadonlyMap<string, string> {
  if (!isObject(data)) return new Map();
  return new Map(
    Object.entries(data).flatMap(([name, value]) =>
      ID.test(name) && (typeof value === "string" || typeof value === "number")
        ? [[name, canonical(value)] as const]
        : [],
    ),
  );
}

function hasArguments({ step }: Call): boolean {
  return leavesOf(step.args).length > 0;
}

function dataOf(call: Call): Json {
  return call.step.result?.ok === true ? call.step.result.data : null;
}

function findingOf({ tool, at }: Call, { trace }: TraceView): Finding {
  const wanted = leavesOf(trace.task).some((leaf) => AGAIN.test(leaf.text));
  const message = `${clip(tool, 100)} was called twice with the same arguments, and worked twice.`;
  return { severity: wanted ? "low" : "medium", tool, step: at, message };
}
