import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { agentOf, baselineFileOf, idOfKey, idOfTitle, keyOf, stateName } from "./baseline-file.ts";

test("any id comes back from its key", () => {
  fc.assert(
    fc.property(fc.string(), (id) => {
      expect(idOfKey(keyOf(stateName(id)))).toBe(id);
    }),
  );
});

test("a user's own snapshot is never taken for an entry", () => {
  expect(idOfKey("3f2a91c4 1")).toBeUndefined();
  expect(idOfKey("desk > refunds 1")).toBeUndefined();
});

test("a title gives its id only when the id stands at its end", () => {
  expect(idOfTitle("refund the order of Grace [3f2a91c4]")).toBe("3f2a91c4");
  expect(idOfTitle("refund [3f2a91c4] twice")).toBeUndefined();
  expect(idOfTitle("refund [abc]")).toBeUndefined();
});

test("the baseline stands beside its spec", () => {
  expect(baselineFileOf("/t/support-bot.agent.spec.ts")).toBe("/t/support-bot.baseline.json");
  expect(baselineFileOf("/t/support-bot.agent.spec.mjs")).toBe("/t/support-bot.baseline.json");
  expect(baselineFileOf("/t/mine.test.tsx")).toBe("/t/mine.agent.baseline.json");
});

test("a new baseline takes the agent's name from the repros beside it, else its own name", () => {
  const dir = mkdtempSync(join(tmpdir(), "twiceshy-baseline-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  writeFileSync(join(dir, "support-bot.repros.json"), '{"agent":"Support Bot"}');
  expect(agentOf(join(dir, "support-bot.baseline.json"))).toBe("Support Bot");
  expect(agentOf(join(dir, "other.baseline.json"))).toBe("other");
});
