import { expect, test } from "vitest";
import { detect, real } from "../detector/detector.ts";
import { toolsOf } from "../testing/trace-files.ts";
import { fixtureTrace } from "../testing/trace-fixtures.ts";

test("who speaks first asks and runs the code, whatever the roles say", () => {
  const trace = fixtureTrace("mast/solved.json");
  expect(trace).toMatchObject({
    source: "mast",
    task: "A box holds 3 rows\nof 4 eggs. How many?",
    output: "The box holds \\boxed{12} eggs.",
    status: "ok",
    score: { name: "correct", value: true, passed: true },
  });
  expect(toolsOf(trace)).toMatchObject([
    { name: "python", args: { code: "print(3 * 4)" }, result: { ok: true, data: 12 } },
  ]);
  expect(real(detect(trace))).toEqual([]);
});

test("an answer that is another number is wrong, and the tags of a person are kept", () => {
  expect(fixtureTrace("mast/wrong.json")).toMatchObject({
    output: "The answer stays \\boxed{54}.",
    score: { name: "correct", value: false, passed: false },
    meta: { tags: ["Fail to check"], answer: "56", given: "54.0" },
  });
});

test("a tag alone fails a run of which nothing else is known", () => {
  expect(fixtureTrace("mast/noted.json")).toMatchObject({
    score: { name: "note", passed: false },
    meta: { tags: ["Wrong"] },
  });
});
