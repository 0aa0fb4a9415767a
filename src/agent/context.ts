import { encode } from "../shared/encode.ts";
import { ambientState } from "../boundary/ambient.ts";
import { positional } from "../boundary/arguments.ts";
import type { Boundary } from "../boundary/boundary.ts";
import { realClock, type Clock } from "../boundary/clock.ts";
import {
  toolNames,
  toolOf,
  wrapTool,
  wrapTools,
  type InstrumentOptions,
} from "../boundary/instrument.ts";
import { passBoundary, type Callable, type Tool } from "../boundary/pass.ts";
import type { AgentContext, AgentRecorder, CatalogEntry, Tools } from "./agent.ts";

/** What a context is made of. */
interface ContextParts extends InstrumentOptions {
  readonly boundary: Boundary;
  /** Live tools, or only names of tools that the boundary answers itself. */
  readonly tools: Tools | readonly string[];
  readonly recorder: AgentRecorder;
  readonly signalOf: () => AbortSignal;
  /** Default: the real one. */
  readonly clock?: Clock;
  /** Default: the names of the tools. Asked anew whenever the agent reads it. */
  readonly catalogOf?: () => readonly CatalogEntry[];
}

/** Where a context keeps what it is made of. */
const PARTS: unique symbol = Symbol.for("twiceshy.context-parts") as never;

type Holder = { readonly [PARTS]: ContextParts };

/**
 * The same functions for every context: a getter of each object's own would cost an object shape that outlives the run,
 * and all that the run holds with it.
 */
const LAZY: PropertyDescriptorMap & ThisType<Holder> = {
  signal: {
    get() {
      return this[PARTS].signalOf();
    },
    enumerable: true,
    configurable: true,
  },
  catalog: {
    get() {
      const { tools, catalogOf } = this[PARTS];
      const names = (): CatalogEntry[] =>
        (isNames(tools) ? tools : toolNames(tools)).map((name) => ({ name }));
      return catalogOf?.() ?? names();
    },
    enumerable: true,
    configurable: true,
  },
};

/** The context that is handed to an agent; all that it calls passes the boundary. */
export function contextOf(parts: ContextParts): AgentContext {
  const { boundary, tools, recorder, signalOf } = parts;
  const context: object = {
    tools: (isNames(tools)
      ? namedTools(tools, parts)
      : wrapTools(tools as Record<string, unknown>, parts, boundary)) as AgentContext["tools"],
    call: async (name: string, args: Readonly<Record<string, unknown>> = {}) =>
      called(parts, name, args),
    clock: parts.clock ?? realClock(signalOf),
    recorder: wordsOf(recorder),
  };
  Object.defineProperty(context, PARTS, { value: parts });
  return Object.defineProperties(context, LAZY) as AgentContext;
}

function called(
  parts: ContextParts,
  name: string,
  args: Readonly<Record<string, unknown>>,
): unknown {
  const { boundary } = parts;
  const live = isNames(parts.tools) ? undefined : parts.tools;
  const fn = live === undefined ? undefined : functionNamed(live, name);
  const tool = fn === undefined ? nameOnly(name, parts) : toolOf(name, fn, parts);
  const given = positional(args, tool.params);
  const state = ambientState();
  // Inside a tool: what it does itself lies behind the boundary.
  if (fn !== undefined && state !== undefined && state.boundary === undefined) {
    return Reflect.apply(fn, live, given) as unknown;
  }
  const invocation = { self: live, args: given, named: encode(args), later: true };
  return passBoundary(state?.boundary ?? boundary, tool, invocation);
}

function functionNamed(tools: object, name: string): Callable | undefined {
  return toolNames(tools).includes(name) ? (Reflect.get(tools, name) as Callable) : undefined;
}

/** The agent's words in the trace, as functions that it may take apart. */
export function wordsOf(recorder: AgentRecorder): AgentRecorder {
  return {
    model: (response, about) => recorder.model(response, about),
    reasoning: (text) => recorder.reasoning(text),
    output: (value) => recorder.output(value),
  };
}

export function isNames(tools: Tools | readonly string[]): tools is readonly string[] {
  return Array.isArray(tools);
}

/** Tools of which only the names are known. Any other name is a tool, too: what it answers is the boundary's matter. */
function namedTools(names: readonly string[], parts: ContextParts): object {
  // Without a prototype, so that an assignment is always a member of its own.
  const tools = Object.create(null) as Record<string, Callable>;
  for (const name of names) tools[name] = wrapTool(nameOnly(name, parts), parts.boundary);
  return new Proxy(tools, new OtherNames(parts));
}

/** Answers names that are in no list with tools of those names. */
class OtherNames implements ProxyHandler<Record<string, Callable>> {
  readonly #parts: ContextParts;
  #made: Map<string, Callable> | undefined;

  constructor(parts: ContextParts) {
    this.#parts = parts;
  }

  get(target: Record<string, Callable>, key: string | symbol): unknown {
    if (typeof key === "symbol" || Object.hasOwn(target, key) || NO_TOOLS.has(key))
      return Reflect.get(target, key) as unknown;
    const known = (this.#made ??= new Map()).get(key);
    if (known !== undefined) return known;
    const made = wrapTool(nameOnly(key, this.#parts), this.#parts.boundary);
    this.#made.set(key, made);
    return made;
  }
}

/** The language and its printers ask any object for these. */
const NO_TOOLS: ReadonlySet<string> = new Set(["then", "toJSON"]);

function nameOnly(name: string, { writes, params }: InstrumentOptions): Tool {
  const known = params !== undefined && Object.hasOwn(params, name) ? params[name] : undefined;
  return {
    name,
    ...(known === undefined ? {} : { params: known }),
    ...(writes?.includes(name) === true ? { write: true } : {}),
  };
}
