import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { record } from "../agent/record.ts";
import { sleep } from "../shared/clock.ts";
import type { ToolResult, ToolStep } from "../trace/trace.ts";
import { within } from "./ambient.ts";
import { boundary } from "./boundary.ts";
import { instrument } from "./instrument.ts";
import { isStream, rebuildStream } from "./stream.ts";

async function read(stream: unknown): Promise<unknown[]> {
  const chunks: unknown[] = [];
  for await (const chunk of stream as AsyncIterable<unknown>) chunks.push(chunk);
  return chunks;
}

/** Records one call of a tool that streams; gives the step and what the agent made of the stream. */
async function streamed(
  tool: () => unknown,
  use: (stream: any) => unknown,
): Promise<{ step: ToolStep; used: unknown }> {
  let used: unknown;
  const agent = async (_: unknown, { tools }: any): Promise<void> => {
    used = await use(await tools.stream());
  };
  const trace = await record(agent, "x", { tools: { stream: tool } });
  return { step: trace.steps[1] as ToolStep, used };
}

async function* parts(): AsyncGenerator<unknown, void> {
  yield "a";
  await sleep(1);
  yield { b: 1 };
}

test("the chunks of an async generator pass through and are kept when it ends", async () => {
  const chunk = { b: 1 };
  const { step, used } = await streamed(async function* () {
    yield "a";
    yield chunk;
  }, read);
  expect(used).toEqual(["a", { b: 1 }]);
  expect((used as unknown[])[1]).toBe(chunk);
  expect(step.result).toEqual({ ok: true, data: { $t: "stream", v: ["a", { b: 1 }] } });
});

test("nothing is read before the agent asks, and nothing ahead of it", async () => {
  const made: number[] = [];
  const pace = async (stream: any): Promise<number[][]> => {
    const seen = [[...made]];
    const iterator = stream[Symbol.asyncIterator]();
    await iterator.next();
    seen.push([...made]);
    await iterator.return?.();
    return seen;
  };
  const generator = async function* (): AsyncGenerator<number> {
    for (let i = 0; ; i++) {
      made.push(i);
      yield i;
    }
  };
  const { step, used } = await streamed(generator, pace);
  expect(used).toEqual([[], [0]]);
  expect(step.result).toEqual({ ok: true, data: { $t: "stream", v: [0] } });
});

test("a stream that breaks is an error that keeps its chunks", async () => {
  const { step, used } = await streamed(
    async function* () {
      yield 1;
      throw new RangeError("cut");
    },
    (stream) => read(stream).catch((error: unknown) => error),
  );
  expect(used).toBeInstanceOf(RangeError);
  expect(step.result).toEqual({
    ok: false,
    error: { name: "RangeError", message: "cut" },
    data: { $t: "stream", v: [1] },
  });
});

test("a stream that is not read to its end by the time the agent ends keeps what was read", async () => {
  const { step } = await streamed(parts, (stream) => stream.next());
  expect(step.result).toEqual({ ok: true, data: { $t: "stream", v: ["a"] } });
});

test("an async iterable of a foreign class keeps its other members", async () => {
  class Reply {
    #chunks = [1, 2];
    readonly id = "r1";
    count(): number {
      return this.#chunks.length;
    }
    async *[Symbol.asyncIterator](): AsyncGenerator<number> {
      yield* this.#chunks;
    }
  }
  const { step, used } = await streamed(
    () => new Reply(),
    async (reply) => [reply.id, reply.count(), await read(reply)],
  );
  expect(used).toEqual(["r1", 2, [1, 2]]);
  expect(step.result).toEqual({ ok: true, data: { $t: "stream", v: [1, 2] } });
});

test("a web stream is still one that the platform takes", async () => {
  const web = (): ReadableStream<string> => ReadableStream.from<string>(["a", "b"]);
  const encoded = await streamed(web, (stream) =>
    new Response(stream.pipeThrough(new TextEncoderStream())).text(),
  );
  expect(encoded.used).toBe("ab");
  expect(encoded.step.result).toEqual({
    ok: true,
    data: { $t: "stream", v: ["a", "b"], as: "web" },
  });
});

test("a Node stream is the same object, in every mode of reading", async () => {
  const node = Readable.from(["a", "b"]);
  const iterated = await streamed(
    () => node,
    async (stream) => [stream === node, await read(stream)],
  );
  expect(iterated.used).toEqual([true, ["a", "b"]]);
  const flowing = await streamed(
    () => Readable.from(["a", "b"]),
    (stream) => text(stream),
  );
  expect(flowing.used).toBe("ab");
  for (const { step } of [iterated, flowing]) {
    expect(step.result).toEqual({ ok: true, data: { $t: "stream", v: ["a", "b"], as: "node" } });
  }
});

test("a recorded stream is replayed as one of its sort", async () => {
  const data = { $t: "stream", v: ["a", { $t: "date", v: new Date(0).toISOString() }] };
  const results: ToolResult[] = [
    { ok: true, data },
    { ok: true, data: { ...data, as: "web" } },
    { ok: true, data: { ...data, as: "node" } },
  ];
  const { stream } = instrument({ stream: (): unknown => undefined });
  const again = results.map((result) =>
    within(
      boundary([], () => result),
      () => stream(),
    ),
  );
  expect(again[1]).toBeInstanceOf(ReadableStream);
  expect(again[2]).toBeInstanceOf(Readable);
  for (const each of again) expect(await read(each)).toEqual(["a", new Date(0)]);
});

test("a recorded stream that broke breaks again after its chunks", async () => {
  const broken: ToolResult = {
    ok: false,
    error: { name: "TypeError", message: "terminated" },
    data: { $t: "stream", v: [1] },
  };
  const stream = within(
    boundary([], () => broken),
    () => instrument({ f: (): unknown => 1 }).f(),
  ) as AsyncGenerator;
  expect(await stream.next()).toEqual({ done: false, value: 1 });
  await expect(stream.next()).rejects.toBeInstanceOf(TypeError);
});

test("a secret that is split over chunks is redacted", async () => {
  const secret = `sk-ant-api03-${"Ab3dE5gH1jK7mN9p".repeat(5)}-AAAAAA`;
  const pieces = ["key: ", secret.slice(0, 9), secret.slice(9, 30), `${secret.slice(30)} `, "end"];
  const asText = await streamed(async function* () {
    yield* pieces;
  }, read);
  const asDeltas = await streamed(async function* () {
    for (const delta of pieces) yield { type: "delta", delta };
  }, read);
  const asBytes = await streamed(async function* () {
    for (const piece of pieces) yield Buffer.from(piece);
  }, read);
  expect(asText.used).toEqual(pieces);
  for (const { step } of [asText, asDeltas]) {
    const kept = JSON.stringify(step.result);
    for (const piece of pieces.slice(1, 4)) expect(kept).not.toContain(piece.trim());
    expect(kept).toContain("[redacted:");
    expect(kept).toContain("end");
  }
  const data = (asBytes.step.result as { data: any }).data.v;
  const joined = data.map((chunk: any) => Buffer.from(chunk.v, "base64").toString()).join("");
  expect(joined).not.toContain(secret.slice(0, 30));
  expect(data).toHaveLength(5);
});

test("what is no stream is none", () => {
  for (const value of [
    null,
    "a",
    [1],
    new Map(),
    {},
    (async () => 1)(),
    (function* () {
      yield 1;
    })(),
  ])
    expect(isStream(value)).toBe(false);
  expect(isStream(rebuildStream({ $t: "stream", v: [] }))).toBe(true);
});
