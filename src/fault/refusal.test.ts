import { expect, test } from "vitest";
import { faultTrial, type FaultTrial } from "../testing/fault-trial.ts";
import { tillWorld } from "../testing/till-world.ts";
import { fault } from "./build.ts";
import type { Fault } from "./fault.ts";

type Steps = Parameters<typeof faultTrial>[2];

function run(armed: Fault, steps: Steps): Promise<FaultTrial> {
  return faultTrial(tillWorld(), [armed], steps);
}

function codes({ told }: FaultTrial): unknown[] {
  return told.map(({ result }) => (result.ok ? "ok" : result.error.code));
}

test("a revoked permission is refused from then on, and is reached once", async () => {
  const trial = await run(fault.permissionRevoked("add", { occurrence: 2 }), async ({ call }) => {
    for (const tool of ["add", "add", "look", "add"]) await call(tool);
  });
  expect(codes(trial)).toEqual(["ok", "PERMISSION_DENIED", "ok", "PERMISSION_DENIED"]);
  expect(trial.told[1]?.result).toMatchObject({ error: { retryable: false } });
  expect(trial.reached.map(({ callId }) => callId)).toEqual(["call_2"]);
});

test("a permission can be restored after so many refused calls", async () => {
  const trial = await run(fault.permissionRevoked("add", { restoreAfter: 2 }), async ({ call }) => {
    for (let n = 0; n < 4; n++) await call("add");
  });
  expect(codes(trial)).toEqual(["PERMISSION_DENIED", "PERMISSION_DENIED", "ok", "ok"]);
});

test("a rate limit says how long to wait, and refuses every call of the tool until then", async () => {
  const limit = fault.rateLimit("add", { retryAfterMs: 3000 });
  const trial = await run(limit, async ({ call, sleep }) => {
    await call("add");
    await sleep(1000);
    await call("add");
    await call("look");
    await sleep(2000);
    await call("add");
  });
  expect(codes(trial)).toEqual(["RATE_LIMITED", "RATE_LIMITED", "ok", "ok"]);
  expect(trial.told[1]?.result).toEqual({
    ok: false,
    error: {
      name: "RateLimitError",
      code: "RATE_LIMITED",
      message: "add was called too often",
      retryable: true,
      data: { retryAfterMs: 2000 },
    },
  });
  expect(trial.reached.map(({ about }) => about)).toEqual([
    { occurrence: 1, retryAfterMs: 3000 },
    { retryAfterMs: 2000, early: true },
  ]);
  expect(trial.mutations.map(({ callId }) => callId)).toEqual(["call_4"]);
});

test("an expired sign-in is refused until it was renewed with success", async () => {
  const expired = fault.authExpired("add", { refresh: "renew" });
  const trial = await run(expired, async ({ call }) => {
    await call("add");
    await call("add");
    await call("renew", { fail: true });
    await call("add");
    await call("renew");
    await call("add");
  });
  expect(codes(trial)).toEqual([
    "AUTH_EXPIRED",
    "AUTH_EXPIRED",
    "DECLINED",
    "AUTH_EXPIRED",
    "ok",
    "ok",
  ]);
  expect(trial.outcomes[0]?.count).toBe(3);
});

test("without a tool that renews it, an expired sign-in is refused as often as `repeat` says", async () => {
  const trial = await run(fault.authExpired("add", { repeat: 2 }), async ({ call }) => {
    for (let n = 0; n < 3; n++) await call("add");
  });
  expect(codes(trial)).toEqual(["AUTH_EXPIRED", "AUTH_EXPIRED", "ok"]);
});

test("an error in a success is data that says so, and nothing is carried out", async () => {
  const flag = await run(fault.errorInSuccess("add"), ({ call }) => call("add"));
  expect(flag.told[0]?.result).toEqual({
    ok: true,
    data: { success: false, error: { code: "INTERNAL_ERROR", message: "add failed" } },
  });
  const mcp = fault.errorInSuccess("add", { style: "mcp", code: 500, message: "no luck" });
  const trial = await run(mcp, ({ call }) => call("add"));
  expect(trial.told[0]?.result).toEqual({
    ok: true,
    data: { isError: true, content: [{ type: "text", text: "500: no luck" }] },
  });
  expect(trial.mutations).toEqual([]);
});

test("a lost confirmation is the timeout of a call that was carried out", async () => {
  const trial = await run(fault.timeoutAfter("add"), ({ call }) => call("add"));
  expect(trial.order).toEqual(["mutation call_1", "hidden call_1", "fault call_1", "told call_1"]);
  expect(trial.told[0]?.result).toEqual({
    ok: false,
    error: { name: "TimeoutError", code: "TIMEOUT", message: "add timed out", retryable: true },
  });
});

test("a tool that is still at work at the time of the timeout goes on and commits, also when the agent has ended", async () => {
  const trial = await run(fault.timeoutAfter("add", { delayMs: 10 }), ({ call }) =>
    call("add", { ms: 25 }),
  );
  expect(trial.told[0]?.at).toBe(10);
  expect(trial.mutations).toHaveLength(1);
  expect(trial.endMs).toBe(25);
});

test("a slow response is carried out at once and answered late", async () => {
  const trial = await run(fault.slowResponse("add"), ({ call }) => call("add"));
  expect(trial.told[0]?.at).toBe(10_000);
  expect(trial.mutations[0]?.at).toBe(0);
});
