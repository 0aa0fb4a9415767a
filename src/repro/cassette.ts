import type { Answer, Awaitable, ToolCall } from "../boundary/boundary.ts";
import { failure, type TwiceshyError } from "../shared/error.ts";
import { isObject, type Json } from "../shared/json.ts";
import { firstDifference } from "../shared/pointer.ts";
import type { ToolResult } from "../trace/trace.ts";
import { openMatching, type Matching, type MatchingOptions } from "./matching.ts";
import { missError, nearestOf } from "./near-miss.ts";
import type { Recording } from "./repro.ts";
import type { Drift, Miss } from "./result.ts";
import { openSettling } from "./settling.ts";
import { isRepeatable, openShelf, type Path, type Shelf, type Slot } from "./shelf.ts";

/** What a cassette is made of: a repro, or an inline list. */
export interface CassetteSource {
  readonly cassette: readonly Recording[];
  /** Large answers by their key. */
  readonly blobs?: Readonly<Record<string, Json>> | undefined;
}

export interface CassetteOptions extends MatchingOptions {
  /** `loose` also takes the next unused recording of the tool, whatever its arguments, and reports it. Default `keyed`. */
  readonly matching?: "keyed" | "loose";
  /** Whose recordings come first. Default `failure`. */
  readonly path?: Path;
}

/** A miss, before its step in the trace is known. */
export interface MissedCall extends Omit<Miss, "step"> {
  /** Id of the call. */
  readonly call: string;
  /** Whether every recording of the failed run had been answered before. */
  readonly exhausted: boolean;
}

/** What a call gets: a result, no answer for ever (`result` is missing), or the error of a miss. */
export type Taken =
  | { readonly slot: Slot; readonly result: ToolResult | undefined }
  | { readonly error: TwiceshyError };

/** Recorded tool results, served back. */
export interface Cassette {
  /** Answers at the end of the boundary, sync or async as it was recorded. */
  readonly answer: Answer;
  /** The same at once, for a scripted agent. */
  take(call: ToolCall): Taken;
  /** Whether a call's arguments are recorded ones of a checked file: nothing in them is to be redacted. */
  isChecked(call: Pick<ToolCall, "tool" | "args">): boolean;
  /** Every call that could not be answered, also when the agent swallowed the error. */
  readonly misses: readonly MissedCall[];
  readonly drift: readonly Drift[];
  path(): Path;
  /** Id of the call that took the failed run's last recording; undefined while some are left. */
  exhaustedBy(): string | undefined;
  /** Recordings of a path that no call took; by default of the failed run. */
  unused(path?: Path): readonly Recording[];
}

/**
 * Opens a cassette: a call is found by its tool, its arguments and its occurrence. Opening costs time per recording, a
 * call does not.
 */
export function openCassette(source: CassetteSource, options: CassetteOptions = {}): Cassette {
  const player = new Player(source, options);
  const settle = openSettling();
  return {
    answer: (call) => answered(player.take(call), settle),
    take: (call) => player.take(call),
    isChecked: (call) => player.matching.isChecked(call),
    misses: player.misses,
    drift: player.drift,
    path: () => player.path,
    exhaustedBy: () => player.exhaustedBy,
    unused: (of = "failure") => player.shelf.unused(of),
  };
}

/** A cassette while it plays: what was answered, and where it is. */
class Player {
  readonly shelf: Shelf;
  readonly misses: MissedCall[] = [];
  readonly drift: Drift[] = [];
  path: Path;
  exhaustedBy: string | undefined;
  /** Recordings of the failed run that no call of their own took yet. */
  #left: number;
  readonly matching: Matching;
  readonly #loose: boolean;
  /** What each key was answered with last, by a recording of its own and by one of other arguments. */
  readonly #served = new Map<string, Slot>();
  readonly #strays = new Map<string, Slot>();

  constructor(source: CassetteSource, options: CassetteOptions) {
    this.matching = openMatching(options);
    this.#loose = options.matching === "loose";
    this.path = options.path ?? "failure";
    this.shelf = openShelf(source.cassette, this.matching, (recording) =>
      resultOf(recording, source),
    );
    this.#left = this.shelf.unused("failure").length;
  }

