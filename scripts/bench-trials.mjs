// Trials per CPU second, beside the same loop as plain functions on a shared object. Run after `npm run build`.
import { fault } from "../dist/src/fault/build.js";
import { runTrial } from "../dist/src/workflow/trial.js";
import { defineWorld } from "../dist/src/world/define.js";

const SIZES = { "1 KB": 1e3, "10 KB": 1e4, "100 KB": 1e5, "1 MB": 1e6, "10 MB": 1e7 };
const CALLS = [1, 10, 50];
const KINDS = ["read", "write"];
const ROUNDS = Number(process.env.ROUNDS ?? 5);
const SLICE_MS = Number(process.env.SLICE_MS ?? 120);
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

function cellOf(label, bytes, { kind, calls }) {
  const state = { rows: rowsOf(bytes), total: 0 };
  const world = defineWorld({
    name: "rows",
    state,
    tools: {
      find: { kind: "read", execute: find },
      add: { kind: "write", execute: add },
    },
  });
  const tool = kind === "read" ? "find" : "add";
  const options = {
    agent: agentOf(kind, calls),
    task: "add up",
    world,
    faults: [fault.unavailable(tool)],
    checks: [
      { id: "total", type: "unchanged", path: "/total" },
      { id: "row", type: "equals", path: "/rows/7/id", expected: "row_7" },
    ],
  };
  const shared = structuredClone(state);
  const plain = agentOf(kind, calls);
  const context = {
    call: async (name, args) => (name === "find" ? find(args, shared) : add(args, shared)),
  };
  return {
    label,
    kind,
    calls,
    run: () => runTrial(options),
    plain: () => plain("add up", context),
    cpu: [],
    floor: [],
  };
}

async function measure(run) {
  await run();
  const start = process.cpuUsage();
  const until = performance.now() + SLICE_MS;
  let count = 0;
  while (performance.now() < until) {
    for (let i = 0; i < 5; i++) await run();
    count += 5;
  }
  const { user, system } = process.cpuUsage(start);
  return (user + system) / count;
}

const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)];
const number = (value) => Math.round(value).toLocaleString("en");

const cells = [];
for (const [label, bytes] of Object.entries(SIZES))
  for (const kind of KINDS)
    for (const calls of CALLS) cells.push(cellOf(label, bytes, { kind, calls }));

const trial = await cells[1].run();
if (trial.verdict !== "passed")
  throw new Error(`the trial of the benchmark is ${trial.verdict}: ${trial.reason}`);

for (let i = 0; i < 3; i++) await measure(cells[1].run);
for (let round = 0; round < ROUNDS; round++)
  for (const cell of cells) {
    cell.cpu.push(await measure(cell.run));
    cell.floor.push(await measure(cell.plain));
  }

console.log(
  `\nTrials per CPU second (microseconds a trial; without twiceshy), median of ${ROUNDS} rounds\n`,
);
console.log(
  `| state | tool | ${CALLS.map((calls) => `${calls} call${calls === 1 ? "" : "s"}`).join(" | ")} |`,
);
console.log(`|---|---|${CALLS.map(() => "---:|").join("")}`);
for (const label of Object.keys(SIZES))
  for (const kind of KINDS) {
    const row = cells.filter((cell) => cell.label === label && cell.kind === kind);
    const texts = row.map(({ cpu, floor }) => {
      const us = median(cpu);
      return `${number(1e6 / us)} (${us.toFixed(1)}; ${number(1e6 / median(floor))})`;
    });
    console.log(`| ${label} | ${kind} | ${texts.join(" | ")} |`);
  }

const at = (label, kind, calls) =>
  median(
    cells.find((cell) => cell.label === label && cell.kind === kind && cell.calls === calls).cpu,
  );
const rates = KINDS.map((kind) => 1e6 / at("1 KB", kind, 10));
const growth = CALLS.map((calls) => at("10 MB", "write", calls) / at("1 KB", "write", calls));
const worst = Math.min(...rates);
const most = Math.max(...growth);
console.log(
  `\n10 calls, 1 KB: read ${number(rates[0])}, write ${number(rates[1])} trials per CPU second; wanted: at least ${number(WANTED)}: ${worst >= WANTED ? "holds" : "DOES NOT HOLD"}`,
);
console.log(
  `A small write from 1 KB to 10 MB: ${growth.map((times) => times.toFixed(2)).join(", ")} times (${CALLS.join(", ")} calls); wanted: below ${MOST_GROWTH}: ${most < MOST_GROWTH ? "holds" : "DOES NOT HOLD"}`,
);
process.exitCode = worst >= WANTED && most < MOST_GROWTH ? 0 : 1;
