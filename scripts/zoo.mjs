// Prints what a search finds in the zoo: agents with one planted bug each, for twelve checks, and their
// fixed twins.
// Every bug must be found and shrunk to the smallest schedule that is known; no twin may raise an alarm.
import { defineWorld } from "twiceshy";
import { explore } from "twiceshy/explore";
import * as zoo from "../examples/zoo/zoo.mjs";

const TWIN_RUNS = Number(process.argv[2] ?? 2000);
const NEVER = 2 ** 31;

/** A search with the animal's world and property. */
function search(animal, agent, limits) {
  const { task, extra = [], property } = animal;
  const world = defineWorld(animal.world);
  return explore({ agent, task, world, extra, seed: 1, ...limits }, property);
}

/** Trials of a twin until the budget ends: every single fault and pair, then longer schedules. */
const twin = (animal) =>
  search(animal, animal.fixed, {
    maxFaults: 3,
    budget: TWIN_RUNS,
    draws: TWIN_RUNS,
    searchMs: NEVER,
  });

/** A schedule without words, to compare it. */
const bare = (faults = []) =>
  faults.map(({ type, tool, occurrence = 1 }) => `${type} at ${tool}#${occurrence}`).join(", ");

const rows = [["agent", "check", "found", "schedule found", "known", "runs", "twin alarms"]];
let good = true;
const place = ({ check }) => Number(/\d+/.exec(check)?.[0]);
for (const animal of Object.values(zoo).sort((a, b) => place(a) - place(b))) {
  const { status, finding, runs } = await search(animal, animal.agent, {
    maxFaults: 2,
    budget: 2000,
    searchMs: NEVER,
  });
  const fixed = await twin(animal);
  const known = bare(animal.schedule);
  const same = bare(finding?.faults) === known;
  const alarms = fixed.status === "found" ? 1 : 0;
  good &&= status === "found" && same && alarms === 0 && fixed.broken === 0;
  rows.push([
    animal.name,
    animal.check,
    status === "found" ? "yes" : "no",
    finding?.schedule ?? "-",
    same ? "the same" : known,
    String(runs),
    `${alarms} in ${fixed.runs}`,
  ]);
  if (alarms > 0)
    console.error(`${animal.name}, twin: ${fixed.finding.schedule}: ${fixed.finding.said}`);
}

const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
for (const row of rows)
  console.log(
    row
      .map((cell, column) => cell.padEnd(widths[column]))
      .join("  ")
      .trimEnd(),
  );
console.log(
  good
    ? "\nAll found, all shrunk to the known schedule, no alarm."
    : "\nThe zoo is not as it should be.",
);
process.exitCode = good ? 0 : 1;
