import * as fc from "fast-check";
import { expect, test } from "vitest";
import { fault } from "./build.ts";
import { faultId, sayFault } from "./words.ts";

test("a fault is said with its tool, and with its call where that is not the first", () => {
  const said = [
    fault.timeoutAfter("reserve_slot"),
    fault.timeoutAfter("reserve_slot", { occurrence: 2 }),
    fault.timeoutBefore("pay", { occurrence: 11, repeat: 3 }),
    fault.staleRead("get"),
    fault.unavailable("send", { match: { to: "ann" } }),
    fault.crashRestart("send"),
    { type: "of_tomorrow", tool: "send" },
  ].map((made) => sayFault(made));
  expect(said).toMatchInlineSnapshot(`
    [
      "lost confirmation of reserve_slot",
      "lost confirmation of reserve_slot, 2nd call",
      "timeout before the effect of pay, 11th to 13th call",
      "stale read of get, 2nd call with equal arguments",
      "outage of send, 1st call with {"to":"ann"}",
      "crash of the agent at send",
      "of_tomorrow of send",
    ]
  `);
});

test("the id of a scenario names tool, type and occurrence", () => {
  const ids = [
    fault.timeoutAfter("reserve_slot"),
    fault.timeoutAfter("reserve_slot", { occurrence: 2 }),
    fault.timeoutAfter("reserve_slot", { occurrence: 2, repeat: 3 }),
    fault.staleRead("get"),
    fault.unavailable("mail/send.now"),
  ].map((made) => faultId(made));
  expect(ids).toMatchInlineSnapshot(`
    [
      "reserve_slot-timeout_after",
      "reserve_slot-timeout_after-2",
      "reserve_slot-timeout_after-2x3",
      "get-stale_read",
      "mail-send-now-bc7972c7-unavailable",
    ]
  `);
});

test("ids are safe and differ where the tools' names differ", () => {
  const name = fc.string({ unit: "binary", minLength: 1, maxLength: 120 });
  fc.assert(
    fc.property(name, name, (a, b) => {
      const [first, second] = [faultId(fault.unavailable(a)), faultId(fault.unavailable(b))];
      expect(first).toMatch(/^[\w-]{1,110}$/);
      expect(first === second).toBe(a === b);
    }),
  );
});
