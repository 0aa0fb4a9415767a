import path from "node:path";
import { expect, test } from "vitest";
import { openStore } from "../../src/store/store.ts";
import { accepted, desk, reproFor, SPEC } from "./desk.ts";
import type { Project } from "./project.ts";

const OK = reproFor("A-1 ok");
const KNOWN = reproFor("A-2 same");
const BETTER = reproFor("A-3 ok");
const UNREVIEWED = reproFor("A-4 same", "pending");
const ENTRIES = {
  [OK.id]: accepted(OK, "passes"),
  [KNOWN.id]: accepted(KNOWN, "still_fails", { signatures: KNOWN.signatures }),
  [BETTER.id]: accepted(BETTER, "still_fails", { signatures: BETTER.signatures }),
};

function ours(): Project {
  return desk([OK, KNOWN, BETTER, UNREVIEWED], ENTRIES);
}

const CI = { CI: "true" };

test("a CI run is green and lists known failures, unreviewed and improved repros with their lines", async () => {
  const p = ours();
  const run = await p.run({ env: CI });
  expect(run.code).toBe(0);
  expect(run.output).toContain("2 passed | 2 expected fail");
  const lineOf = (id: string): number =>
    p
      .read(SPEC)
      .split("\n")
      .findIndex((line) => line.includes(`[${id}]`)) + 1;
  expect(run.output).toContain(
    `known failures  1: fail as accepted in the baseline\n   ↳ ${SPEC}:${lineOf(KNOWN.id)} ${KNOWN.title} [${KNOWN.id}]`,
  );
  expect(run.output).toContain("unreviewed  1: ");
  expect(run.output).toContain(`↳ ${SPEC}:${lineOf(UNREVIEWED.id)} `);
  expect(run.output).toContain("improved  1: ");
  expect(run.output).toContain(`↳ ${SPEC}:${lineOf(BETTER.id)} `);
});

test("accepted failures are visible in the json, junit and github-actions reporters", async () => {
  const p = ours();
  const run = await p.run({
    env: { ...CI, GITHUB_ACTIONS: "true", GITHUB_WORKSPACE: "" },
    command: [
      "run",
      "--reporter=github-actions",
      "--reporter=junit",
      "--outputFile.junit=junit.xml",
      "--reporter=json",
      "--outputFile.json=report.json",
    ],
  });
  expect(run.code).toBe(0);
  const line =
    p
      .read(SPEC)
      .split("\n")
      .findIndex((text) => text.includes(`replay("${KNOWN.id}")`)) + 1;
  expect(run.output).toMatch(
    new RegExp(`^::warning file=.*${SPEC},line=${line},.*known failure: still_fails`, "m"),
  );
  expect(p.read("junit.xml")).toMatch(/<property name="warning" value="known failure: still_fails/);
  const known = run.json.testResults[0]?.assertionResults.find((one) =>
    one.title.endsWith(`[${KNOWN.id}]`),
  );
  expect(known).toMatchObject({
    status: "passed",
    meta: { twiceshy: { verdict: "still_fails", known: true } },
  });
});

test("each run's verdicts are kept in the store with the agent's version", async () => {
  const p = ours();
  await p.run();
  const store = openStore(path.join(p.dir, ".twiceshy/twiceshy.db"));
  const [run] = store.runs();
  store.close();
  expect(run).toMatchObject({ agent: "desk" });
  expect(run?.agentVersion).toMatch(/^1\.0\.0/);
  expect(run?.verdicts.map(({ repro, verdict }) => [repro, verdict])).toEqual(
    [
      [OK.id, "passes"],
      [KNOWN.id, "still_fails"],
      [BETTER.id, "passes"],
      [UNREVIEWED.id, "still_fails"],
    ].toSorted(([a = ""], [b = ""]) => (a < b ? -1 : 1)),
  );
});

test("a folder that takes no run is one warning line and changes no result", async () => {
  const p = ours();
  p.write({ ".twiceshy/twiceshy.runs": "no folder" });
  const run = await p.run({ env: CI });
  expect(run.code).toBe(0);
  expect(run.output).toContain("This run's verdicts were not kept: Failed to write");
});

test("a store that cannot be opened is named when too many runs wait for it, and they stay", async () => {
  const p = ours();
  const waiting = Array.from(
    { length: 50 },
    (_, i) => `.twiceshy/twiceshy.runs/17000000000${10 + i}-0123456789ab.json`,
  );
  p.write({ ".twiceshy/twiceshy.db": "no database" });
  p.write(Object.fromEntries(waiting.map((name) => [name, "{}"])));
  const run = await p.run({ env: CI });
  expect(run.code).toBe(0);
  expect(run.output).toContain(
    "The verdicts of 51 runs wait beside the store: Failed to open the store",
  );
  expect(p.read(".twiceshy/twiceshy.db")).toBe("no database");
});

test("known failures survive sharded runs whose reports are merged", async () => {
  const p = ours();
  await p.run({ env: CI, command: ["run", "--shard=1/1", "--reporter=blob"] });
  const merged = await p.run({
    env: CI,
    command: ["run", "--merge-reports", "--reporter=default"],
  });
  expect(merged.output).toContain(`known failures  1: `);
});
