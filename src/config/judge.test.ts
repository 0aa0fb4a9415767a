import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { configSchema, type UserConfig } from "./config.ts";
import { defineConfig } from "./define.ts";
import { loadConfig, resolveConfig } from "./load.ts";
import { isPlainlyValid } from "./plain.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "twiceshy-config-judge-"));
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

const DEFAULTS = { timeoutMs: 120_000, concurrency: 2, minConfidence: 0.6, gate: false };

function judgeOf(judge: UserConfig["judge"], env: Record<string, string> = {}): unknown {
  return resolveConfig(root, { judge }, env).judge;
}

async function judgeIn(
  file: object,
  inline: UserConfig["judge"],
  env: Record<string, string> = {},
): Promise<unknown> {
  writeFileSync(join(root, "twiceshy.config.json"), JSON.stringify({ judge: file }));
  return (await loadConfig(root, { judge: inline }, env)).judge;
}

test("a judge is a model's name, a function, where one is, or all about it; none is the default", () => {
  const ask = (): string => "";
  expect(judgeOf(undefined)).toBeUndefined();
  expect(judgeOf(false)).toBeUndefined();
  expect(judgeOf(true)).toEqual({ model: "llama3.2", ...DEFAULTS });
  expect(judgeOf("qwen3:8b")).toEqual({ model: "qwen3:8b", ...DEFAULTS });
  expect(judgeOf(ask)).toEqual({ model: "ask", ask, ...DEFAULTS });
  expect(judgeOf("./judge.ts#ask")).toEqual({
    model: "./judge.ts#ask",
    ask: "./judge.ts#ask",
    ...DEFAULTS,
  });
  expect(judgeOf({ model: "m", ask: "./judge.ts#ask", gate: true })).toEqual({
    ...DEFAULTS,
    model: "m",
    ask: "./judge.ts#ask",
    gate: true,
  });
});

test("OLLAMA_HOST says where Ollama runs, unless the option does, and is nothing to a function", () => {
  const env = { OLLAMA_HOST: "10.0.0.7" };
  expect(judgeOf(true, env)).toMatchObject({ host: "10.0.0.7" });
  expect(judgeOf({ host: "other" }, env)).toMatchObject({ host: "other" });
  expect(judgeOf("./judge.ts#ask", env)).not.toHaveProperty("host");
  expect(judgeOf(true, { OLLAMA_HOST: "" })).not.toHaveProperty("host");
});

test("a later layer changes what it names and keeps the rest; one that names a model means Ollama", async () => {
  const file = { ask: "./judge.ts#ask", model: "mine", gate: true, timeoutMs: 5 };
  expect(await judgeIn(file, true)).toMatchObject(file);
  expect(await judgeIn(file, undefined)).toMatchObject(file);
  expect(await judgeIn(file, false)).toBeUndefined();
  const named = await judgeIn(file, { model: "gemma3" });
  expect(named).toMatchObject({ model: "gemma3", gate: true, timeoutMs: 5 });
  expect(named).not.toHaveProperty("ask");
  expect(await judgeIn({ host: "h", model: "a" }, "./b.ts#ask")).toEqual({
    ...DEFAULTS,
    model: "./b.ts#ask",
    ask: "./b.ts#ask",
  });
  expect(
    await judgeIn({ host: "h", gate: true }, undefined, { TWICESHY_JUDGE_MODEL: "m" }),
  ).toMatchObject({
    model: "m",
    host: "h",
    gate: true,
  });
});

test.each([
  [{ modle: "x" }, /there is no option "modle" in \/judge\. Did you mean "model"/],
  [{ timeoutMs: 0 }, /\/judge\/timeoutMs is wrong/],
  [{ timeoutMs: 300_001 }, /\/judge\/timeoutMs is wrong/],
  [{ concurrency: 0 }, /\/judge\/concurrency is wrong/],
  [{ minConfidence: 70 }, /\/judge\/minConfidence is wrong/],
  [{ ask: "./judge.ts" }, /\/judge\/ask is wrong/],
  [
    { ask: "./judge.ts#ask", host: "h" },
    /\/judge\/host is wrong: is for Ollama, and `ask` is there in its place/,
  ],
  [7, /\/judge is wrong: must be the name of a model, "file#export", a function, or/],
  ["", /\/judge is wrong/],
  ["#ask", /\/judge is wrong/],
])("the judge %j is refused", async (judge, said) => {
  await expect(loadConfig(root, { judge } as unknown as UserConfig)).rejects.toThrow(said);
});

test("what is plainly right is taken by the schema as it is", () => {
  for (const judge of [true, false, "llama3.2", { model: "llama3.2" }, { gate: true }, {}]) {
    expect(isPlainlyValid({ judge })).toBe(true);
    expect(configSchema.parse({ judge })).toEqual({ judge });
  }
  expect(isPlainlyValid({ judge: "./a.ts#" })).toBe(false);
});

test("a function in the options knows the types of what it is given", () => {
  const config = defineConfig({
    judge: async (prompt, { trace, format }) => {
      const length: number = prompt.length + trace.steps.length;
      return { off_track: length > 3, reason: typeof format };
    },
  });
  expect(typeof config.judge).toBe("function");
});
