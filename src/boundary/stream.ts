import { Readable } from "node:stream";
import { decode, encode } from "../shared/encode.ts";
import { isObject, type Json } from "../shared/json.ts";
import { withGrowing } from "../trace/growing.ts";
import { describeError } from "../trace/trace-error.ts";
import type { ToolResult } from "../trace/trace.ts";

/** A stream that is being recorded: what the agent reads, and the result that grows with it. */
interface Tapped {
  /** To hand over in the stream's place; chunks, errors and pace are the original's. */
  readonly stream: object;
  readonly result: ToolResult;
}

/** Whether a value is read chunk by chunk: an async iterable, a web stream or a Node stream. */
export function isStream(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  try {
    return typeof Reflect.get(value, Symbol.asyncIterator) === "function" || isWebStream(value);
  } catch {
    return false;
  }
}

/** Records a stream while it is read; `scope` runs each pull, so that what the stream does belongs where it began. */
export function tapStream(stream: object, scope: <T>(run: () => T) => T = (run) => run()): Tapped {
  if (isNodeStream(stream)) return tapped(openTape("node"), (tape) => tapEvents(stream, tape));
  if (isWebStream(stream)) return tapped(openTape("web"), (tape) => tapWeb(stream, tape));
  return tapped(openTape(), (tape) => tapIterable(stream, tape, scope));
}

/** Whether recorded data is that of a stream: `{ "$t": "stream", "v": [chunks], "as"?: "web" | "node" }`. */
export function isRecordedStream(
  data: Json | undefined,
): data is { $t: "stream"; v: Json[]; as?: string } {
  return isObject(data) && data["$t"] === "stream" && Array.isArray(data["v"]);
}

/** A recorded stream to read again, of the recorded sort: the chunks, then the error that broke it. */
export function rebuildStream(data: Json, broken?: () => unknown): object {
  const chunks = isRecordedStream(data) ? data.v : [];
  const as = isRecordedStream(data) ? data.as : undefined;
  const again = async function* (): AsyncGenerator<unknown, void> {
    for (const chunk of chunks) yield decode(chunk);
    if (broken !== undefined) throw broken();
  };
  if (as === "web") return ReadableStream.from(again());
  return as === "node" ? Readable.from(again()) : again();
}

function tapped(tape: Tape, tap: (tape: Tape) => object): Tapped {
  return { stream: tap(tape), result: tape.result };
}

interface Tape {
  readonly result: ToolResult;
  chunk(value: unknown): void;
  end(): void;
  fail(thrown: unknown): void;
}

function openTape(as?: "web" | "node"): Tape {
  const chunks: Json[] = [];
  const listeners: ((whole: ToolResult) => void)[] = [];
  let whole: ToolResult | undefined;
  const data = (): Json => ({ $t: "stream", v: [...chunks], ...(as === undefined ? {} : { as }) });
  const close = (result: ToolResult): void => {
    if (whole !== undefined) return;
    whole = result;
    for (const listener of listeners) listener(result);
  };
  return {
    result: withGrowing(
      { ok: true, data: data() },
      {
        onEnd: (listener) =>
          void (whole === undefined ? listeners.push(listener) : listener(whole)),
        soFar: () => whole ?? { ok: true, data: data() },
      },
    ),
    chunk: (value) => {
      if (whole === undefined) chunks.push(encode(value));
    },
    end: () => close({ ok: true, data: data() }),
    fail: (thrown) => close({ ok: false, error: describeError(thrown), data: data() }),
  };
}

type Scope = <T>(run: () => T) => T;

/** The same object, seen through a Proxy that notes what its iterators give. */
function tapIterable(source: object, tape: Tape, scope: Scope): object {
  const noted = (step: PromiseLike<IteratorResult<unknown>>): Promise<IteratorResult<unknown>> =>
    Promise.resolve(step).then(
      (result) => {
        if (result.done === true) tape.end();
        else tape.chunk(result.value);
        return result;
      },
      (thrown: unknown) => {
        tape.fail(thrown);
        throw thrown;
      },
    );
  const tapIterator = (iterator: object): object =>
    proxied(iterator, (target, key) => {
      const member: unknown = Reflect.get(target, key);
      if (typeof member !== "function") return member;
      if (key === Symbol.asyncIterator) return () => tapIterator(iterator);
      if (key !== "next" && key !== "return" && key !== "throw") return member.bind(target);
      return (...args: unknown[]) => noted(scope(() => Reflect.apply(member, target, args)));
    });
  if (typeof Reflect.get(source, "next") === "function") return tapIterator(source);
  return proxied(source, (target, key) => {
    const member: unknown = Reflect.get(target, key);
    if (typeof member !== "function") return member;
    if (key === Symbol.asyncIterator) return () => tapIterator(Reflect.apply(member, target, []));
    return member.bind(target);
  });
}

function proxied(target: object, get: (target: object, key: string | symbol) => unknown): object {
  return new Proxy(target, { get: (inner, key) => get(inner, key) });
}

/** A web stream cannot be proxied (its methods want the real one), so a new one pulls from it, one chunk a pull. */
function tapWeb(source: ReadableStream<unknown>, tape: Tape): ReadableStream<unknown> {
  const reader = source.getReader();
  return new ReadableStream<unknown>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) {
            tape.end();
            controller.close();
          } else {
            tape.chunk(value);
            controller.enqueue(value);
          }
        } catch (thrown) {
          tape.fail(thrown);
          throw thrown;
        }
      },
      async cancel(reason) {
        tape.end();
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

/** A Node stream emits all that is read, in every mode: its own `emit` is listened to, nothing starts to flow. */
function tapEvents(stream: NodeStream, tape: Tape): NodeStream {
  const { emit } = stream;
  Object.defineProperty(stream, "emit", {
    configurable: true,
    writable: true,
    value(this: NodeStream, event: unknown, ...args: unknown[]): boolean {
      if (event === "data") tape.chunk(args[0]);
      else if (event === "end" || event === "close") tape.end();
      else if (event === "error") tape.fail(args[0]);
      return Reflect.apply(emit, this, [event, ...args]);
    },
  });
  return stream;
}

interface NodeStream {
  emit: (...args: unknown[]) => boolean;
}

function isNodeStream(value: object): value is NodeStream {
  return ["emit", "pipe", "read", "on"].every(
    (name) => typeof Reflect.get(value, name) === "function",
  );
}

function isWebStream(value: object): value is ReadableStream<unknown> {
  return ["getReader", "tee", "pipeThrough", "cancel"].every(
    (name) => typeof Reflect.get(value, name) === "function",
  );
}
