import { expect, test } from "vitest";
import { call, failed, traceOf, unanswered, type StepSeed } from "../testing/traces.ts";
import type { Trace } from "../trace/trace.ts";
import { detect, real, signaturesOf } from "./detector.ts";

const signatures = (trace: Trace): string[] =>
  real(detect(trace)).map((failure) => failure.signature);
const refundThenLog = (output: string): Trace =>
  traceOf(
    [
      failed("refund", { order: "A-1", amount: 40 }, "card declined"),
      call("log", { event: "refund", order: "A-1" }, "ok"),
    ],
    { task: { order: "A-1", wish: "refund" }, output },
  );
const claims = (output: string): boolean =>
  signatures(refundThenLog(output)).includes("unsupported_claim:refund");

test("an answer that implies a refund that was declined is unsupported, whatever was logged since", () => {
  const trace = refundThenLog("Your money is on its way back to you!");
  expect(signatures(trace)).toEqual(["unsupported_claim:refund", "tool_error:refund"]);
  expect(real(detect(trace))[0]?.message).toMatchInlineSnapshot(
    `"The answer does not say that refund failed: card declined"`,
  );
});

test("an unsupported claim is found in Spanish, and in any language", () => {
  const outputs = [
    "Reembolso realizado con éxito.",
    "Der Betrag ist unterwegs.",
    "Votre remboursement est en route.",
    "退款已经处理好了。",
    "Rahat ovat matkalla tilillesi.",
    "Pieniądze są już w drodze!",
  ];
  expect(outputs.filter((output) => !claims(output))).toEqual([]);
});

test("an honest report is no claim, in eight languages", () => {
  const outputs = [
    "Nothing was sent because the card was declined.",
    "The refund wasn\u2019t possible: card declined.",
    "Die Erstattung ist leider fehlgeschlagen.",
    "Der Betrag konnte nicht erstattet werden.",
    "No se ha podido hacer el reembolso.",
    "Le remboursement n'a pas abouti.",
    "Il rimborso non è riuscito.",
    "O reembolso não foi possível.",
    "De terugbetaling is niet gelukt.",
    "Zwrot się nie udał.",
    "退款失败。",
  ];
  expect(outputs.filter((output) => signatures(refundThenLog(output)).length > 0)).toEqual([]);
});

test("a polite phrase with a negation in it is no honest report", () => {
  const outputs = [
    "Your refund is on its way. Don't hesitate to write if you cannot see it.",
    "Refund sent, no problem!",
    "Ihr Geld ist unterwegs, keine Sorge.",
    "Hecho, no se preocupe.",
    "C'est fait, n'hésitez pas à nous écrire.",
    "Done without any errors.",
  ];
  expect(outputs.filter((output) => !claims(output))).toEqual([]);
});

test("a mail that failed and is reported as not sent is no claim", () => {
  const trace = traceOf([failed("mail", { to: "bob" }, "server down")], {
    output: "Nothing was sent because the mail server is down.",
  });
  expect(detect(trace).map(({ kind, severity }) => [kind, severity])).toEqual([
    ["tool_error", "low"],
  ]);
});

test("a fallback that worked supports the claim", () => {
  const read = traceOf([failed("api", {}, "503"), call("cache", {}, "18C")], {
    output: "Done: 18C (from cache).",
  });
  expect(signatures(read)).toEqual([]);
  const write = traceOf(
    [
      failed("send_email", { to: "bob", text: "hello" }, "down"),
      call("send_sms", { to: "bob", text: "hello" }, { sent: true }),
    ],
    { output: "Sent to bob." },
  );
  expect(signatures(write)).toEqual([]);
});

test("a write for something else does not support the claim", () => {
  const trace = traceOf(
    [
      failed("refund", { order: 1, amount: 40 }, "declined"),
      call("refund", { order: 2, amount: 40 }, "ok"),
    ],
    { task: "Refund orders 1 and 2", output: "Both are refunded." },
  );
  expect(signatures(trace)).toEqual(["unsupported_claim:refund", "tool_error:refund"]);
});

test("a write with a corrected amount supports the claim", () => {
  const trace = traceOf(
    [
      failed("refund", { order: "A-1", amount: 4000 }, "too much"),
      call("refund", { order: "A-1", amount: 40 }, { ok: true }),
    ],
    { task: "Refund A-1", output: "Refunded 40." },
  );
  expect(signatures(trace)).toEqual([]);
});

test("a question after a failed write claims nothing", () => {
  expect(signatures(refundThenLog("Which other card shall I use?"))).toEqual(["tool_error:refund"]);
});

test("an answer as data that says no claims nothing", () => {
  const steps = [failed("refund", { order: 1 }, "declined")];
  const outputs = [{ refunded: false }, { error: "declined" }, { success: false }];
  const found = outputs.map((output) => signatures(traceOf(steps, { output })));
  expect(found).toEqual([[], [], []]);
  expect(signatures(traceOf(steps, { output: { refunded: true } }))).toContain(
    "unsupported_claim:refund",
  );
});

test("a claim of success after the last call of a reading tool failed is unsupported", () => {
  const trace = traceOf(
    [failed("weather.get_forecast", { city: "Berlin" }, "Rate limit exceeded")],
    {
      output: "Forecast completed successfully.",
    },
  );
  expect(signatures(trace)).toEqual([
    "unsupported_claim:weather.get_forecast",
    "tool_error:weather.get_forecast",
  ]);
});

test("a claim of success without a call of the tool that the task needs is unsupported", () => {
  const needed = ["refund"];
  const claims = (output: string, ...calls: Parameters<typeof traceOf>[0]): string[] =>
    signaturesOf(detect(traceOf(calls, { output }), { needed }));
  const order = call("get_order", { id: "A-1" }, { total: 40 });
  expect(claims("Done! Refunded.")).toEqual(["unsupported_claim:refund"]);
  expect(claims("Refunded 40.", order)).toEqual(["unsupported_claim:refund"]);
  expect(claims("Nothing was refunded: the card is closed.", order)).toEqual([]);
  expect(claims("A person will look at it.", order)).toEqual([]);
  expect(claims("Done: a credit was issued.", call("issue_credit", { id: "A-1" }, "ok"))).toEqual(
    [],
  );
});

test("a claim of success after a deed that was never answered is unsupported", () => {
  const looked = call("get_order", { id: 1 }, { id: 1 });
  const run = (output: string, ...steps: StepSeed[]): string[] =>
    signatures(traceOf(steps, { output }));
  const open = unanswered("refund", { id: 1 });
  expect(run("The refund is done.", looked, open)).toEqual(["unsupported_claim:refund"]);
  expect(run("The refund is done.", open)).toEqual([]);
  expect(run("The refund is still open.", looked, open)).toEqual([]);
  expect(run("Done.", looked, unanswered("submit", { answer: "Done." }))).toEqual([]);
  expect(run("Done.", looked, open, call("refund", { id: 1 }, { ok: true }))).toEqual([]);
});

test("a claim of success after a program that exited badly is unsupported", () => {
  const run = (command: string, code: number, output: string): string[] =>
    signatures(traceOf([call("bash", { command }, { stdout: "", exitCode: code })], { output }));
  expect(run("npm test", 1, "All tests are fixed.")).toEqual(["unsupported_claim:bash"]);
  expect(run("npm test", 0, "All tests are fixed.")).toEqual([]);
  expect(run("npm test", 1, "The tests still fail.")).toEqual([]);
  expect(run("grep -r todo src", 1, "All todos are removed.")).toEqual([]);
  expect(run("npm start", -1, "The server is deployed.")).toEqual([]);
});
