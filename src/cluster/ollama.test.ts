import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { cluster, textsOf, type Clusterable } from "./cluster.ts";
import { ollama, type VectorShelf } from "./ollama.ts";

/** Answers as Ollama's `/api/embed` does: texts about money point one way, all others another. */
let server: Server;
let host = "";
let asked: { model: string; input: string[] }[] = [];
let dimensions = 8;
let answer: ((body: { model: string; input: string[] }) => [number, string]) | undefined;
let delayMs = 0;
/** By how many places another model of the same name points elsewhere. */
let turned = 0;

beforeEach(async () => {
  asked = [];
  dimensions = 8;
  answer = undefined;
  delayMs = 0;
  turned = 0;
  server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk: Buffer) => (text += chunk.toString("utf8")));
    request.on("end", () => {
      const body = JSON.parse(text) as { model: string; input: string[] };
      asked.push(body);
      const plain = { model: body.model, embeddings: body.input.map((each) => vectorOf(each)) };
      const [status, content] = answer?.(body) ?? [200, JSON.stringify(plain)];
      setTimeout(() => {
        response.writeHead(request.url === "/api/embed" ? status : 404);
        response.end(content);
      }, delayMs);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function vectorOf(text: string): number[] {
  const place = /money|funds|balance/.test(text) ? 0 : 1;
  return Array.from({ length: dimensions }, (_, at) => (at === (place + turned) % 8 ? 3 : 0.1));
}

function shelf(): VectorShelf & { readonly kept: Map<string, [string, Float32Array][]> } {
  const kept = new Map<string, [string, Float32Array][]>();
  return {
    kept,
    vectors: (model, size) =>
      (kept.get(`${model} ${size}`) ?? []).map(([text, vector]) => ({ text, vector })),
    addVectors(model, size, vectors) {
      const key = `${model} ${size}`;
      const all = kept.get(key) ?? [];
      for (const { text, vector } of vectors) all.push([text, vector]);
      kept.set(key, all);
    },
  };
}

function item(id: string, message: string): Clusterable {
  return {
    id,
    failures: [
      { kind: "tool_error", severity: "high", signature: "tool_error:pay", tool: "pay", message },
    ],
  };
}

const ITEMS = [
  item("a", "there is no money left on the card"),
  item("b", "insufficient funds for this payment"),
  item("c", "the printer has run out of paper"),
];

test("two wordings that the model finds alike are one cause, and the built-in embedder keeps them apart", async () => {
  const embedder = await ollama(textsOf(ITEMS), { host });
  expect(cluster(ITEMS, { embedder }).map(({ members }) => members)).toEqual([["a", "b"], ["c"]]);
  expect(cluster(ITEMS)).toHaveLength(3);
  expect(embedder).toMatchObject({
    name: expect.stringMatching(/^ollama:nomic-embed-text#[0-9a-f]{8}$/),
    dimensions: 8,
  });
});

test("a text is asked for once, and only the probe goes out when every vector is kept", async () => {
  const kept = shelf();
  await ollama(textsOf(ITEMS), { host, shelf: kept });
  expect(asked.map(({ input }) => input.length)).toEqual([1, 3]);
  asked = [];
  await ollama(textsOf(ITEMS), { host, shelf: kept });
  expect(asked.map(({ input }) => input)).toEqual([["probe"]]);
});

test("vectors of another dimension are never mixed with the ones at hand", async () => {
  const kept = shelf();
  await ollama(textsOf(ITEMS), { host, shelf: kept });
  dimensions = 4;
  const embedder = await ollama(textsOf(ITEMS), { host, shelf: kept });
  expect(textsOf(ITEMS).map((text) => embedder.embed(text).length)).toEqual([4, 4, 4]);
  expect([...kept.kept.keys()].map((key) => key.replace(/#\S+/, ""))).toEqual([
    "ollama:nomic-embed-text 8",
    "ollama:nomic-embed-text 4",
  ]);
});

test("a hundred texts are compared by the directions of their vectors, whatever their order", async () => {
  const many = Array.from({ length: 100 }, (_, at) =>
    item(`i${String(at)}`, at % 2 === 0 ? `no money ${word(at)}` : `no paper ${word(at)}`),
  );
  const embedder = await ollama(textsOf(many), { host });
  const clusters = cluster(many, { embedder });
  expect(clusters.map(({ size }) => size)).toEqual([50, 50]);
  expect(cluster(many.toReversed(), { embedder })).toEqual(clusters);
});

test("vectors of a model that had the same name and dimension before are never mixed with the ones at hand", async () => {
  const kept = shelf();
  const before = await ollama(textsOf(ITEMS), { host, shelf: kept });
  turned = 3;
  asked = [];
  const after = await ollama(textsOf(ITEMS), { host, shelf: kept });
  expect(asked.map(({ input }) => input.length)).toEqual([1, 3]);
  expect(after.name).not.toBe(before.name);
  expect(kept.kept.size).toBe(2);
});

test("a model that is missing, an odd answer and a server that is gone each say what to do", async () => {
  const plain = { host };
  answer = () => [404, '{"error":"model \\"nomic-embed-text\\" not found, try pulling it first"}'];
  await expect(ollama(["a"], plain)).rejects.toThrow(/ollama pull nomic-embed-text/);
  answer = () => [500, '{"error":"out of memory"}'];
  await expect(ollama(["a"], plain)).rejects.toThrow(/500: out of memory/);
  answer = () => [200, "<html>"];
  await expect(ollama(["a"], plain)).rejects.toThrow(/no JSON/);
  await expect(ollama(["a"], { host: "127.0.0.1:1" })).rejects.toThrow(/OLLAMA_HOST/);
});

test.each([
  ['{"embeddings":[["x"]]}', /no list of numbers/],
  ['{"embeddings":[[]]}', /no list of numbers/],
  ['{"embeddings":[null]}', /no list of numbers/],
  ['{"embeddings":[[1,1e300]]}', /no list of numbers/],
  ['{"embeddings":[[0,0,0]]}', /is zero/],
  ['{"embeddings":[]}', /does not have 1 vectors/],
  ['{"embeddings":{"0":[1]}}', /does not have 1 vectors/],
  ['{"embedding":[1,2]}', /does not have 1 vectors/],
  ["[]", /does not have 1 vectors/],
])("the answer %s is no vector", async (text, message) => {
  answer = () => [200, text];
  await expect(ollama(["a"], { host })).rejects.toThrow(message);
});

test("an answer that comes too late is not waited for", async () => {
  delayMs = 5000;
  const before = performance.now();
  await expect(ollama(["a"], { host, timeoutMs: 200 })).rejects.toThrow(/within 200 ms/);
  expect(performance.now() - before).toBeLessThan(3000);
});

test("a model that changes its dimension between two answers is refused, and nothing of it is kept", async () => {
  const kept = shelf();
  answer = ({ input }) => {
    const size = input[0] === "probe" ? 8 : 4;
    return [200, JSON.stringify({ embeddings: input.map(() => Array(size).fill(0.5)) })];
  };
  await expect(ollama(["a"], { host, shelf: kept })).rejects.toThrow(/differ in length/);
  expect(kept.kept.size).toBe(0);
});

test("the vectors of an interrupted time are there the next time", async () => {
  const kept = shelf();
  const many = Array.from({ length: 100 }, (_, at) => word(at));
  let answers = 0;
  answer = ({ input }) =>
    ++answers > 2
      ? [503, "busy"]
      : [200, JSON.stringify({ embeddings: input.map((text) => vectorOf(text)) })];
  await expect(ollama(many, { host, shelf: kept })).rejects.toThrow(/503/);
  [answer, asked] = [undefined, []];
  await ollama(many, { host, shelf: kept });
  expect(asked.map(({ input }) => input.length)).toEqual([1, 36]);
});

test("an empty text is not asked for", async () => {
  const embedder = await ollama([""], { host });
  expect(asked.map(({ input }) => input)).toEqual([["probe"]]);
  expect(embedder.embed("")).toHaveLength(8);
});

/** A word of letters alone: digits are not compared. */
function word(at: number): string {
  return String.fromCodePoint(97 + (at % 26), 97 + Math.floor(at / 26), 120);
}
