import * as fc from "fast-check";
import { expect, test } from "vitest";
import { askedIn, slashCommand, withoutHarness } from "./harness.ts";

test("a text that holds no element of a harness stays as it is", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      fc.pre(!text.includes("<") && text.trim() !== "" && !text.trim().startsWith("DEMONSTRATION"));
      expect(withoutHarness(text)).toBe(text);
      expect(askedIn(text)).toBe(text);
    }),
  );
});

test("what stands between elements of a harness is what was asked, however many there are", () => {
  const element = fc.constantFrom(
    "<system-reminder>r</system-reminder>",
    "<ide_opened_file>f</ide_opened_file>",
  );
  fc.assert(
    fc.property(fc.array(element), fc.array(element), (before, after) => {
      expect(withoutHarness([...before, "Fix it.", ...after].join("\n"))).toBe("Fix it.");
    }),
  );
});

test.each([
  "<environment_context>\n  <cwd>/x</cwd>\n  <current_d …[truncated]",
  "# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>\nUse tabs.\n</INSTRUCTIONS>",
  "<command-name>/clear</command-name><command-args></command-args>",
  "",
])("nobody asked %j", (text) => {
  expect(askedIn(text)).toBeUndefined();
  expect(askedIn([{ type: "text", text }])).toBeUndefined();
});

test("an element in the middle of a sentence is the user's own", () => {
  const text = "Why does <system-reminder>x</system-reminder> appear?";
  expect(withoutHarness(text)).toBe(text);
});

test("pictures that the user sent stay beside the words", () => {
  const picture = { type: "image", source: { data: "…" } };
  expect(askedIn([picture, { type: "text", text: "What is it?" }])).toEqual([
    picture,
    { type: "text", text: "What is it?" },
  ]);
});

test("a slash command is its name and arguments", () => {
  expect(
    slashCommand("<command-name>/fix</command-name>\n<command-args>the cart</command-args>"),
  ).toBe("/fix the cart");
  expect(slashCommand("Fix the cart.")).toBeUndefined();
});
