import * as fc from "fast-check";
import { expect, test } from "vitest";
import { exitResult } from "./exit-code.ts";

test("a command worked when its code is 0 or it is still running, whatever it printed", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.constantFrom(0, -1), (command, output, code) => {
      expect(exitResult({ command, code, output }).ok).toBe(true);
    }),
  );
});

test("a code above 1 is an error whatever was run, with the last line that was printed", () => {
  fc.assert(
    fc.property(fc.string(), fc.integer({ min: 2, max: 255 }), (command, code) => {
      expect(exitResult({ command, code, output: "a\n  b \n\n" })).toMatchObject({
        ok: false,
        error: { code, message: "b", source: "flag" },
      });
    }),
  );
});

test.each([
  "grep x y",
  "cd a && rg x",
  "ls | grep -v b",
  "which python",
  "diff a b",
  "git diff --quiet",
  "[ -f a ]",
  "LC_ALL=C grep x y",
  "command -v cc",
])("%s answers no with a 1, which is no error", (command) => {
  expect(exitResult({ command, code: 1, output: "" }).ok).toBe(true);
});

test.each(["python a.py", "grep x y && make", "cat a", "pytest", "grepper x"])(
  "%s fails with a 1",
  (command) => {
    expect(exitResult({ command, code: 1, output: "" })).toMatchObject({
      error: { message: "exit code 1" },
    });
  },
);
