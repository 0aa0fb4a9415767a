import { expect, test } from "vitest";
import type { Json } from "../shared/json.ts";
import { call, failed, having, together, traceOf, type StepSeed } from "../testing/traces.ts";
import type { Trace } from "../trace/trace.ts";
import { detect, real, type Failure } from "./detector.ts";

const signatures = (trace: Trace): string[] =>
  real(detect(trace)).map((failure) => failure.signature);
const errors = (trace: Trace): Failure[] =>
  detect(trace).filter((failure) => failure.kind === "tool_error");
/** The error of a read whose result is this, in a run that answers something. */
const soft = (data: Json, tool = "get_page"): string[] =>
  errors(traceOf([call(tool, { id: 7 }, data)], { output: "Here it is" })).map(
    ({ message }) => message,
  );

test("an error that the same call makes good is low and the run is not failing", () => {
  const trace = traceOf([failed("fetch", { id: 1 }, "503"), call("fetch", { id: 1 }, "it")], {
    output: "got it",
  });
  expect(errors(trace).map(({ severity, tool, step }) => ({ severity, tool, step }))).toEqual([
    { severity: "low", tool: "fetch", step: 0 },
  ]);
  expect(signatures(trace)).toEqual([]);
});

test("a success with other arguments does not make a failed call good", () => {
  const trace = traceOf(
    [failed("fetch", { url: "a" }, "404"), call("fetch", { url: "b" }, "B is fine")],
    { task: "Report on A", output: "Report on A: fine" },
  );
  expect(signatures(trace)).toEqual(["tool_error:fetch"]);
  const urls = traceOf(
    [
      failed("fetch", { url: "https://x.test/a" }, "404"),
      call("fetch", { url: "https://x.test/b" }, "fine"),
    ],
    { task: "Report", output: "Report on A: fine" },
  );
  expect(signatures(urls)).toEqual(["tool_error:fetch"]);
});

test("a corrected guess of the agent makes a failed call good", () => {
  const trace = traceOf(
    [
      failed("get_user", { id: "adda" }, "no such user"),
      call("get_user", { id: "ada" }, { age: 36 }),
    ],
    { task: "How old is Ada?", output: "36" },
  );
  expect(signatures(trace)).toEqual([]);
});

test("a fallback whose answer is used makes a failed call good", () => {
  const trace = traceOf(
    [
      failed("api", { city: "Berlin" }, "503"),
      call("cache", { key: "weather" }, { temperature: "18C" }),
    ],
    { task: "Weather in Berlin?", output: "Done: 18C (from cache)." },
  );
  expect(signatures(trace)).toEqual([]);
});

test("an error that the answer reports is low", () => {
  const trace = traceOf([failed("mail", { to: "bob" }, "server down")], {
    output: "Nothing was sent because the mail server is down.",
  });
  expect(signatures(trace)).toEqual([]);
  expect(errors(trace)[0]?.severity).toBe("low");
});

test("an error after which the agent says that it is blocked is low", () => {
  const trace = traceOf([failed("refund", { id: 1 }, "declined")], {
    output: { status: "blocked", message: "The bank declined it." },
  });
  expect(signatures(trace)).toEqual([]);
});

test("a result that begins with an error text is an error", () => {
  const trace = traceOf([call("write_file", { path: "a" }, "Error: permission denied")], {
    output: "Saved your file",
  });
  expect(signatures(trace)).toEqual(["unsupported_claim:write_file", "tool_error:write_file"]);
});

test("a result with success false is an error, and the claim of success is unsupported", () => {
  const trace = traceOf([call("pay", { order: 1 }, { success: false, reason: "card declined" })], {
    output: "Payment completed",
  });
  expect(signatures(trace)).toEqual(["unsupported_claim:pay", "tool_error:pay"]);
});

test("a result with errors and no data is an error", () => {
  expect(soft({ data: null, errors: [{ message: "Cannot query field" }] })).toEqual([
    "Cannot query field",
  ]);
});

test("a result with an error object is an error that keeps its code", () => {
  expect(soft({ error: { code: 404, message: "Not Found" } })).toEqual(["Not Found (404)"]);
  expect(soft({ error: { type: "x", message: "Not Found", status: 500 } })).toEqual([
    "Not Found (500)",
  ]);
  expect(soft('{"error": {"message": "no such order"}}')).toEqual(["no such order"]);
});

