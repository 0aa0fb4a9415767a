import { expect, test } from "vitest";
import { section, type Row } from "./section.ts";

function known(n: number): Row {
  return {
    file: "desk.agent.spec.ts",
    path: "/nowhere/desk.agent.spec.ts",
    title: `order ${n}`,
    verdict: {
      repro: String(n).padStart(8, "0"),
      agent: "desk",
      verdict: "still_fails",
      reason: "",
      signatures: [],
      known: true,
      red: false,
      regressed: false,
      message: "known failure",
    },
  };
}

test("a long list of known failures is counted whole and printed up to its twentieth entry", () => {
  const rows = Array.from({ length: 23 }, (_, n) => known(n));
  const lines = section(rows);
  expect(lines[0]).toContain("known failures  23: ");
  expect(lines.filter((line) => line.includes("order "))).toHaveLength(20);
  expect(lines.at(-1)).toBe("   and 3 more");
  expect(section(rows.slice(0, 20)).at(-1)).not.toContain("more");
});
