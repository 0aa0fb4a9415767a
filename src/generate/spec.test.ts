import * as fc from "fast-check";
import { expect, test } from "vitest";
import { title } from "../shared/text.ts";
import { hostileText, ran } from "../testing/hostile.ts";
import { isSameSpec, isSpec, isUntouched, specText, type Spec } from "./spec.ts";

const evil = hostileText();

const anySpec: fc.Arbitrary<Spec> = fc.record({
  repros: evil,
  agent: fc.record({
    path: evil,
    export: fc.constantFrom("run", "default", "test", "expect", "delete", "agent"),
  }),
  style: fc.record({
    extension: fc.constantFrom(".ts", ".mts", ".js", ".mjs"),
    imports: fc.constantFrom("as written", "js", "none"),
    self: fc.constantFrom("import.meta.url", "__filename"),
  }),
  groups: fc.array(
    fc.record({
      label: evil,
      tests: fc.array(fc.record({ id: fc.stringMatching(/^[0-9a-f]{8,12}$/), title: evil }), {
        minLength: 1,
        maxLength: 3,
      }),
    }),
    { maxLength: 3 },
  ),
});

/** 2,000 by default; `TWICESHY_FUZZ=20000` for the long run. */
const RUNS = Number(process.env["TWICESHY_FUZZ"] ?? 2000);

test(
  "no name, label or title in a spec runs, ends a comment or is a pragma",
  { timeout: 300_000 },
  () => {
    fc.assert(
      fc.property(anySpec, (spec) => {
        const text = specText(spec);
        const log = ran(text);
        expect(log.canaries).toBe(0);
        expect(log.labels).toEqual(spec.groups.map(({ label }) => title(label)));
        const tests = spec.groups.flatMap((group) => group.tests);
        expect(log.titles).toEqual(tests.map((one) => `${title(one.title)} [${one.id}]`));
        expect(log.replayed).toEqual(tests.map(({ id }) => id));
        const [pragma, ...rest] = text.split("\n");
        expect(pragma).toBe("// \u0040vitest-environment twiceshy");
        expect(rest.join("\n")).not.toMatch(/@|<!--|-->|\/\/#/u);
        expect(rest.filter((line) => /^\s*(?:::|##\[)/u.test(line))).toEqual([]);
        expect(text.replaceAll("\n", "")).not.toMatch(
          /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{DI}]/u,
        );
      }),
      { numRuns: RUNS },
    );
  },
);

test("every spec of ours is untouched until a character of its code is changed", () => {
  fc.assert(
    fc.property(anySpec, fc.nat(), (spec, at) => {
      const text = specText(spec);
      expect(isUntouched(text)).toBe(true);
      expect(isUntouched(text.replaceAll("\n", "\r\n"))).toBe(true);
      const lines = text.split("\n");
      const place = 4 + (at % (lines.length - 4));
      lines.splice(place, 0, "console.log(1);");
      expect(isUntouched(lines.join("\n"))).toBe(false);
      expect(isSpec(lines.join("\n"))).toBe(true);
    }),
  );
});

const SPEC: Spec = {
  repros: "support-bot.repros.json",
  agent: { path: "../../src/agent.ts", export: "run" },
  style: { extension: ".ts", imports: "as written", self: "import.meta.url" },
  groups: [
    {
      label: "tool_error in refund",
      tests: [
        { id: "3f2a91c4", title: "refund the order of Grace" },
        { id: "77aa0001", title: 'it\'s "quoted"' },
      ],
    },
  ],
};

test("a spec reads as an ordinary test file", () => {
  // A runner would obey the first line if it stood in this file.
  expect(specText(SPEC).replace("@", "(at)")).toMatchInlineSnapshot(`
    "// (at)vitest-environment twiceshy
    // Written by twiceshy. Review the repros beside it; this file is rewritten from them.
    // Digest of what follows: 52845d876e683973

    import { describe, expect, replays, test } from "twiceshy/vitest";
    import { run } from "../../src/agent.ts";

    const replay = replays(import.meta.url, "support-bot.repros.json", run);

    describe("tool_error in refund", () => {
      test("refund the order of Grace [3f2a91c4]", async () => {
        expect(await replay("3f2a91c4")).toMatchBaseline();
      });

      test("it's \\"quoted\\" [77aa0001]", async () => {
        expect(await replay("77aa0001")).toMatchBaseline();
      });
    });
    "
  `);
});

test("a formatter's layout is no edit", () => {
  const text = specText(SPEC);
  const formatted = text
    .split("\n")
    .map((line) =>
      line.startsWith("//")
        ? line
        : line
            .replace(/;$/, "")
            .replace(/^ {2}/, "\t")
            .replaceAll('"refund the', "'refund the")
            .replaceAll('4]"', "4]'"),
    )
    .join("\n")
    .replace("run);", "run,\n);");
  expect(formatted).not.toBe(text);
  expect(isUntouched(formatted)).toBe(true);
  expect(isSameSpec(formatted, text)).toBe(true);
});

test("a file without our header, or with a wrong digest, is not untouched", () => {
  const text = specText(SPEC);
  expect(isUntouched("")).toBe(false);
  expect(isUntouched(text.replace(/\n\/\/ Digest[^\n]*/, ""))).toBe(false);
  expect(isUntouched(text.replace("toMatchBaseline", "toPassChecks"))).toBe(false);
});

test("an export that is a word of the spec gets another name in it", () => {
  const named = (name: string): string =>
    specText({ ...SPEC, agent: { path: "./agent.ts", export: name } })
      .split("\n")
      .find((line) => line.includes("agent.ts")) ?? "";
  expect(named("run")).toBe('import { run } from "./agent.ts";');
  expect(named("default")).toBe('import { default as agent } from "./agent.ts";');
  expect(named("test")).toBe('import { test as agent } from "./agent.ts";');
  expect(named("replay")).toBe('import { replay as agent } from "./agent.ts";');
});

test("an empty or unseen title is (empty), a title with placeholders stays", () => {
  const spec = {
    ...SPEC,
    groups: [
      {
        label: "\u0000\u200B",
        tests: [
          { id: "3f2a91c4", title: "" },
          { id: "3f2a91c5", title: "100% %s $x %j" },
        ],
      },
    ],
  };
  expect(ran(specText(spec))).toMatchObject({
    titles: ["(empty) [3f2a91c4]", "100% %s $x %j [3f2a91c5]"],
    labels: ["(empty)"],
  });
});
