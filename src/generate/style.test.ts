import { join } from "node:path";
import { expect, test } from "vitest";
import { folderOf } from "../testing/trace-files.ts";
import { importPath, isTypescript, styleOf } from "./style.ts";

function styleIn(files: Readonly<Record<string, string>>, agent = "src/agent.ts"): string {
  const root = folderOf({ "tests/failures/.keep": "", ...files });
  const { style } = styleOf(join(root, "tests/failures"), root, isTypescript(agent));
  return `${style.extension} ${importPath(`../../${agent}`, style)} ${style.self}`;
}

const ESM = { "package.json": '{"type":"module"}' };
const tsconfig = (options: object): Record<string, string> => ({
  "tsconfig.json": JSON.stringify({ compilerOptions: options }),
});

test("without a tsconfig.json a TypeScript agent is imported as it is written", () => {
  expect(styleIn({})).toBe(".ts ../../src/agent.ts import.meta.url");
  expect(styleIn(ESM)).toBe(".ts ../../src/agent.ts import.meta.url");
});

test("a JavaScript project gets a JavaScript spec", () => {
  expect(styleIn(ESM, "src/agent.js")).toBe(".js ../../src/agent.js import.meta.url");
  expect(styleIn({}, "src/agent.mjs")).toBe(".mjs ../../src/agent.mjs import.meta.url");
  expect(styleIn({ "package.json": "{}" }, "src/agent.js")).toBe(
    ".mjs ../../src/agent.js import.meta.url",
  );
});

test("with nodenext and without .ts imports the ending is .js", () => {
  const next = tsconfig({ module: "NodeNext" });
  expect(styleIn({ ...ESM, ...next })).toBe(".ts ../../src/agent.js import.meta.url");
  expect(styleIn({ ...ESM, ...next }, "src/agent.mts")).toBe(
    ".ts ../../src/agent.mjs import.meta.url",
  );
  expect(styleIn({ ...ESM, ...tsconfig({ moduleResolution: "node16" }) })).toBe(
    ".ts ../../src/agent.js import.meta.url",
  );
});

test("with allowImportingTsExtensions or rewriteRelativeImportExtensions the ending stays .ts", () => {
  for (const option of ["allowImportingTsExtensions", "rewriteRelativeImportExtensions"]) {
    expect(styleIn({ ...ESM, ...tsconfig({ module: "nodenext", [option]: true }) })).toBe(
      ".ts ../../src/agent.ts import.meta.url",
    );
  }
});

test("with bundler resolution there is no ending, but for .mts and .cts", () => {
  const bundler = tsconfig({ module: "esnext", moduleResolution: "bundler" });
  expect(styleIn({ ...ESM, ...bundler })).toBe(".ts ../../src/agent import.meta.url");
  expect(styleIn({ ...ESM, ...bundler }, "src/agent.tsx")).toBe(
    ".ts ../../src/agent import.meta.url",
  );
  expect(styleIn({ ...ESM, ...bundler }, "src/agent.mts")).toBe(
    ".ts ../../src/agent.mjs import.meta.url",
  );
});

test("a CommonJS project gets __filename", () => {
  expect(styleIn(tsconfig({ module: "commonjs" }))).toBe(".ts ../../src/agent __filename");
  expect(styleIn(tsconfig({ module: "nodenext" }))).toBe(".ts ../../src/agent.js __filename");
});

test("where TypeScript refuses import in a CommonJS file, the spec is a module by its name", () => {
  expect(styleIn(tsconfig({ module: "node16" }))).toBe(".mts ../../src/agent.js import.meta.url");
  expect(styleIn(tsconfig({ module: "nodenext", verbatimModuleSyntax: true }))).toBe(
    ".mts ../../src/agent.js import.meta.url",
  );
});

test("comments, trailing commas, extends and references of a tsconfig are understood", () => {
  const own =
    '{ /* a */ "extends": "./base", "compilerOptions": { "strict": true, }, // "module": "commonjs"\n }';
  expect(
    styleIn({
      ...ESM,
      "tsconfig.json": own,
      "base.json": '{"compilerOptions":{"module":"nodenext"}}',
    }),
  ).toBe(".ts ../../src/agent.js import.meta.url");
  const solution = '{ "files": [], "references": [{ "path": "./tsconfig.app.json" }] }';
  const app = '{ "compilerOptions": { "moduleResolution": "bundler", "url": "http://x//y" } }';
  expect(styleIn({ ...ESM, "tsconfig.json": solution, "tsconfig.app.json": app })).toBe(
    ".ts ../../src/agent import.meta.url",
  );
  const shared = {
    "node_modules/@acme/tsconfig/tsconfig.json": '{"compilerOptions":{"module":"node20"}}',
  };
  expect(
    styleIn({ ...ESM, ...shared, "tsconfig.json": '{"extends":"@acme/tsconfig/tsconfig.json"}' }),
  ).toBe(".ts ../../src/agent.js import.meta.url");
});

test("a circle of extends and a broken tsconfig stop nothing", () => {
  expect(styleIn({ ...ESM, "tsconfig.json": '{"extends":"./tsconfig.json"}' })).toBe(
    ".ts ../../src/agent import.meta.url",
  );
  expect(styleIn({ ...ESM, "tsconfig.json": "{" })).toBe(".ts ../../src/agent.ts import.meta.url");
});
