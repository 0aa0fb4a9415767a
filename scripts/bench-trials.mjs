// Trials per CPU second, without a fault and with one, beside the same loop as plain functions on a shared object. Every
// trial of a slice is kept with its evidence until the slice ends. Run after `npm run build`; DIST names another build.
//
// Each state size has a process of its own: in one process the garbage collector, whose threads are part of the CPU time,
// would go through the 10 MB world while trials of the 1 KB world are measured. The sizes are gone through forth and back,
// so that a machine that is busy for a while is not busy for one size alone.
import { spawnSync } from "node:child_process";
import { writeSync } from "node:fs";
import { fileURLToPath } from "node:url";

const dist = process.env.DIST ?? new URL("../dist", import.meta.url).pathname;
const { fault } = await import(`${dist}/src/fault/build.js`);
const { runTrial } = await import(`${dist}/src/workflow/trial.js`);
const { defineWorld } = await import(`${dist}/src/world/define.js`);

const SIZES = { "1 KB": 1e3, "10 KB": 1e4, "100 KB": 1e5, "1 MB": 1e6, "10 MB": 1e7 };
const CALLS = [1, 10, 50];
const KINDS = ["read", "write"];
const FAULTS = [0, 1];
const PASSES = 2;
/** Of each pass. */
const ROUNDS = Number(process.env.ROUNDS ?? 5);
/** Of CPU time: a busy machine gives a process less of it, and code that has run too little is not compiled yet. */
const SLICE_MS = Number(process.env.SLICE_MS ?? 80);
const WANTED = 12_000;
const MOST_GROWTH = 3;

function rowsOf(bytes) {
  const rows = [];
  for (let size = 20, i = 0; size < bytes; i++) {
    const row = { id: `row_${i}`, name: `customer ${i}`, amount: i % 97, open: true };
    rows.push(row);
    size += JSON.stringify(row).length + 1;
  }
  return rows;
}

const find = ({ at }, state) => {
  const row = state.rows[at];
  return { id: row.id, amount: row.amount };
};
const add = ({ at, by }, state) => {
  const row = state.rows[at];
  row.amount += by;
  return { id: row.id, amount: row.amount };
};

/** `calls` calls of one tool; an answer that is an error is one of them. */
function agentOf(kind, calls) {
  return async (_task, { call }) => {
    let sum = 0;
    for (let i = 0; i < calls; i++) {
      try {
        const row =
          kind === "read"
            ? await call("find", { at: i % 8 })
            : await call("add", { at: i % 8, by: 1 });
        sum += row.amount;
      } catch {
        sum -= 1;
      }
    }
    return { status: "completed", message: "done", output: sum };
  };
}

function worldOf(label, bytes) {
  const state = { rows: rowsOf(bytes), total: 0 };
  const world = defineWorld({
    name: "rows",
    state,
    tools: {
      find: { kind: "read", execute: find },
      add: { kind: "write", execute: add },
    },
  });
  return { label, world, shared: state };
}

function cellOf({ label, world, shared }, { kind, calls, faults }) {
  const tool = kind === "read" ? "find" : "add";
  const options = {
    agent: agentOf(kind, calls),
    task: "add up",
    world,
    faults: faults === 0 ? [] : [fault.unavailable(tool)],
    checks: [
      { id: "total", type: "unchanged", path: "/total" },
      { id: "row", type: "equals", path: "/rows/7/id", expected: "row_7" },
    ],
  };
  const plain = agentOf(kind, calls);
  const context = {
    call: async (name, args) => (name === "find" ? find(args, shared) : add(args, shared)),
  };
  return {
    label,
    kind,
    calls,
    faults,
    run: () => runTrial(options),
    plain: () => plain("add up", context),
    cpu: [],
    floor: [],
  };
}

/** Microseconds of CPU time for each run; what the runs gave is kept until the end. */
async function measure(run, ms = SLICE_MS) {
  const kept = [await run()];
  const start = process.cpuUsage();
  for (;;) {
    for (let i = 0; i < 10; i++) kept.push(await run());
    const { user, system } = process.cpuUsage(start);
    if (user + system >= ms * 1000) return (user + system) / (kept.length - 1);
  }
}

const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)];
const number = (value) => Math.round(value).toLocaleString("en");

