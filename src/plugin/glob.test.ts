import { expect, test } from "vitest";
import { isMeant } from "./glob.ts";

test.each([
  ["/p/.twiceshy/traces/**/*.jsonl", "/p/.twiceshy/traces/a.jsonl", true],
  ["/p/.twiceshy/traces/**/*.jsonl", "/p/.twiceshy/traces/x/y/a.jsonl", true],
  ["/p/.twiceshy/traces/**/*.jsonl", "/p/.twiceshy/traces/a.json", false],
  ["/p/.twiceshy/traces/**/*.jsonl", "/p/twiceshy/traces/a.jsonl", false],
  ["/p/t/*.{json,jsonl}", "/p/t/a.json", true],
  ["/p/t/*.{json,jsonl}", "/p/t/b/a.json", false],
  ["/p/t/run-?.json", "/p/t/run-1.json", true],
  ["/p/t", "/p/t/deep/a.jsonl", true],
  ["/p/t/a.jsonl", "/p/t/a.jsonl", true],
  ["/p/t/a.jsonl", "/p/t/aXjsonl", false],
  ["/p/(x)/*.jsonl", "/p/(x)/a.jsonl", true],
])("%s and %s: %s", (glob, path, meant) => {
  expect(isMeant(glob, path)).toBe(meant);
});
