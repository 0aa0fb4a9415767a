import * as fc from "fast-check";
import { expect, test } from "vitest";
import { anyJson, call, failed, traceOf, type About, type StepSeed } from "../testing/traces.ts";
import { detect, real } from "./detector.ts";

const LOOKED = call("get_report", { id: 4 }, "Sales are up.");

function found(output: string, steps: readonly StepSeed[] = [LOOKED], about: About = {}): string[] {
  return real(detect(traceOf(steps, { task: "Mail Ann the report.", output, ...about })))
    .filter(({ kind }) => kind === "unsupported_claim")
    .map(({ message }) => message);
}

test.each([
  "I've emailed the report to Ann.",
  "I have now sent the report to Ann.",
  "Ich habe den Bericht an Ann geschickt.",
  "He enviado el informe a Ana.",
  "J'ai envoyé le rapport à Anne.",
  "我已为您发送报告。",
  "Good news: I’ve booked table 4.",
  "We refunded 20 EUR.",
  "I cancelled order 7.",
])("a deed that no call could have done is only said: %s", (output) => {
  expect(found(output)).toHaveLength(1);
});

test("a call that changes something, might, or runs a program may have done it", () => {
  const said = "I've emailed the report to Ann.";
  for (const name of ["send_mail", "process", "bash", "get_mail_sent", "mailer"])
    expect(found(said, [LOOKED, call(name, { to: "ann" }, "ok")])).toEqual([]);
  expect(found(said, [])).toEqual([]);
});

test("what others did, what is offered, and what is asked claims no deed", () => {
  const outputs = [
    "Your order was sent on Monday.",
    "I've sent you the three figures below: 1, 2, 3.",
    "I can book a table, if you want.",
    "Ann booked table 4.",
    "Shall I cancel order 7?",
    'The note says "I have booked table 4".',
    "```\nI have booked table 4\n```",
    "I have the booked tables here: 4 and 5.",
    "Ich habe gesehen, dass der Bericht am Montag verschickt wurde.",
    "Der Bericht wurde am Montag verschickt.",
    "El pedido fue enviado ayer.",
  ];
  for (const output of outputs) expect(found(output)).toEqual([]);
});

test("a text that was asked for, a record that begins in the middle, and an honest answer are none", () => {
  const said = "Dear Ann, I have booked table 4.";
  expect(
    found(said, [LOOKED], { task: "Write a letter to Ann that the table is booked." }),
  ).toEqual([]);
  expect(found(said, [LOOKED], { task: null })).toEqual([]);
  expect(found(said, [LOOKED], { truncated: "continued_elsewhere" })).toEqual([]);
  expect(found("I have mailed nobody: the address is missing, so nothing was sent.")).toEqual([]);
});

test("with a deed among the calls nothing is only said, whatever they hold", () => {
  const names = fc.constantFrom("send_mail", "book_table", "update_order", "run", "do_it");
  fc.assert(
    fc.property(names, anyJson(), anyJson(), (name, args, data) => {
      const messages = found("I've booked table 4.", [LOOKED, call(name, args, data)]);
      expect(messages.filter((text) => text.includes("no tool that could"))).toEqual([]);
    }),
  );
  expect(found("I've booked it.", [failed("book_table", {}, "full")])[0]).toContain("book_table");
});
