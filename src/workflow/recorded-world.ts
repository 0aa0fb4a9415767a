import { toolError } from "../boundary/tool-error.ts";
import { isPromise } from "../boundary/boundary.ts";
import { effectOfName } from "../detector/names.ts";
import { openCassette, type Cassette, type Taken } from "../repro/cassette.ts";
import { recordingsOf } from "../repro/recordings.ts";
import { byCodeUnit, isObject, type Json, type JsonObject } from "../shared/json.ts";
import type { ToolResult, Trace, TraceError } from "../trace/trace.ts";
import { defineWorld } from "../world/define.ts";
import type { ToolContext, World, WorldTool } from "../world/world.ts";

/** The code of what the agent is told where nothing can answer it. */
export const MISS = "E_CASSETTE_MISS";

/** A recorded run as a world, for one trial. */
export interface RecordedWorld {
  readonly world: World;
  /** What the agent asked that neither the recording nor a declared world knows. */
  readonly misses: readonly string[];
}

export interface RecordedOptions {
  /** Tools that change something. Default: as recorded, else judged by their names. */
  readonly writes?: readonly string[];
  /** Answers what the recording cannot. Its tools also run beside the recording, so that its state follows. */
  readonly world?: World | undefined;
}

/**
 * The tools of a recorded run: each call is answered by its recording, found by tool, arguments and occurrence; then by the declared world;
 * else it is a miss. Without a declared world the state is what was written: by each writing tool the list of its accepted calls.
 */
export function recordedWorld(trace: Trace, options: RecordedOptions = {}): RecordedWorld {
  const blobs = new Map<string, Json>();
  const cassette = openCassette({
    cassette: recordingsOf(trace, {}, blobs),
    blobs: Object.fromEntries(blobs),
  });
  const player = new Player(cassette);
  const { world } = options;
  const names = new Set([...namesOf(trace), ...Object.keys(world?.tools ?? {})]);
  const kinds = new Map([...names].map((name) => [name, kindOf(name, trace, options)]));
  const tools = [...names].sort(byCodeUnit).map((name): [string, WorldTool] => {
    const kind = kinds.get(name) ?? "read";
    const declared = world?.tools[name];
    return [name, toolOf({ name, kind, player, declared })];
  });
  const made = defineWorld({
    name: `recorded ${trace.agent}`,
    state: (world?.state ?? emptyState(kinds)) as JsonObject as never,
    tools: Object.fromEntries(tools),
    ...rivalOf(world),
  });
  return { world: made, misses: player.misses };
}

interface Parts {
  readonly name: string;
  readonly kind: "read" | "write";
  readonly player: Player;
  readonly declared: WorldTool | undefined;
}

function toolOf({ name, kind, player, declared }: Parts): WorldTool {
  const execute = (args: Json, state: JsonObject, context: ToolContext): unknown => {
    const recorded = player.take(name, args);
    if (declared !== undefined)
      return beside(recorded.fresh, () => run(declared, args, { state, context }));
    if (recorded.result === undefined) throw player.missed(recorded.because);
    if (kind === "write" && recorded.result.ok) {
      player.writes++;
      keep(state, name, args);
    }
    return answer(recorded.result);
  };
  const { parameters, onError, description } = declared ?? {};
  return {
    kind,
    execute,
    ...(parameters === undefined ? {} : { parameters }),
    ...(onError === undefined ? {} : { onError }),
    ...(description === undefined ? {} : { description }),
  };
}

function rivalOf(world: World | undefined): { readonly rival?: (state: never) => void } {
  if (world?.rival === undefined) return {};
  return { rival: (state) => world.rival?.(state) };
}

/** What a recording has for a call. */
interface Played {
  /** An answer that may be given: missing for a miss. */
  readonly result?: ToolResult;
  /** The same, where no call was answered with it before. */
  readonly fresh?: ToolResult;
  readonly because: string;
}

/** A cassette that knows what was written since it gave an answer: a read from before a write says nothing about after it. */
class Player {
  readonly misses: string[] = [];
  /** Accepted writes so far. */
  writes = 0;
  readonly #cassette: Cassette;
  readonly #given = new Map<unknown, number>();
  #calls = 0;

  constructor(cassette: Cassette) {
    this.#cassette = cassette;
  }

  take(tool: string, args: Json): Played {
    const taken = this.#taken(tool, args);
    if ("error" in taken) return { because: taken.error.message };
    const { slot, result } = taken;
    if (result === undefined) return { because: `the recorded call of ${tool} was never answered` };
    const writesThen = this.#given.get(slot);
    this.#given.set(slot, this.writes);
    if (writesThen === undefined) return { result, fresh: result, because: "" };
    if (writesThen === this.writes || !result.ok) return { result, because: "" };
    return { because: `the recorded answer of ${tool} is older than what was written since` };
  }

  missed(because: string): Error {
    this.misses.push(because);
    return toolError(MISS, because);
  }

  #taken(tool: string, args: Json): Taken {
    return this.#cassette.take({ id: `${tool}_${++this.#calls}`, tool, args });
  }
}

/** The recorded answer, where there is one; the declared tool runs beside it, so that its state follows. */
function beside(recorded: ToolResult | undefined, live: () => unknown): unknown {
  if (recorded === undefined) return live();
  if (!recorded.ok) return refused(recorded.error);
  const done = live();
  return isPromise(done) ? done.then(() => answer(recorded)) : answer(recorded);
}

function run(
  tool: WorldTool,
  args: Json,
  { state, context }: { readonly state: JsonObject; readonly context: ToolContext },
): unknown {
  return tool.execute(args as never, state as never, context);
}

function answer(result: ToolResult): unknown {
  return result.ok ? { ok: true, data: result.data } : refused(result.error);
}

/** As data: thrown, an error of JavaScript's own classes would be a mistake in the world's code. */
function refused({ name, code, message, retryable, data }: TraceError): unknown {
  const extra = isObject(data) && data["$t"] === undefined ? data : {};
  return {
    ok: false,
    error: {
      ...extra,
      name: name ?? "Error",
      message,
      ...(code === undefined ? {} : { code }),
      ...(retryable === undefined ? {} : { retryable }),
    },
  };
}

function keep(state: JsonObject, name: string, args: Json): void {
  const kept = state[name];
  if (Array.isArray(kept)) kept.push(args);
}

function emptyState(kinds: ReadonlyMap<string, "read" | "write">): JsonObject {
  const writing = [...kinds].filter(([, kind]) => kind === "write");
  return Object.fromEntries(writing.map(([name]) => [name, []]));
}

function namesOf({ steps }: Trace): string[] {
  return steps.flatMap((step) => (step.kind === "tool" ? [step.name] : []));
}

function kindOf(name: string, { steps }: Trace, options: RecordedOptions): "read" | "write" {
  const declared = options.world?.tools[name]?.kind;
  if (declared !== undefined) return declared;
  const recorded = steps.find((step) => step.kind === "tool" && step.name === name);
  const known = recorded?.kind === "tool" ? recorded.write : undefined;
  const writes = options.writes?.includes(name) ?? known ?? effectOfName(name) === "write";
  return writes ? "write" : "read";
}
