import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { BASELINE, desk, failingTrace, jsonl, REPROS, reproFor, SPEC } from "./desk.ts";
import type { Project, Watcher } from "./project.ts";

const MINE =
  'import { expect, test } from "vitest";\ntest("mine", () => { expect(1).toBe(1); });\n';
const TRACES = ".twiceshy/traces/one.jsonl";
const ARGS = ["--watch", "--reporter=verbose"];
/** How long nothing must happen before we believe that nothing happens. */
const QUIET_MS = 3000;

function watched(): { p: Project; watcher: Watcher } {
  const p = desk([], {}, { [TRACES]: jsonl([failingTrace("A-1 ok")]), "mine.test.ts": MINE });
  return { p, watcher: p.start(ARGS) };
}

/** Waits for the end of the next run and gives its output. */
async function nextRun(watcher: Watcher, act: () => void): Promise<string> {
  const from = watcher.output.length;
  act();
  await watcher.until(/Waiting for file changes|Watching for file changes/, from);
  // A second run of the same change would begin soon after the first.
  await sleep(QUIET_MS);
  return watcher.output.slice(from);
}

async function nothing(watcher: Watcher, act: () => void): Promise<void> {
  const from = watcher.output.length;
  act();
  await sleep(QUIET_MS);
  expect(watcher.output.slice(from)).toBe("");
}

function runsIn(output: string): number {
  return output.split(/\bRERUN\b/).length - 1;
}

test("watch mode reruns what a change concerns, once, and nothing for the same content", async () => {
  const { p, watcher } = watched();
  await watcher.until(/Waiting for file changes/);
  expect(watcher.output).toContain("A-1 ok");
  expect(watcher.output).toContain("mine");

  // A new trace: one run of the changed spec alone.
  const grown = p.read(TRACES) + jsonl([failingTrace("A-2 ok")]);
  const added = await nextRun(watcher, () => p.write({ [TRACES]: grown }));
  expect(runsIn(added)).toBe(1);
  expect(added).toMatch(/✓ .*A-2 ok \[/);
  expect(added).not.toContain("mine");

  // The same content once more, in the traces and in the repros: nothing.
  await nothing(watcher, () => p.write({ [TRACES]: grown }));
  await nothing(watcher, () => p.write({ [REPROS]: p.read(REPROS) }));

  // A rejected repro: its test is gone.
  const { id } = reproFor("A-2 ok");
  const rejected = p.read(REPROS).replace(/("status": )"pending"/g, '$1"rejected"');
  const one = JSON.parse(rejected) as { repros: { id: string; status: string }[] };
  for (const repro of one.repros) if (repro.id !== id) repro.status = "pending";
  const gone = await nextRun(watcher, () =>
    p.write({ [REPROS]: `${JSON.stringify(one, null, 2)}\n` }),
  );
  expect(gone).toContain("A-1 ok");
  expect(gone).not.toContain("A-2 ok [");
  expect(p.read(SPEC)).not.toContain(id);
  expect(runsIn(gone)).toBe(1);
});

test("a trace and a repro that are deleted take their test with them, without another run of it", async () => {
  const { p, watcher } = watched();
  await watcher.until(/Waiting for file changes/);
  expect(p.has(BASELINE)).toBe(true);
  const from = watcher.output.length;
  p.remove(TRACES);
  p.remove(REPROS);
  for (let waited = 0; p.has(SPEC) && waited < 60_000; waited += 200) await sleep(200);
  expect(p.has(SPEC)).toBe(false);
  await sleep(QUIET_MS);
  expect(watcher.output.slice(from)).not.toMatch(/[✓×] .*A-1 ok/);
  p.write({ "mine.test.ts": MINE.replace("mine", "still mine") });
  await watcher.until(/still mine/, from);
});
