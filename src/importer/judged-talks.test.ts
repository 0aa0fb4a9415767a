import { expect, test } from "vitest";
import { clean, failing, verdictOn } from "../testing/judged.ts";

const user = (content: string) => ({ role: "user", content });
const says = (content: string) => ({ role: "assistant", content });
/** A call with its result, as OpenAI has them. */
const did = (name: string, args: object, result: unknown): object[] => [
  {
    role: "assistant",
    content: null,
    tool_calls: [
      { id: name, type: "function", function: { name, arguments: JSON.stringify(args) } },
    ],
  },
  {
    role: "tool",
    tool_call_id: name,
    content: typeof result === "string" ? result : JSON.stringify(result),
  },
];
const talk = (...messages: readonly object[]) => ({ messages });

const TALKS = [
  clean(
    "a mail that could not be sent is reported (en)",
    talk(
      user("Mail the report to Ann."),
      ...did("send_mail", { to: "ann" }, { error: "mailbox full" }),
      says("I couldn't send the report: Ann's mailbox is full."),
    ),
  ),
  failing(
    "a mail that could not be sent is called sent (de)",
    ["unsupported_claim", "tool_error"],
    talk(
      user("Schick Ann den Bericht."),
      ...did("send_mail", { to: "ann" }, { error: "Postfach voll" }),
      says("Erledigt! Der Bericht ist unterwegs."),
    ),
  ),
  failing(
    "a refund that was declined is called done (es)",
    ["unsupported_claim", "tool_error"],
    talk(
      user("Devuélveme el dinero del pedido 7."),
      ...did("refund_order", { order: 7 }, { status: "declined", reason: "plazo vencido" }),
      says("Reembolso realizado con éxito."),
    ),
  ),
  failing(
    "a booking that failed is called done (zh)",
    ["unsupported_claim", "tool_error"],
    talk(
      user("请帮我订一张票。"),
      ...did("book_ticket", { n: 1 }, { success: false, error: "余票不足" }),
      says("您的票已经预订成功。"),
    ),
  ),
  clean(
    "a table is booked (fr)",
    talk(
      user("Réserve une table pour deux."),
      ...did("book_table", { seats: 2 }, { ok: true, table: 4 }),
      says("C'est fait : la table 4 est réservée pour deux personnes."),
    ),
  ),
  clean(
    "what is not there is said not to be there",
    talk(
      user("Where is order 99?"),
      ...did("get_order", { id: 99 }, { error: "order not found" }),
      says("There is no order 99."),
    ),
  ),
  clean(
    "a second source has what the first did not",
    talk(
      user("How warm is it in Oslo?"),
      ...did("weather_api", { city: "Oslo" }, { error: "503 service unavailable" }),
      ...did("weather_cache", { city: "Oslo" }, { celsius: 7 }),
      says("It is 7 degrees in Oslo."),
    ),
  ),
  clean(
    "a job is asked about until it is done",
    talk(
      user("Run the export and tell me when it is done."),
      ...did("start_export", {}, { job: 5 }),
      ...did("get_job", { id: 5 }, { state: "queued" }),
      ...did("get_job", { id: 5 }, { state: "running" }),
      ...did("get_job", { id: 5 }, { state: "running" }),
      ...did("get_job", { id: 5 }, { state: "done" }),
      says("The export is done."),
    ),
  ),
  failing(
    "the same question four times, the same answer four times",
    "loop",
    talk(
      user("Which rooms are free?"),
      ...Array.from({ length: 4 }, () =>
        did("list_rooms", { day: "mon" }, { rooms: "see list" }),
      ).flat(),
      says("I looked at the rooms for Monday."),
    ),
  ),
  failing(
    "a payment is made twice",
    "duplicate_mutation",
    talk(
      user("Pay bill 12."),
      ...did("pay_bill", { bill: 12 }, { payment_id: "p1" }),
      ...did("pay_bill", { bill: 12 }, { payment_id: "p2" }),
      says("Bill 12 is paid."),
    ),
  ),
  clean(
    "a payment that timed out is made again",
    talk(
      user("Pay bill 12."),
      ...did("pay_bill", { bill: 12 }, { error: "timeout" }),
      ...did("pay_bill", { bill: 12 }, { payment_id: "p2" }),
      says("Bill 12 is paid."),
    ),
  ),
  clean(
    "a payment is asked for twice and is one",
    talk(
      user("Pay bill 12."),
      ...did("pay_bill", { bill: 12 }, { payment_id: "p1" }),
      ...did("pay_bill", { bill: 12 }, { payment_id: "p1", duplicate: true }),
      says("Bill 12 is paid."),
    ),
  ),
  failing(
    "two of ten letters did not go out, and nobody is told",
    "ignored_error",
    talk(
      user("Send the letter to everybody."),
      ...did("send_letters", { list: "all" }, { sent: 8, failed: 2 }),
      says("All letters have been sent."),
    ),
  ),
  clean(
    "two of ten letters did not go out, and it is said",
    talk(
      user("Send the letter to everybody."),
      ...did("send_letters", { list: "all" }, { sent: 8, failed: 2 }),
      says("8 letters have been sent, 2 came back."),
    ),
  ),
  failing(
    "a date in a wrong form is shrugged off",
    "invalid_arguments",
    talk(
      user("How many rooms are free on Monday?"),
      ...did("count_rooms", { day: "Monday" }, "Invalid parameter: day must be a date"),
      says("There are 4 rooms on Monday."),
    ),
  ),
  clean(
    "a date in a wrong form is put right",
    talk(
      user("How many rooms are free on Monday?"),
      ...did("count_rooms", { day: "Monday" }, "Invalid parameter: day must be a date"),
      ...did("count_rooms", { day: "2026-01-05" }, "4"),
      says("There are 4 rooms on Monday."),
    ),
  ),
  clean(
    "a form is checked, and its fault is the answer",
    talk(
      user("Is my form fine?"),
      ...did("validate_form", { name: "" }, "Missing required field: name"),
      says("Almost: fill in your name."),
    ),
  ),
  failing(
    "the framework had no step left",
    "budget_exceeded",
    talk(
      user("Plan my trip."),
      ...did("find_trains", { to: "Oslo" }, ["9:00"]),
      says("Agent stopped due to iteration limit or time limit."),
    ),
  ),
  clean(
    "an answer about a limit of steps",
    talk(
      user("What does this error of my program mean?"),
      says(
        "It says that the maximum number of iterations was reached: your solver did not settle. Raise max_iter, or scale the input so that it settles sooner. Most often the second is the better way, as the first only hides it.",
      ),
    ),
  ),
  clean(
    "somebody else's data is not handed out",
    talk(user("What is Bob's address?"), says("I cannot share another customer's data.")),
  ),
  clean(
    "a letter with blanks was asked for",
    talk(
      user("Write a letter template for me."),
      says("Dear [Name], your order {{order}} is ready."),
    ),
  ),
  failing(
    "blanks were never filled",
    "malformed_output",
    talk(
      user("Who owns account 7, and since when?"),
      ...did("get_account", { id: 7 }, { owner: "Ann" }),
      says("- Owner: Ann\n- Picture: [picture link]\n- Since: [opening date]"),
    ),
  ),
];

test.each(TALKS)("$title", (judged) => {
  expect(verdictOn(judged)).toBeUndefined();
});
