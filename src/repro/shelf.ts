import { effectOfName } from "../detector/names.ts";
import type { Json } from "../shared/json.ts";
import type { ToolResult } from "../trace/trace.ts";
import { isRetry } from "./hash.ts";
import type { Candidate } from "./near-miss.ts";
import type { Matching } from "./matching.ts";
import type { Recording } from "./repro.ts";

/** `failure`: the failed run's recordings; `retry`: those of a later success. */
export type Path = "failure" | "retry";

/** A recording on its shelf. */
export interface Slot {
  readonly recording: Recording;
  readonly result: ToolResult | undefined;
  readonly path: Path;
  /** Its arguments in the form in which calls are compared. */
  readonly compared: Json;
  /** Answered a call of its own key. */
  used: boolean;
  /** Answered a call of other arguments. */
  strayed: boolean;
}

/** The recordings of one key, or of one tool, in recorded order, with a cursor for each path. */
interface Queue {
  readonly slots: Readonly<Record<Path, Slot[]>>;
  readonly next: Record<Path, number>;
}

/** All recordings of a cassette, found by key and by tool at a cost that does not grow with their number. */
export interface Shelf {
  /** The next unused recording of a key. */
  next(key: string, path: Path): Slot | undefined;
  /** The next unused recording of a tool, whatever its arguments. */
  nextOfTool(tool: string, path: Path): Slot | undefined;
  /** The calls of a tool, for the report of a miss. */
  candidates(tool: string): readonly Candidate[];
  tools(): readonly string[];
  unused(path: Path): readonly Recording[];
}

export function openShelf(
  cassette: readonly Recording[],
  matching: Matching,
  resultOf: (recording: Recording) => ToolResult | undefined,
): Shelf {
  const keys = new Map<string, Queue>();
  let tools: Map<string, Queue> | undefined;
  const all: Slot[] = [];
  for (const recording of cassette) {
    const { key, compared } = matching.recorded(recording);
    const path = isRetry(recording) ? "retry" : "failure";
    const result = resultOf(recording);
    const slot: Slot = { recording, result, path, compared, used: false, strayed: false };
    queueOf(keys, key).slots[path].push(slot);
    all.push(slot);
  }
  /** Only a call that no key answers asks for them. */
  const byTool = (): ReadonlyMap<string, Queue> => {
    if (tools !== undefined) return tools;
    tools = new Map();
    for (const slot of all) queueOf(tools, slot.recording.tool).slots[slot.path].push(slot);
    return tools;
  };
  return {
    next: (key, path) => nextOf(keys.get(key), path, (slot) => slot.used),
    nextOfTool: (tool, path) =>
      nextOf(byTool().get(tool), path, (slot) => slot.used || slot.strayed),
    candidates: (tool) =>
      all
        .filter(({ recording }) => recording.tool === tool)
        .map(({ recording, compared }) => ({ args: recording.args, compared })),
    tools: () => [...byTool().keys()],
    unused: (path) =>
      all.filter((slot) => slot.path === path && !slot.used).map(({ recording }) => recording),
  };
}

function queueOf(queues: Map<string, Queue>, name: string): Queue {
  const known = queues.get(name);
  if (known !== undefined) return known;
  const queue = { slots: { failure: [], retry: [] }, next: { failure: 0, retry: 0 } };
  queues.set(name, queue);
  return queue;
}

function nextOf(
  queue: Queue | undefined,
  path: Path,
  gone: (slot: Slot) => boolean,
): Slot | undefined {
  if (queue === undefined) return undefined;
  const slots = queue.slots[path];
  for (;;) {
    const slot = slots[queue.next[path]];
    if (slot === undefined || !gone(slot)) return slot;
    queue.next[path] += 1;
  }
}

/** Whether a recording may be answered again: reads and failed calls may, a change that was made may not. */
export function isRepeatable({ recording, result }: Slot): boolean {
  if (result === undefined || !result.ok) return true;
  if (recording.write !== undefined) return !recording.write;
  return effectOfName(recording.tool) !== "write";
}
