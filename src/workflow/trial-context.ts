import type { AgentContext, AgentRecorder, CatalogEntry } from "../agent/agent.ts";
import { contextOf } from "../agent/context.ts";
import { ambient } from "../boundary/ambient.ts";
import { isPromise, type Awaitable, type Boundary } from "../boundary/boundary.ts";
import type { Clock } from "../boundary/clock.ts";
import { rebuildError } from "../boundary/tool-error.ts";
import { turn } from "../shared/clock.ts";
import type { Json } from "../shared/json.ts";
import type { ToolResult, TraceError } from "../trace/trace.ts";
import { decodePlain, encodeFlat } from "./plain-copy.ts";

/** The agent's side of a trial: what its context is made of. */
export interface Side {
  readonly boundary: Boundary;
  readonly clock: Clock;
  readonly recorder: AgentRecorder;
  /** Names of the world's tools, and of those that write. */
  readonly tools: readonly string[];
  readonly writes: readonly string[];
  readonly signal: AbortSignal;
  readonly catalog: readonly CatalogEntry[];
  /** Answers a call by name without the way round: perhaps at once. */
  ask(tool: string, args: Json): Awaitable<ToolResult>;
  /** What `contextOf` gives, once somebody needs it; few agents do. */
  whole: AgentContext | undefined;
}

const NO_ARGS = Object.freeze({});

/** Where a context keeps what it is made of. */
const SIDE: unique symbol = Symbol.for("twiceshy.trial-context") as never;

type Holder = { readonly [SIDE]: Side };

/**
 * The same functions for every context: a getter of each object's own would cost an object shape that outlives the trial, and all
 * that the trial holds with it.
 */
const LAZY: Readonly<Record<string, PropertyDescriptor & ThisType<Holder>>> = {
  tools: lazy((side) => wholeOf(side).tools),
  recorder: lazy((side) => wholeOf(side).recorder),
  signal: lazy(({ signal }) => signal),
  catalog: lazy(({ catalog }) => catalog),
};

function lazy(read: (side: Side) => unknown): PropertyDescriptor {
  return {
    get(this: Holder) {
      return read(this[SIDE]);
    },
    enumerable: true,
    configurable: true,
  };
}

function wholeOf(side: Side): AgentContext {
  const { boundary, clock, recorder, tools, writes } = side;
  return (side.whole ??= contextOf({
    boundary,
    clock,
    recorder,
    tools,
    writes,
    signalOf: () => side.signal,
    catalogOf: () => side.catalog,
  }));
}

/**
 * The agent's context in a trial. It is what `contextOf` gives, made when it is needed; only a call by name goes a shorter way
 * to the same boundary, as a search makes millions of them.
 */
export function trialContext(side: Side): AgentContext {
  const context = {
    call(tool: string, args: Readonly<Record<string, unknown>> = NO_ARGS) {
      // Inside of another boundary, that one passes it on.
      const here = ambient();
      return here === side.boundary || here === undefined
        ? passed(side, tool, args)
        : wholeOf(side).call(tool, args);
    },
    clock: side.clock,
  };
  Object.defineProperty(context, SIDE, { value: side });
  for (const name of LAZY_NAMES) Object.defineProperty(context, name, LAZY[name] ?? {});
  return context as AgentContext;
}

const LAZY_NAMES = Object.keys(LAZY);

function passed(
  side: Side,
  tool: string,
  args: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  let answered: Awaitable<ToolResult>;
  try {
    answered = side.ask(tool, encodeFlat(args));
  } catch (refusal) {
    // After a turn of the event loop, so that an agent that tries for ever does not starve its own deadline.
    return quiet(
      turn().then(() => {
        throw refusal;
      }),
    );
  }
  if (isPromise(answered)) return quiet(answered.then(opened));
  if (answered.ok) return Promise.resolve(decodePlain(answered.data));
  return refused(answered);
}

/** A call that the agent does not wait for is its own affair: its rejection is no stray one. */
function quiet<T>(promise: Promise<T>): Promise<T> {
  promise.catch(nothing);
  return promise;
}

function nothing(): void {
  // Nobody is told.
}

/** Rejected once it is quiet: of each rejection that nobody waits for yet Node keeps a record. */
function refused(result: Refused): Promise<unknown> {
  if (isTold(result)) return Promise.resolve(decodePlain(result.data));
  let reject: (error: unknown) => void = nothing;
  const promise = quiet(
    new Promise<never>((_resolve, refuse) => {
      reject = refuse;
    }),
  );
  reject(rebuilt(result.error));
  return promise;
}

function opened(result: ToolResult): unknown {
  if (result.ok) return decodePlain(result.data);
  if (isTold(result)) return decodePlain(result.data);
  throw rebuilt(result.error);
}

type Refused = Extract<ToolResult, { readonly ok: false }>;

/** Whether it is an error that the tool told in its data, without throwing. */
function isTold(result: Refused): result is Refused & { readonly data: Json } {
  return result.data !== undefined && (result.error.source ?? "thrown") !== "thrown";
}

/** The error without a stack, which costs more than all the rest of a call: a search makes millions of them, and keeps none. */
function rebuilt(error: TraceError): unknown {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return rebuildError(error);
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}
