import dgram from "node:dgram";
import dns from "node:dns";
import { syncBuiltinESMExports } from "node:module";
import net from "node:net";

/** Where a connection, a datagram or a name look-up wants to go. */
export interface Target {
  /** A host name or address; `unix:<path>` for a local socket. */
  readonly host: string;
  readonly port?: number;
}

/** Gives the error of a target that is refused. */
type Judge = (target: Target) => Error | undefined;
type Fn = (this: unknown, ...args: unknown[]) => unknown;

/**
 * Puts a judge before every way to the network that the core modules offer; whatever client is used ends there. Gives
 * the function that takes it away again.
 */
export function patchNetwork(judge: Judge): () => void {
  const restores = [
    patchMember(net.Socket.prototype, "connect", (connect) => socketConnect(connect, judge)),
    patchMember(net.Socket.prototype, "_writeGeneric", (write) => socketWrite(write, judge)),
    patchMember(dgram.Socket.prototype, "send", (send) => datagram(send, judge, sendTarget)),
    patchMember(dgram.Socket.prototype, "connect", (connect) =>
      datagram(connect, judge, connectTarget),
    ),
    ...patchNames(dns, (fn) => lookUp(fn, judge)),
    ...patchNames(dns.Resolver.prototype, (fn) => lookUp(fn, judge)),
    ...patchNames(dns.promises, (fn) => lookUpLater(fn, judge)),
    ...patchNames(dns.promises.Resolver.prototype, (fn) => lookUpLater(fn, judge)),
  ];
  // So that `import { lookup } from "node:dns"` sees it.
  syncBuiltinESMExports();
  return () => {
    for (const restore of restores.reverse()) restore();
    syncBuiltinESMExports();
  };
}

function patchNames(holder: object, wrap: (fn: Fn) => Fn): (() => void)[] {
  return Object.getOwnPropertyNames(holder)
    .filter(
      (name) =>
        /^(?:lookup|resolve|reverse)/.test(name) && typeof Reflect.get(holder, name) === "function",
    )
    .map((name) => patchMember(holder, name, wrap));
}

function patchMember(holder: object, name: string, wrap: (fn: Fn) => Fn): () => void {
  const descriptor = Object.getOwnPropertyDescriptor(holder, name);
  const fn: unknown = Reflect.get(holder, name);
  if (!isFunction(fn)) return () => undefined;
  const patched = wrap(fn);
  // `util.promisify` reads the names of a look-up's answers from a hidden member.
  Object.defineProperties(patched, Object.getOwnPropertyDescriptors(fn));
  Object.defineProperty(holder, name, {
    value: patched,
    writable: true,
    enumerable: descriptor?.enumerable ?? true,
    configurable: true,
  });
  return () => {
    if (descriptor === undefined) Reflect.deleteProperty(holder, name);
    else Object.defineProperty(holder, name, descriptor);
  };
}

function isFunction(value: unknown): value is Fn {
  return typeof value === "function";
}

function socketConnect(connect: Fn, judge: Judge): Fn {
  return function (this: unknown, ...args) {
    const error = judge(socketTarget(args));
    if (error === undefined) return Reflect.apply(connect, this, args);
    // As a real socket fails: later, by its "error" event.
    process.nextTick(() => (this as net.Socket).destroy(error));
    return this;
  };
}

/** A connection that was open before, as a client keeps for its next request, is closed when it is used. */
function socketWrite(write: Fn, judge: Judge): Fn {
  return function (this: unknown, ...args) {
    const to = openTarget(this as OpenSocket);
    const error = to === undefined ? undefined : judge(to);
    const callback = args.at(-1);
    if (error === undefined || typeof callback !== "function")
      return Reflect.apply(write, this, args);
    process.nextTick(() => void callback(error));
    return undefined;
  };
}

type OpenSocket = Pick<net.Socket, "remoteAddress" | "remotePort"> & {
  readonly _host?: unknown;
  readonly _server?: unknown;
};

/** Where an open client connection goes; undefined for a server's, for a pipe, and while it is being opened. */
function openTarget({ remoteAddress, remotePort, _host, _server }: OpenSocket): Target | undefined {
  if (remoteAddress === undefined || (_server !== undefined && _server !== null)) return undefined;
  return target(typeof _host === "string" ? _host : remoteAddress, remotePort);
}

/** `net.connect` hands over one list, its options normalised; others call with a port, a path or options. */
function socketTarget(args: readonly unknown[]): Target {
  const list = (Array.isArray(args[0]) ? args[0] : args) as readonly unknown[];
  const [first, second] = list;
  if (typeof first === "object" && first !== null) {
    const { host, port, path } = first as { host?: unknown; port?: unknown; path?: unknown };
    return typeof path === "string" ? { host: `unix:${path}` } : target(host, port);
  }
  if (typeof first === "string" && Number.isNaN(Number(first))) return { host: `unix:${first}` };
  return target(second, first);
}

function datagram(fn: Fn, judge: Judge, targetOf: (args: readonly unknown[]) => Target): Fn {
  return function (this: unknown, ...args) {
    const error = judge(targetOf(args));
    if (error === undefined) return Reflect.apply(fn, this, args);
    const callback = args.at(-1);
    process.nextTick(() => {
      if (typeof callback === "function") Reflect.apply(callback as Fn, undefined, [error]);
      else (this as dgram.Socket).emit("error", error);
    });
    return undefined;
  };
}

/** `send(message, [offset, length,] [port,] [address,] [callback])`. */
function sendTarget(args: readonly unknown[]): Target {
  const rest = args.slice(1).filter((value) => typeof value !== "function");
  return target(
    rest.find((value) => typeof value === "string" && Number.isNaN(Number(value))),
    rest.findLast((value) => typeof value === "number"),
  );
}

function connectTarget([port, address]: readonly unknown[]): Target {
  return target(address, port);
}

function lookUp(fn: Fn, judge: Judge): Fn {
  return function (this: unknown, ...args) {
    const callback = args.at(-1);
    const error = typeof callback === "function" ? judge(target(args[0], undefined)) : undefined;
    if (error === undefined) return Reflect.apply(fn, this, args);
    process.nextTick(callback as Fn, error);
    return {};
  };
}

function lookUpLater(fn: Fn, judge: Judge): Fn {
  return function (this: unknown, ...args) {
    const error = judge(target(args[0], undefined));
    return error === undefined ? Reflect.apply(fn, this, args) : Promise.reject(error);
  };
}

function target(host: unknown, port: unknown): Target {
  const name = typeof host === "string" && host !== "" ? host : "localhost";
  const number = Number(port);
  return port === undefined || port === null || Number.isNaN(number)
    ? { host: name }
    : { host: name, port: number };
}
