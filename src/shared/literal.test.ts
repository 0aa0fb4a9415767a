import { runInNewContext } from "node:vm";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { literal, withoutScannerMarkers } from "./literal.ts";

const hostile = fc
  .array(
    fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom(
        "`${canary()}`",
        "*/ canary() /*",
        "// canary()\n",
        "\u2028canary()",
        "\\'); canary();//",
        '"); canary();("',
        "</script><script>",
        "<!--",
        "-->",
        "\u0040vitest-environment deploy",
        "// \u0040module-tag x",
        "\u0040ts-nocheck",
        "//# sourceMappingURL=x",
        "/**/",
        "\u202e",
        "\u{e0041}",
        "\ud800",
        "\udc00",
        "gitleaks:allow",
        "pragma: allowlist secret",
        "${",
        "$",
        "{",
        "/",
        "*",
        "\\",
        "\u0000",
      ),
    ),
    { maxLength: 10 },
  )
  .map((parts) => parts.join(""));

test("a literal evaluates to exactly its text and holds nothing that a file could act on", () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const source = literal(text);
      expect(source).toMatch(/^"[^"\\]*(?:\\.[^"\\]*)*"$/u);
      expect(JSON.parse(source)).toBe(text);
      expect(source).not.toMatch(
        /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\p{DI}@`<]|\*\/|\/\/|\/\*|\$\{|-->|gitleaks:a|pragma: a/u,
      );
    }),
    { numRuns: 5000 },
  );
});

test("no text runs when its literal is evaluated", () => {
  let runs = 0;
  const canary = (): void => {
    runs++;
  };
  fc.assert(
    fc.property(hostile, (text) => {
      expect(
        runInNewContext(`/* head */ const task = ${literal(text)}; task // tail`, { canary }),
      ).toBe(text);
    }),
    { numRuns: 500 },
  );
  expect(runs).toBe(0);
});

test("a plain text is quoted and otherwise as it was", () => {
  expect(literal("refund A-1001 for 12.50 €, it's broken")).toBe(
    `"refund A-1001 for 12.50 €, it's broken"`,
  );
});

test("markers that switch secret scanners off are broken up in JSON, and the value stays the same", () => {
  const value = { note: "key = x # gitleaks:allow, pragma: allowlist secret" };
  const text = withoutScannerMarkers(JSON.stringify(value));
  expect(text).not.toMatch(/gitleaks:allow|pragma: allowlist/u);
  expect(JSON.parse(text)).toEqual(value);
});
