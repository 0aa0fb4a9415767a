import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { isUntouched, specText } from "./spec.ts";
import { jestStyleOf } from "./style.ts";

function styleIn(files: Readonly<Record<string, object>>, typescript: boolean): unknown {
  const root = mkdtempSync(join(tmpdir(), "twiceshy-jest-style-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const [name, value] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), JSON.stringify(value));
  }
  const { extension, imports, requires } = jestStyleOf(join(root, "tests"), root, typescript).style;
  return [extension, imports, requires === true ? "require" : "import"];
}

const options = (compilerOptions: object): object => ({ compilerOptions });

test.each([
  ["plain JavaScript of a CommonJS package", {}, false, [".js", "as written", "require"]],
  [
    "plain JavaScript of an ESM package",
    { "package.json": { type: "module" } },
    false,
    [".js", "as written", "import"],
  ],
  [
    "TypeScript that becomes CommonJS",
    { "tsconfig.json": options({ module: "commonjs" }) },
    true,
    [".ts", "none", "import"],
  ],
  [
    "TypeScript by Node's rules in a CommonJS package",
    { "tsconfig.json": options({ module: "nodenext" }) },
    true,
    [".ts", "none", "import"],
  ],
  [
    "TypeScript by Node's rules in an ESM package",
    {
      "tsconfig.json": options({ module: "nodenext" }),
      "package.json": { type: "module" },
    },
    true,
    [".ts", "js", "import"],
  ],
  [
    "TypeScript with endings as they are",
    { "tsconfig.json": options({ module: "nodenext", allowImportingTsExtensions: true }) },
    true,
    [".ts", "as written", "import"],
  ],
])("Jest's spec of %s", (...row) => {
  const [, files, typescript, wanted] = row;
  expect(styleIn(files, typescript)).toEqual(wanted);
});

const STYLE = { extension: ".js", imports: "as written", self: "__filename" } as const;

function text(requires: boolean, name: string): string {
  return specText({
    repros: "a.repros.json",
    agent: { path: "../agent.js", export: name },
    style: { ...STYLE, runner: "jest", ...(requires ? { requires: true } : {}) },
    groups: [{ label: "a cause", tests: [{ id: "3f2a91c4", title: "one" }] }],
  });
}

test("a spec for Jest names its environment in Jest's way, and itself nowhere", () => {
  expect(text(true, "default").replaceAll("@", "(at)")).toMatchInlineSnapshot(`
    "/** (at)jest-environment twiceshy/jest/environment */
    // Written by twiceshy. Review the repros beside it; this file is rewritten from them.
    // Digest of what follows: fa499a8eacf8b94e

    const { describe, expect, replays, test } = require("twiceshy/jest");
    const { default: agent } = require("../agent.js");

    const replay = replays("a.repros.json", agent);

    describe("a cause", () => {
      test("one [3f2a91c4]", async () => {
        expect(await replay("3f2a91c4")).toMatchBaseline();
      });
    });
    "
  `);
  expect(text(false, "test")).toContain('import { test as agent } from "../agent.js";');
  expect(isUntouched(text(false, "run"))).toBe(true);
  expect(isUntouched(text(true, "run").replace("one", "two"))).toBe(false);
});
