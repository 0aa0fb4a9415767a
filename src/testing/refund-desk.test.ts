import { expect, test } from "vitest";
import { record } from "../agent/record.ts";
import { detect, real } from "../detector/detector.ts";
import { refundDeskV1, refundDeskV2, refundTools } from "./refund-desk.ts";

async function kinds(agent: typeof refundDeskV1, customer: string): Promise<string[]> {
  const trace = await record(agent, { customer }, { tools: refundTools(), maxToolCalls: 8 });
  return [...new Set(real(detect(trace)).map(({ kind }) => kind))].sort();
}

test("version 1 has three bugs, each with its own kinds of failure", async () => {
  expect(await kinds(refundDeskV1, "ada")).toEqual([]);
  expect(await kinds(refundDeskV1, "Grace")).toEqual(["loop", "timeout"]);
  expect(await kinds(refundDeskV1, "grace")).toEqual(["tool_error", "unsupported_claim"]);
  expect(await kinds(refundDeskV1, "linus")).toEqual(["exception"]);
});

test("version 2 has none", async () => {
  for (const customer of ["ada", "Grace", "grace", "linus", "nobody"]) {
    expect([customer, await kinds(refundDeskV2, customer)]).toEqual([customer, []]);
  }
});