  take(call: ToolCall): Taken {
    const { key, compared } = this.matching.asked(call);
    const found = choose(this.shelf, { key, path: this.path, last: this.#served.get(key) });
    if (found?.spent === true) return { error: this.#miss(call, compared, true) };
    if (found === undefined) return this.#drifted(call, compared, key);
    const { slot } = found;
    this.#use(slot, call);
    this.#served.set(key, slot);
    if (slot.path === "retry" && found.stay !== true) this.path = "retry";
    return { slot, result: slot.result };
  }

  #use(slot: Slot, call: ToolCall): void {
    if (!slot.used && slot.path === "failure" && --this.#left === 0) this.exhaustedBy = call.id;
    slot.used = true;
  }

  /** A recording of other arguments; what its own key is answered with stays the same. */
  #drifted(call: ToolCall, compared: Json, key: string): Taken {
    const slot = this.#loose ? this.#strayOf(call.tool, key) : undefined;
    if (slot === undefined) return { error: this.#miss(call, compared, false) };
    slot.strayed = true;
    this.#strays.set(key, slot);
    this.drift.push({
      tool: call.tool,
      args: this.matching.show(call.args),
      recorded: slot.recording.args,
      pointer: firstDifference(slot.compared, compared)?.pointer ?? "",
    });
    return { slot, result: slot.result };
  }

  #strayOf(tool: string, key: string): Slot | undefined {
    const other = this.path === "failure" ? "retry" : "failure";
    const next = this.shelf.nextOfTool(tool, this.path) ?? this.shelf.nextOfTool(tool, other);
    const again = this.#strays.get(key);
    return next ?? (again !== undefined && isRepeatable(again) ? again : undefined);
  }

  #miss(call: ToolCall, compared: Json, spent: boolean): TwiceshyError {
    const { tool } = call;
    const nearest = spent ? undefined : nearestOf(compared, this.shelf.candidates(tool));
    const args = this.matching.show(call.args);
    const error = missError(tool, args, { nearest, tools: this.shelf.tools(), spent });
    this.misses.push({
      call: call.id,
      tool,
      args,
      message: error.message,
      exhausted: this.#left === 0,
      ...(nearest === undefined ? {} : { nearest }),
    });
    return error;
  }
}

interface Asked {
  readonly key: string;
  readonly path: Path;
  /** What this key was answered with last. */
  readonly last: Slot | undefined;
}

type Choice =
  | { readonly spent: true }
  | { readonly spent?: false; readonly slot: Slot; readonly stay?: true };

/** The recording that answers a key; `spent` when it is a change that was answered before. */
function choose(shelf: Shelf, { key, path, last }: Asked): Choice | undefined {
  const [slot, retry] = [shelf.next(key, "failure"), shelf.next(key, "retry")];
  if (path === "retry") {
    if (retry !== undefined) return { slot: retry };
    // What went well on this path does not fail again because the failed run did.
    const stale = last?.result?.ok === true && slot?.result?.ok === false;
    return slot === undefined || stale ? repeated(last) : { slot };
  }
  if (slot !== undefined) return { slot };
  // The failed run knows the call: only the retry of a call that ended in an error goes to the later success.
  if (last === undefined) return retry === undefined ? undefined : { slot: retry };
  if (last.result?.ok === false && retry?.result?.ok === true) return { slot: retry, stay: true };
  return repeated(last);
}

function repeated(last: Slot | undefined): Choice | undefined {
  if (last === undefined) return undefined;
  return isRepeatable(last) ? { slot: last } : { spent: true };
}

function resultOf(recording: Recording, { blobs }: CassetteSource): ToolResult | undefined {
  const { blob } = recording;
  if (blob === undefined) return recording.result;
  const result = blobs !== undefined && Object.hasOwn(blobs, blob) ? blobs[blob] : undefined;
  if (isObject(result) && typeof result["ok"] === "boolean") return result as ToolResult;
  throw failure("E_CASSETTE_BLOB", {
    to: `open the cassette of ${recording.tool}`,
    because: `its large answer ${blob} is not in the file's blobs`,
    fix: "Restore the repros file from version control, or generate it again",
  });
}

function answered(taken: Taken, settle: ReturnType<typeof openSettling>): Awaitable<ToolResult> {
  if ("error" in taken) throw taken.error;
  const { recording } = taken.slot;
  const result = taken.result;
  if (result === undefined) return new Promise(() => undefined);
  if (recording.sync === true) return result;
  const { batch, settled } = recording;
  if (batch === undefined || settled === undefined) return Promise.resolve(result);
  return settle(batch, settled, result);
}
