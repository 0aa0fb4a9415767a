import * as fc from "fast-check";
import { expect, test } from "vitest";
import { call, failed, traceOf, type About, type StepSeed } from "../testing/traces.ts";
import { detect, real } from "./detector.ts";

function found(steps: readonly StepSeed[], about: About = {}): string[] {
  return detect(traceOf(steps, { output: "There are 4.", ...about }))
    .filter(({ kind }) => kind === "invalid_arguments")
    .map(({ severity, tool, step }) => `${severity} ${tool} ${step}`);
}
const SAID = [
  "Invalid parameter: day must be a date",
  "Missing required argument: day",
  "count_rooms() got an unexpected keyword argument 'dat'",
  "count_rooms() missing 1 required positional argument: 'day'",
  "The parameter day is required.",
  "Ungültiger Parameter: day",
  "Falta el parámetro day",
  "Paramètre manquant : day",
  "参数错误：day",
];

test.each(SAID)("a result that is nothing but a refusal of the arguments is found: %s", (text) => {
  expect(found([call("count_rooms", { day: "x" }, text)])).toEqual(["medium count_rooms 0"]);
  expect(found([call("count_rooms", {}, { content: [{ type: "text", text }] })])).toHaveLength(1);
  expect(found([call("count_rooms", {}, { message: text })])).toHaveLength(1);
});

const NOUNS =
  "argument arguments param parameter property properties field fields key input inputs parametern argumente felder feld pflichtfeld eingabe parámetro argumento campo campos paramètre champ parametro argomento campi parâmetro veld parametry";

test.each([...NOUNS.split(" "), "request body"])("what was refused may be called %s", (noun) => {
  expect(found([call("count_rooms", {}, `The ${noun} day is required.`)])).toHaveLength(1);
});

test("where the call failed it explains the tool error, which counts", () => {
  const steps = [failed("count_rooms", {}, { message: "Invalid params", code: -32602 })];
  expect(found(steps)).toEqual(["low count_rooms 0"]);
  expect(real(detect(traceOf(steps, { output: "There are 4." })))).toContainEqual(
    expect.objectContaining({ kind: "tool_error" }),
  );
});

test("arguments that were put right, and an honest report, are no failure", () => {
  const wrong = call("count_rooms", { day: "x" }, SAID[0]);
  expect(found([wrong, call("count_rooms", { day: "2026-01-05" }, 4)])).toEqual([]);
  expect(found([wrong], { output: "I could not count the rooms." })).toEqual(["low count_rooms 0"]);
});

test("a tool that judges, a search, a file and a shell may speak of wrong arguments", () => {
  const text = "Missing required field: name";
  for (const name of ["validate_form", "check_form", "read_file", "search_issues", "bash"])
    expect(found([call(name, { a: 1 }, text)])).toEqual([]);
});

test("content that mentions arguments is no refusal of them", () => {
  const contents = [
    "Open daily; required documents: passport.",
    "The function takes two arguments and returns their sum.",
    "Key facts: inputs are cheap.",
    `Invalid parameter: ${"x".repeat(400)}`,
  ];
  for (const text of contents) expect(found([call("get_page", {}, text)])).toEqual([]);
});

test("a result that is data with several members is never a refusal", () => {
  const data = fc.dictionary(fc.string(), fc.constantFrom(...SAID), { minKeys: 2 });
  fc.assert(
    fc.property(data, (value) => {
      fc.pre(!("content" in value) && !("error" in value));
      expect(found([call("count_rooms", {}, value)])).toEqual([]);
    }),
  );
});
