import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Json } from "../shared/json.ts";
import { createRedactor } from "../shared/redact.ts";
import { anyJson } from "../testing/traces.ts";
import { redactChunks } from "./chunks.ts";

const SECRET = `sk-ant-api03-${"Ab3dE5gH1jK7mN9p".repeat(5)}-AAAAAA`;

test("a secret is redacted wherever the chunks divide it, and the rest stays", () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: SECRET.length + 13 }), { maxLength: 8 }), (cuts) => {
      const text = `before ${SECRET} after`;
      const places = [0, ...cuts.sort((a, b) => a - b), text.length];
      const chunks = places.slice(1).map((end, i) => text.slice(places[i], end));
      for (const shape of [
        (piece: string): Json => piece,
        (piece: string): Json => ({ delta: { text: piece } }),
      ]) {
        const redacted = redactChunks(chunks.map(shape), createRedactor());
        const joined = redacted
          .map((chunk: any) => (typeof chunk === "string" ? chunk : chunk.delta.text))
          .join("");
        expect(joined).toMatch(/^before \[redacted:[\w-]+#1\] after$/);
        expect(redacted).toHaveLength(chunks.length);
      }
    }),
  );
});

test("chunks without secrets stay as they are, whatever they are", () => {
  const off = createRedactor({ off: true });
  fc.assert(
    fc.property(fc.array(anyJson()), (chunks) => {
      expect(redactChunks(chunks, off)).toEqual(chunks);
    }),
  );
});

test("what was given is not changed", () => {
  const chunks: Json[] = [{ delta: SECRET.slice(0, 50) }, { delta: SECRET.slice(50) }];
  const before = structuredClone(chunks);
  redactChunks(chunks, createRedactor());
  expect(chunks).toEqual(before);
});

test("redacting any chunks never throws and keeps their number", () => {
  fc.assert(
    fc.property(fc.array(anyJson(), { maxLength: 5 }), (chunks) => {
      expect(redactChunks(chunks, createRedactor())).toHaveLength(chunks.length);
    }),
  );
});
