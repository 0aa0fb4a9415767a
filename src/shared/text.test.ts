import * as fc from "fast-check";
import { expect, test } from "vitest";
import { clip, oneLine, slug, title, visible } from "./text.ts";

const RAW = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\p{DI}]|(?! )\p{Zs}/u;
/** As GitHub's runner reads lines: trimmed, `::` first, or `##[` anywhere. */
const isCommand = (line: string): boolean =>
  line.trimStart().startsWith("::") || line.includes("##[");

const hostile = fc
  .array(
    fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom(
        "::error::x",
        "##[error]",
        "\n",
        "\r",
        "\r\n",
        " ",
        "\t",
        ":",
        "#",
        "[",
        "@",
        "\u001b[2J",
        "\u001b]8;;http://e\u0007",
        "\u009b31m",
        "\u202e",
        "\u2066",
        "\u{e0041}",
        "\u3164",
        "\u2028",
        "\ufeff",
        "\ud800",
        "\u00a0",
        "\u200d",
        "\ufe0f",
        "👩‍💻",
        "\u0040vitest-environment x",
      ),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(""));

test("a visible text has no raw control or format character but line breaks, and no line is a command", () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const shown = visible(text);
      expect(shown.replaceAll("\n", "")).not.toMatch(RAW);
      expect(shown.split("\n").some(isCommand)).toBe(false);
      expect(visible(shown)).toBe(shown);
    }),
    { numRuns: 3000 },
  );
});

test("one line is one line of at most the given length", () => {
  fc.assert(
    fc.property(hostile, fc.integer({ min: 0, max: 40 }), (text, max) => {
      const line = oneLine(text, max);
      expect(line).not.toMatch(RAW);
      expect(isCommand(line)).toBe(false);
      expect(Array.from(line).length).toBeLessThanOrEqual(max);
      expect(oneLine(text)).not.toMatch(RAW);
    }),
    { numRuns: 2000 },
  );
});

test("a title is one inert line of 1 to 80 code points without @", () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const shown = title(text);
      expect(shown).not.toMatch(RAW);
      expect(shown).not.toContain("@");
      expect(isCommand(shown)).toBe(false);
      expect(Array.from(shown).length).toBeGreaterThanOrEqual(1);
      expect(Array.from(shown).length).toBeLessThanOrEqual(80);
      expect(title(shown)).toBe(shown);
    }),
    { numRuns: 3000 },
  );
});

test("a slug is at most 40 of a-z, 0-9 and inner dashes", () => {
  fc.assert(
    fc.property(hostile, (text) => {
      expect(slug(text)).toMatch(/^(?:[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?)?$/u);
    }),
  );
});

test("clipping counts code points and never halves one", () => {
  expect(clip("😀😀😀", 3)).toBe("😀😀😀");
  expect(clip("😀😀😀", 2)).toBe("😀…");
  expect(clip("abc", 0)).toBe("");
  expect(clip("abc", 1)).toBe("…");
});

test("terminal sequences are printed as visible text", () => {
  expect(visible("\u001b[2Ja\u0007\u009b\u202eb\u{e0041}\tc\r\nd")).toBe(
    String.raw`\x1b[2Ja\x07\x9b\u202eb\u{e0041}\tc\r` + "\nd",
  );
});

test("lines that GitHub's runner would obey are defused", () => {
  expect(visible("ok\n::stop-commands::x\n  ::error::y\na ##[error]z")).toBe(
    String.raw`ok` + "\n> ::stop-commands::x\n>   ::error::y\n" + String.raw`a ##\x5berror]z`,
  );
});

test("a title keeps percent and dollar signs and ordinary text of any language", () => {
  expect(title("100% %s $x %j: Rückerstattung für 東京 😀")).toBe(
    "100% %s $x %j: Rückerstattung für 東京 😀",
  );
});

test("a title of nothing or of control characters alone is (empty)", () => {
  for (const text of ["", " ", "\n\t", "\u0000\u0001", "\u202e\u200b"])
    expect(title(text)).toBe("(empty)");
});

test("a title shows a pragma without its @ and an address as at", () => {
  expect(title("see \u0040vitest-environment deploy\nand ask @team")).toBe(
    "see (at)vitest-environment deploy and ask (at)team",
  );
});

test("a long title ends with an ellipsis after 80 code points", () => {
  expect(Array.from(title("😀".repeat(5000))).length).toBe(80);
  expect(title("x".repeat(1_000_000)).endsWith("…")).toBe(true);
});

test("slugs lose accents, case and every sign", () => {
  expect(slug("Refund: café & CON/aux.txt")).toBe("refund-cafe-con-aux-txt");
  expect(slug("../../../etc/cron.d/x")).toBe("etc-cron-d-x");
  expect(slug("東京")).toBe("");
});