test("a result with error true and success false is an error", () => {
  expect(soft({ error: true, success: false, message: "no stock" })).toEqual(["no stock"]);
});

test("a result that begins with Failed and a status is an error", () => {
  expect(soft("Failed: HTTP 500")).toEqual(["Failed: HTTP 500"]);
});

test("results that say that they failed are errors", () => {
  const cases: [Json, string][] = [
    [{ ok: false, message: "no" }, "no"],
    [
      { isError: true, content: [{ type: "text", text: "Rate limit exceeded" }] },
      "Rate limit exceeded",
    ],
    [{ content: [{ type: "text", text: "Error: nope" }] }, "Error: nope"],
    [{ error: "boom" }, "boom"],
    [{ statusCode: 503, body: "down" }, '{"statusCode":503,"body":"down"}'],
    [{ status: 404, message: "gone" }, "gone (404)"],
    [{ status: "error", message: "bad id" }, "bad id"],
    ["ValueError: bad id", "ValueError: bad id"],
    ["HTTP 429 Too Many Requests", "HTTP 429 Too Many Requests"],
    ["  error: ECONNRESET", "error: ECONNRESET"],
    ["Traceback (most recent call last):\n  x", "Traceback (most recent call last):\n  x"],
    [{ $t: "error", v: "went wrong" }, "went wrong"],
  ];
  expect(cases.map(([data]) => soft(data))).toEqual(cases.map(([, message]) => [message]));
});

test("an opening hour with the exception of Monday is no error", () => {
  expect(soft("Open daily with the exception of Monday")).toEqual([]);
});

test("results that only mention errors, or have empty error members, are none", () => {
  const cases: Json[] = [
    { error: null, data: 1 },
    { error: false, data: 1 },
    { error: "", data: 1 },
    { errors: [], data: 1 },
    { error: {}, data: 1 },
    { success: true, error: "none" },
    { ok: true, errors: ["a warning"] },
    { status: 200 },
    { status: "failed", job: 4 },
    { message: "Error handling is described below" },
    "The page explains errors: Error: x means that nothing was found.",
    "Errors and how to avoid them",
    "Error handling in Go",
    "404 Main Street",
    `Error: ${"a log line, ".repeat(100)}`,
    "failed tests: 0",
    '{"error": null}',
    "[1, 2]",
  ];
  expect(cases.filter((data) => soft(data).length > 0)).toEqual([]);
});

test("a write that was declined did not work, also when its result says so only by a status", () => {
  const trace = traceOf([call("refund", { order: 1 }, { status: "declined" })], {
    output: "All good!",
  });
  expect(signatures(trace)).toEqual(["unsupported_claim:refund", "tool_error:refund"]);
});

test("the message of a thrown error has its class and its code once", () => {
  const message = (error: { name?: string; code?: string | number; message: string }): string =>
    errors(traceOf([failed("x", {}, error)]))[0]?.message ?? "";
  expect(message({ name: "KeyError", message: "'amount'" })).toBe("KeyError: 'amount'");
  expect(message({ name: "Error", code: "ECONNRESET", message: "socket hang up" })).toBe(
    "socket hang up (ECONNRESET)",
  );
  expect(message({ name: "HttpError", code: 500, message: "HttpError: 500" })).toBe(
    "HttpError: 500",
  );
});

test("a shell command that fails is made good by a later one", () => {
  const trace = traceOf(
    [
      failed("bash", { command: "pyton run.py" }, "command not found"),
      call("bash", { command: "python run.py" }, "ok 12"),
    ],
    { task: "Run run.py with pyton", output: "It printed ok 12." },
  );
  expect(signatures(trace)).toEqual([]);
});

test("positional arguments are arguments", () => {
  const trace = traceOf([failed("fetch", ["a"], "404"), call("fetch", ["b"], "fine")], {
    output: "Report on A: fine",
  });
  expect(signatures(trace)).toEqual(["tool_error:fetch"]);
});

test("a failed look-up is made good by creating what was not there", () => {
  const trace = traceOf(
    [failed("get_user", { name: "bob" }, "404"), call("create_user", { name: "bob" }, { id: 7 })],
    { task: "Make sure that bob has an account", output: "Bob has an account." },
  );
  expect(signatures(trace)).toEqual([]);
});

