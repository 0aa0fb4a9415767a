import { expect, test } from "vitest";
import { call, traceOf } from "../testing/traces.ts";
import { detect, real } from "./detector.ts";

function kinds(output: string, task = "Greet the customer.", data = "Ada"): string[] {
  return real(detect(traceOf([call("get_customer", {}, data)], { task, output }))).map(
    ({ kind }) => kind,
  );
}

test("a blank that was never filled is malformed", () => {
  expect(kinds("Hello {{customer_name}}, welcome!")).toEqual(["malformed_output"]);
  expect(kinds("Your picture: [insert the image here]")).toEqual(["malformed_output"]);
  expect(kinds("Ihr Bild: [Bild einfügen]")).toEqual(["malformed_output"]);
});

test("a form that the user wants, code and links have no blanks", () => {
  expect(kinds("Dear [insert name]", "Write a letter template.")).toEqual([]);
  expect(kinds("Hola {{nombre}}", "Escribe una plantilla.")).toEqual([]);
  expect(kinds("Use `{{ name }}` in the page.")).toEqual([]);
  expect(kinds("```\n<p>{{ name }}</p>\n```")).toEqual([]);
  expect(kinds("See [insert mode](https://example.test/insert).")).toEqual([]);
  expect(kinds("{{ 1 + 1 }} is 2.")).toEqual([]);
});

test("a blank that a result has is quoted", () => {
  expect(kinds("The page says {{title}}.", "What does it say?", "<h1>{{title}}</h1>")).toEqual([]);
});

test("several values that are the names of what is missing are blanks, one alone and states are not", () => {
  expect(kinds("- Picture: [picture link]\n- Since: [opening date]")).toEqual(["malformed_output"]);
  expect(kinds("Bild: [Link zum Bild]\nSeit: [Datum 1], bis: [Datum 2]")).toEqual([
    "malformed_output",
  ]);
  expect(kinds("Picture: [picture link]")).toEqual([]);
  expect(kinds("- Design: [in progress]\n- Build: [not started]")).toEqual([]);
  expect(kinds("- Lint: [PASS]\n- Types: [FAIL]\n- See: [the report](https://x.test)")).toEqual([]);
  expect(kinds("Sources: [1], [2]\nMail: [redacted:email#1]")).toEqual([]);
});
