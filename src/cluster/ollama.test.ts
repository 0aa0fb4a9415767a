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

beforeEach(async () => {
  asked = [];
  dimensions = 8;
  answer = undefined;
  server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk: Buffer) => (text += chunk.toString("utf8")));
    request.on("end", () => {
      const body = JSON.parse(text) as { model: string; input: string[] };
      asked.push(body);
      const plain = { model: body.model, embeddings: body.input.map((each) => vectorOf(each)) };
      const [status, content] = answer?.(body) ?? [200, JSON.stringify(plain)];
      response.writeHead(request.url === "/api/embed" ? status : 404);
      response.end(content);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(async () => {
  await new Promise((resolve) => server.close(resolve));
});

function vectorOf(text: string): number[] {
  const place = /money|funds|balance/.test(text) ? 0 : 1;
  return Array.from({ length: dimensions }, (_, at) => (at === place ? 3 : 0.1));
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
  expect(embedder).toMatchObject({ name: "ollama:nomic-embed-text", dimensions: 8 });
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
  expect([...kept.kept.keys()]).toEqual(["ollama:nomic-embed-text 8", "ollama:nomic-embed-text 4"]);
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

test("a model that is missing, an odd answer and a server that is gone each say what to do", async () => {
  answer = () => [404, '{"error":"model \\"nomic-embed-text\\" not found"}'];
  await expect(ollama(["a"], { host })).rejects.toThrow(/ollama pull nomic-embed-text/);
  answer = () => [200, "<html>"];
  await expect(ollama(["a"], { host })).rejects.toThrow(/no JSON/);
  answer = () => [200, '{"embeddings":[["x"]]}'];
  await expect(ollama(["a"], { host })).rejects.toThrow(/no list of numbers/);
  await expect(ollama(["a"], { host: "127.0.0.1:1" })).rejects.toThrow(/OLLAMA_HOST/);
});

/** A word of letters alone: digits are not compared. */
function word(at: number): string {
  return String.fromCodePoint(97 + (at % 26), 97 + Math.floor(at / 26), 120);
}