test("a declared write that failed is made good only by a write", () => {
  const trace = traceOf(
    [
      having(failed("ship", { order: 4 }, "no stock"), { write: true }),
      call("get_order", { id: 4 }, { id: 4 }),
    ],
    { task: "Ship order 4", output: "Order 4 is with the carrier." },
  );
  expect(signatures(trace)).toEqual(["unsupported_claim:ship", "tool_error:ship"]);
});

test("parallel calls answered in any order keep their own errors", () => {
  const steps = together(0, [
    having(failed("get_a", { id: 1 }, "no a"), { id: "c1", settled: 2 }),
    having(call("get_b", { id: 1 }, "b"), { id: "c2", settled: 0 }),
    having(failed("get_c", { id: 1 }, "no c"), { id: "c3", settled: 1 }),
  ]);
  const found = errors(traceOf(steps, { output: "b it is" }));
  expect(found.map(({ step, message }) => [step, message])).toEqual([
    [0, "no a"],
    [2, "no c"],
  ]);
});

test("of two things that the task offers, one that failed is made good by the other", () => {
  const choice = (output: string, task = "Reserve seat 12A or 12B"): string[] =>
    real(
      detect(
        traceOf(
          [
            call("reserve_seat", { seat: "12A" }, { success: false, message: "taken" }),
            call("reserve_seat", { seat: "12B" }, { success: true }),
          ],
          { task, output },
        ),
      ),
    ).map(({ kind }) => kind);
  expect(choice("12A was taken, so I reserved 12B for you.")).toEqual([]);
  expect(choice("Seat 12A is reserved.")).not.toEqual([]);
  expect(choice("Both are reserved: 12A and 12B.", "Reserve seats 12A and 12B")).not.toEqual([]);
});

test("the page that a web server shows in place of the one asked for is an error, a page about it is none", () => {
  const page = (title: string): string =>
    `<!DOCTYPE html><html><head><title>${title}</title></head><body>Hello</body></html>`;
  expect(soft(page("Forbidden"))).toHaveLength(1);
  expect(soft(page("502 Bad Gateway"))).toHaveLength(1);
  expect(soft(page("Forbidden fruit"))).toEqual([]);
  expect(soft(page("404 ways to say hello"))).toEqual([]);
});

test("what a file holds is no error, though it begins like one", () => {
  const log = "Error: disk full\nat 12:00 all was well again\n";
  expect(soft(log, "read_file")).toEqual([]);
  expect(soft(log, "view_log")).toEqual([]);
  expect(soft(log, "get_order")).toHaveLength(1);
  expect(soft("Error: no permission", "read_file")).toHaveLength(1);
  expect(soft("Error: no such file\nDid you mean a.txt?", "read_file")).toHaveLength(1);
});

test("the reason of a tool that judges is no error of it", () => {
  const judged = call("validate_email", { mail: "a@" }, { valid: false, error: "no domain" });
  expect(real(detect(traceOf([judged], { output: "It is wrong: there is no domain." })))).toEqual(
    [],
  );
  const broken = call("validate_email", { mail: "a@" }, { error: "no connection" });
  expect(real(detect(traceOf([broken], { output: "It is fine." })))).not.toEqual([]);
});

test("a bad status of the thing that was asked for is an answer when it is told", () => {
  const job = call("get_job", { id: 5 }, { id: 5, status: "error", message: "out of memory" });
  const of = (output: string, step = job) => real(detect(traceOf([step], { output })));
  expect(of("Job 5 failed: it was out of memory.")).toEqual([]);
  expect(of("Job 5 has 3 rows.")).not.toEqual([]);
  const down = call("get_job", { id: 5 }, { status: "error", message: "service down" });
  expect(of("I could not look at the job: the service is down.", down)).not.toEqual([]);
});

test("what a file holds is no error, also where an importer took it for one", () => {
  const text = "Error: disk full\nat 12:00 all was well again\n";
  const read: StepSeed = {
    kind: "tool",
    name: "read_log",
    args: {},
    result: { ok: false, error: { message: "disk full", source: "text" }, data: text },
  };
  expect(real(detect(traceOf([read], { output: "The disk was full, and all is well." })))).toEqual(
    [],
  );
});
