import * as fc from "fast-check";
import { expect, test } from "vitest";
import { clusterStem, fileStem } from "./names.ts";

test("a file name is short, safe and never a path, whatever the agent is called", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: "binary", maxLength: 60 }),
        fc.constantFrom(
          "../../../etc/cron.d/x",
          "a:b",
          "aux.txt",
          "C:\\x",
          "-rf",
          "x".repeat(5000),
          "😀".repeat(2000),
        ),
      ),
      (agent) => {
        const name = `${fileStem(agent)}.agent.spec.ts`;
        expect(name).toMatch(/^[a-z0-9][a-z0-9-]*\.agent\.spec\.ts$/);
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(80);
      },
    ),
  );
});

test("a plain name stays as it is", () => {
  expect(fileStem("support-bot")).toBe("support-bot");
});

test("names of devices get a digest", () => {
  for (const name of ["con", "CON", "aux", "nul", "com1", "LPT9"])
    expect(fileStem(name)).toMatch(/^[a-z0-9]+-[0-9a-f]{8}$/);
});

test("names that differ only in case, form or punctuation get two files", () => {
  const names = ["bot", "Bot", "BOT", "bot.", "böt", "bo\u0308t", "b/ot", ""];
  expect(new Set(names.map((name) => fileStem(name))).size).toBe(names.length);
});

test("nobody can choose the name of another agent's file", () => {
  expect(fileStem(fileStem("Bot"))).not.toBe(fileStem("Bot"));
});

test("an edited cluster id is never a path", () => {
  expect(clusterStem("c_0123456789")).toBe("c_0123456789");
  expect(clusterStem("../../x")).toMatch(/^c_[0-9a-f]{10}$/);
});
