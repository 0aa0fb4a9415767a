import { failure } from "../shared/error.ts";
import { ambientState } from "./ambient.ts";
import { parameterNames } from "./arguments.ts";
import { isPromise, type Boundary } from "./boundary.ts";
import { passBoundary, type Callable, type Tool } from "./pass.ts";

/** What is known about tools beside their code. */
export interface InstrumentOptions<T = Record<string, unknown>> {
  /** Tools that change something. */
  readonly writes?: readonly (keyof T)[] | undefined;
  /** Parameter names of tools whose source does not show them, as minified ones. */
  readonly params?: Partial<Readonly<Record<keyof T, readonly string[]>>> | undefined;
}

/** What an instrumented tool knows of itself; shared by every copy of the package. */
const TOOL: unique symbol = Symbol.for("twiceshy.tool") as never;

/**
 * The same tools, which pass the boundary of the code that calls them: `record`, `capture` or a replay. Where there is
 * none they are called straight, without any copying.
 *
 *     export const tools = instrument({ searchOrders, refund }, { writes: ["refund"] });
 */
export function instrument<T extends object>(tools: T, options: InstrumentOptions<T> = {}): T {
  return wrapTools(tools, options);
}

/** As `instrument`, with a boundary for code that lost track of its own (a callback of a pool or an emitter). */
export function wrapTools<T extends object>(
  tools: T,
  options: InstrumentOptions<T> = {},
  boundary?: Boundary,
): T {
  requireTools(tools);
  const proto: unknown = Object.getPrototypeOf(tools);
  const isInstance =
    proto !== null && typeof proto === "object" && Object.getPrototypeOf(proto) !== null;
  const wrapped = Object.create(proto as object | null) as T;
  for (const name of memberNames(tools)) {
    const member: unknown = Reflect.get(tools, name);
    if (typeof member === "function") {
      const tool = toolOf(name, member as Callable, options as InstrumentOptions);
      const owner = isInstance ? { from: wrapped, to: tools } : undefined;
      define(wrapped, name, { value: wrapTool(tool, boundary, owner), writable: true });
    } else if (isInstance) {
      define(wrapped, name, {
        get: () => Reflect.get(tools, name) as unknown,
        set: (value: unknown) => void Reflect.set(tools, name, value),
      });
    } else throw notAFunction(name, member);
  }
  return wrapped;
}

/** Where `this` is the instrumented instance, the tool gets the real one: private members live only there. */
interface Owner {
  readonly from: object;
  readonly to: object;
}

/** One tool that passes the boundary. Its name, length, source and own members are the real function's. */
export function wrapTool(tool: Tool, boundary?: Boundary, owner?: Owner): Callable {
  const { fn } = tool;
  let later = fn === undefined || isAsync(fn);
  const call = (self: unknown, args: readonly unknown[]): unknown => {
    const state = ambientState();
    const current = state === undefined ? boundary : state.boundary;
    const target = owner !== undefined && self === owner.from ? owner.to : self;
    if (current === undefined && fn !== undefined)
      return Reflect.apply(fn, target, args) as unknown;
    const value = passBoundary(current ?? NOWHERE, tool, { self: target, args, later });
    later = isPromise(value);
    return value;
  };
  if (fn === undefined) return (...args: unknown[]) => call(undefined, args);
  return new Proxy(fn, {
    apply: (_target, self: unknown, args: unknown[]) => call(self, args),
    get(target, key) {
      if (key === TOOL) return tool;
      if (key === "toString") return () => Function.prototype.toString.call(target);
      return Reflect.get(target, key) as unknown;
    },
  });
}

/** A tool of which only the name is known is asked outside of any boundary. */
const NOWHERE: Boundary = {
  nextId: () => "call_0",
  call: ({ tool }) => {
    throw failure("E_TOOL_NOWHERE", {
      to: `call ${tool}`,
      because: "nothing replays here, and only the tool's name is known",
      fix: "Call it from the agent, with the context that the agent was given",
    });
  },
};

/** What is known of a tool: from the options, else from an instrumented function, else from its source. */
export function toolOf(name: string, fn: Callable, options: InstrumentOptions): Tool {
  const known = Reflect.get(fn, TOOL) as Tool | undefined;
  const given =
    options.params !== undefined && Object.hasOwn(options.params, name)
      ? options.params[name]
      : undefined;
  const params = given ?? known?.params ?? parameterNames(fn);
  const write = options.writes?.includes(name) === true || known?.write === true;
  return { name, fn, ...(params === undefined ? {} : { params }), ...(write ? { write } : {}) };
}

/** Names of all tools of a collection: its own functions, and the methods of a class. */
export function toolNames(tools: object): string[] {
  return memberNames(tools).filter((name) => typeof Reflect.get(tools, name) === "function");
}

function memberNames(tools: object): string[] {
  const names = new Set(Object.keys(tools));
  for (
    let proto: unknown = Object.getPrototypeOf(tools);
    isInner(proto);
    proto = Object.getPrototypeOf(proto)
  ) {
    for (const name of Object.getOwnPropertyNames(proto)) {
      const method: unknown = Object.getOwnPropertyDescriptor(proto, name)?.value;
      if (name !== "constructor" && typeof method === "function") names.add(name);
    }
  }
  return [...names];
}

/** A prototype that is not the last one: `Object.prototype`, of whatever realm, holds no tools. */
function isInner(proto: unknown): proto is object {
  return typeof proto === "object" && proto !== null && Object.getPrototypeOf(proto) !== null;
}

function define(target: object, name: string, descriptor: PropertyDescriptor): void {
  Object.defineProperty(target, name, { ...descriptor, enumerable: true, configurable: true });
}

function isAsync(fn: Callable): boolean {
  try {
    return Object.prototype.toString.call(fn) === "[object AsyncFunction]";
  } catch {
    return false;
  }
}

function requireTools(tools: unknown): void {
  if (typeof tools === "object" && tools !== null && !Array.isArray(tools)) return;
  throw failure("E_TOOLS_SHAPE", {
    to: "instrument tools",
    because: `${tools === null ? "null" : Array.isArray(tools) ? "a list" : `a value of type ${typeof tools}`} was given`,
    fix: "Give an object whose members are functions, as { searchOrders, refund }",
  });
}

function notAFunction(name: string, member: unknown): Error {
  return failure("E_TOOL_SHAPE", {
    to: `instrument the tool ${JSON.stringify(name)}`,
    because: `it is ${member === null ? "null" : `a value of type ${typeof member}`}, not a function`,
    fix: "Give functions only; of an SDK's tool object give the function that does the work",
  });
}
