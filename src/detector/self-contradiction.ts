import { canonical } from "../shared/json.ts";
import { clip } from "../shared/text.ts";
import { entriesOf, type Call } from "./calls.ts";
import type { Detector, Finding } from "./detector.ts";
import { leavesOf, wordsIn, wordsOf } from "./leaves.ts";
import type { TraceView } from "./view.ts";

/** A verb and the one that undoes it. Opening and closing, starting and stopping, switching on and off belong together. */
const UNDO: ReadonlyMap<string, string> = new Map([
  ["create", "delete"],
  ["add", "remove"],
  ["insert", "delete"],
  ["install", "uninstall"],
  ["book", "cancel"],
  ["reserve", "cancel"],
  ["subscribe", "unsubscribe"],
  ["write", "delete"],
]);
const UNDOING = new Set(UNDO.values());

/** Words of a task that asks for the undoing: to clean up, or something temporary. */
const ASKS =
  /(?<!\p{L})(?:clean\p{L}*|te?mp\p{L}*|undo|revert|roll ?back|delet\p{L}*|remov\p{L}*|uninstall\p{L}*|cancel\p{L}*|unsubscri\p{L}*|throw\p{L}*|aufräum\p{L}*|lösch\p{L}*|entfern\p{L}*|stornier\p{L}*|limpi\p{L}*|borr\p{L}*|elimin\p{L}*|nettoy\p{L}*|supprim\p{L}*|annul\p{L}*|pulir\p{L}*|cancell\p{L}*|limp\p{L}*|exclu\p{L}*|tijdelijk\p{L}*|opruim\p{L}*|verwijder\p{L}*|tymczas\p{L}*|posprząt\p{L}*|usuń|usun\p{L}*)|[删刪]除|移除|取消|撤[销銷]|清理|[临臨]时|退[订訂]|卸[载載]|削除|キャンセル|取り消|一時的/iu;
/** Things that are made to be used and thrown away. */
const SCRATCH =
  /(?:file|dir|directory|folder|branch|container|sandbox|draft|session|environment|venv|snapshot|te?mp)/u;
/** Pairs that are compared at most, so that a long trace stays quick. */
const MOST_PAIRS = 20_000;

/** The agent undid its own work, and nobody asked for it. */
export const selfContradiction: Detector = {
  kind: "self_contradiction",
  detector: "heuristic",
  summary:
    "The agent undid what it had done itself (created and deleted, booked and cancelled) without being asked to.",
  excusedWhenBlocked: true,
  excusedWhenPassed: true,
  detect(view) {
    const { trace, calls } = view;
    if (!calls.some((call) => UNDOING.has(call.verb))) return [];
    if (leavesOf(trace.task).some((leaf) => ASKS.test(leaf.text))) return [];
    return pairsOf(view).map(({ done, undone }): Finding => ({
      severity: view.honest ? "low" : "medium",
      tool: undone.tool,
      step: undone.at,
      message: clip(`${undone.tool} undid what ${done.tool} had done before.`, 500),
    }));
  },
};

interface Pair {
  readonly done: Call;
  readonly undone: Call;
}

function pairsOf(view: TraceView): Pair[] {
  const worked = view.calls.filter((call) => call.worked);
  const undoing = new Map<string, Call[]>();
  for (const call of worked) {
    if (!UNDOING.has(call.verb)) continue;
    const key = `${call.verb} ${call.object}`;
    const known = undoing.get(key);
    if (known === undefined) undoing.set(key, [call]);
    else known.push(call);
  }
  const lastOf = new Map(worked.map((call) => [call.key, call.at]));
  const left = { pairs: MOST_PAIRS };
  return worked.flatMap((done) => {
    const candidates = undoing.get(`${UNDO.get(done.verb) ?? ""} ${done.object}`) ?? [];
    const undone = undoneBy(done, candidates, left);
    if (undone === undefined || (lastOf.get(done.key) ?? 0) > undone.at) return [];
    return isExcused({ done, undone }, view) ? [] : [{ done, undone }];
  });
}

/** The first call after this one that undoes it. */
function undoneBy(
  done: Call,
  candidates: readonly Call[],
  left: { pairs: number },
): Call | undefined {
  for (
    let n = placeAfter(candidates, done.at);
    n < candidates.length && left.pairs > 0;
    n++, left.pairs--
  ) {
    const candidate = candidates[n];
    if (candidate !== undefined && concernSame(done, candidate)) return candidate;
  }
  return undefined;
}

/** Where in calls that are in order the first one after a place of the trace stands. */
function placeAfter(calls: readonly Call[], at: number): number {
  let [low, high] = [0, calls.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((calls[middle]?.at ?? 0) > at) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Every argument that both have is equal, and one is; or the undoing names only what the doing was given or gave. */
function concernSame(done: Call, undone: Call): boolean {
  const before = new Map(
    entriesOf(done.step.args).map(([name, value]) => [name, canonical(value)]),
  );
  const after = entriesOf(undone.step.args);
  if (before.size === 0 && after.length === 0) return true;
  const shared = after.filter(([name]) => before.has(name));
  if (shared.length > 0)
    return shared.every(([name, value]) => before.get(name) === canonical(value));
  const named = leavesOf(undone.step.args).flatMap((leaf) =>
    wordsOf(leaf.text).map((word) => word.toLowerCase()),
  );
  const known = wordsIn([
    done.step.args,
    done.step.result?.ok === true ? done.step.result.data : null,
  ]);
  return named.length > 0 && named.every((word) => known.has(word));
}

/** Something made to be used was used; or an error came between, and the undoing puts things right. */
function isExcused({ done, undone }: Pair, { calls, honest }: TraceView): boolean {
  const scratch = SCRATCH.test(done.object);
  if (!scratch && !honest) return false;
  for (let n = placeAfter(calls, done.at); n < calls.length; n++) {
    const call = calls[n];
    if (call === undefined || call.at >= undone.at) return false;
    if (call.error === undefined ? scratch && call.worked : honest) return true;
  }
  return false;
}
