import { expect, test } from "vitest";
import { ambientState, within } from "./ambient.ts";
import type { Boundary } from "./boundary.ts";
import { leaveContext } from "./trial-handlers.ts";

const boundary = { nextId: () => "call_1", call: () => ({ ok: true, data: null }) } as Boundary;

test("code that leaves its trial belongs to nothing any more, nor does what it starts", async () => {
  await within(boundary, async () => {
    expect(ambientState()?.boundary).toBe(boundary);
    leaveContext();
    expect(ambientState()).toBeUndefined();
    await Promise.resolve();
    expect(ambientState()).toBeUndefined();
  });
});