/** The cells of one state size, measured in this process. */
async function measured(label) {
  const base = worldOf(label, SIZES[label]);
  const cells = KINDS.flatMap((kind) =>
    FAULTS.flatMap((faults) => CALLS.map((calls) => cellOf(base, { kind, calls, faults }))),
  );
  for (const cell of cells) {
    const trial = await cell.run();
    if (trial.verdict !== "passed")
      throw new Error(`a trial of the benchmark is ${trial.verdict}: ${trial.reason}`);
  }
  for (const cell of cells) await measure(cell.run);
  for (let round = 0; round < ROUNDS; round++)
    for (const cell of cells) {
      cell.cpu.push(await measure(cell.run));
      cell.floor.push(await measure(cell.plain, SLICE_MS / 4));
    }
  return cells.map(({ label, kind, calls, faults, cpu, floor }) => ({
    label,
    kind,
    calls,
    faults,
    cpu,
    floor,
  }));
}

if (process.env.BENCH_SIZE !== undefined) {
  writeSync(1, JSON.stringify(await measured(process.env.BENCH_SIZE)));
  process.exit();
}

/** The same in a process of its own. */
function measuredAlone(label) {
  const { status, stdout } = spawnSync(process.execPath, [fileURLToPath(import.meta.url)], {
    env: { ...process.env, BENCH_SIZE: label },
    stdio: ["ignore", "pipe", "inherit"],
    encoding: "utf8",
    maxBuffer: 1e8,
  });
  if (status !== 0) throw new Error(`the process that measures ${label} ended with ${status}`);
  return JSON.parse(stdout);
}

const cells = [];
const nameOf = ({ label, kind, calls, faults }) => [label, kind, calls, faults].join();

function keep(cell) {
  const known = cells.find((one) => nameOf(one) === nameOf(cell));
  known?.cpu.push(...cell.cpu);
  known?.floor.push(...cell.floor);
  if (known === undefined) cells.push(cell);
}

const labels = Object.keys(SIZES);
for (let pass = 0; pass < PASSES; pass++)
  for (const label of pass % 2 === 0 ? labels : labels.toReversed())
    for (const cell of measuredAlone(label)) keep(cell);

const of = (wanted) =>
  cells.filter((cell) => Object.entries(wanted).every(([key, value]) => cell[key] === value));

for (const faults of FAULTS) {
  console.log(
    `\nTrials ${faults === 0 ? "without a fault" : "with one fault"} per CPU second (microseconds a trial; without twiceshy), median of ${PASSES * ROUNDS} rounds\n`,
  );
  console.log(
    `| state | tool | ${CALLS.map((calls) => `${calls} call${calls === 1 ? "" : "s"}`).join(" | ")} |`,
  );
  console.log(`|---|---|${CALLS.map(() => "---:|").join("")}`);
  for (const label of Object.keys(SIZES))
    for (const kind of KINDS) {
      const texts = of({ label, kind, faults }).map(({ cpu, floor }) => {
        const us = median(cpu);
        return `${number(1e6 / us)} (${us.toFixed(1)}; ${number(1e6 / median(floor))})`;
      });
      console.log(`| ${label} | ${kind} | ${texts.join(" | ")} |`);
    }
}

const at = (label, kind, about) => {
  const [cell] = of({ label, kind, ...about });
  return median(cell.cpu);
};
const rates = (faults) => KINDS.map((kind) => 1e6 / at("1 KB", kind, { calls: 10, faults }));
const growth = CALLS.map((calls) => {
  const about = { calls, faults: 0 };
  return at("10 MB", "write", about) / at("1 KB", "write", about);
});
const [plain, faulty] = FAULTS.map(rates);
const worst = Math.min(...plain);
const most = Math.max(...growth);
console.log(
  `\n10 calls, 1 KB, without a fault: read ${number(plain[0])}, write ${number(plain[1])} trials per CPU second; wanted: at least ${number(WANTED)}: ${worst >= WANTED ? "holds" : "DOES NOT HOLD"} (with one fault: ${number(faulty[0])} and ${number(faulty[1])})`,
);
console.log(
  `A small write from 1 KB to 10 MB: ${growth.map((times) => times.toFixed(2)).join(", ")} times (${CALLS.join(", ")} calls); wanted: below ${MOST_GROWTH}: ${most < MOST_GROWTH ? "holds" : "DOES NOT HOLD"}`,
);
process.exitCode = worst >= WANTED && most < MOST_GROWTH ? 0 : 1;
