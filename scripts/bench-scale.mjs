// Prints what many traces cost: CPU time (user and system) and peak memory of whole processes, how a run grows with its
// traces, and how well causes are told apart. Never a test: the machine's noise is not a bug.
//     node scripts/bench-scale.mjs [traces=20000] [pairs=3]
import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { cluster } from "../dist/src/cluster/cluster.js";
import { sha256 } from "../dist/src/shared/hash.js";
import { failureTexts } from "./failure-texts.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const HOME = path.join(ROOT, ".tmp-bench-scale");
const BIN = path.join(ROOT, "dist/src/cli/bin.js");
const GENERATOR =
  process.env.TWICESHY_TRACE_GENERATOR ?? path.join(ROOT, "../shared/tools/gen_traces.py");
const TRACES = Number(process.argv[2] ?? 20_000);
const PAIRS = Number(process.argv[3] ?? 3);
const SMALL = TRACES / 20;

const PARSE = `import { openSync, readSync } from "node:fs";
const file = openSync(process.argv[1], "r");
const buffer = Buffer.allocUnsafe(4 << 20);
let kept = 0;
for (let size = 1; size > 0; ) {
  size = readSync(file, buffer, kept, buffer.length - kept, null);
  const end = kept + size;
  let start = 0;
  for (let at = buffer.indexOf(10); at !== -1 && at < end; at = buffer.indexOf(10, start)) {
    JSON.parse(buffer.utf8Slice(start, at));
    start = at + 1;
  }
  buffer.copyWithin(0, start, end);
  kept = end - start;
}`;

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

function print(title, value, { limit, holds }) {
  console.log(`${holds ? "ok  " : "MISS"} ${title}: ${value} (limit ${limit})`);
}

function atMost(title, value, { limit, unit = "", digits = 2 }) {
  print(title, `${value.toFixed(digits)}${unit}`, {
    limit: `${limit}${unit}`,
    holds: value <= limit,
  });
}

/** CPU seconds, peak MB and output of one run of Node. */
function run(args, cwd = HOME) {
  const format = ["-f", "cost %U %S %M"];
  const { stderr, stdout, status } = spawnSync(
    "/usr/bin/time",
    [...format, process.execPath, ...args],
    {
      cwd,
      encoding: "utf8",
      maxBuffer: 2 ** 30,
      env: { ...process.env, CI: "" },
    },
  );
  const [, user, system, kilobytes] = /cost (\S+) (\S+) (\d+)/u.exec(stderr) ?? [];
  if (status !== 0) throw new Error(`${args.join(" ")} ended with ${status}:\n${stderr}`);
  return { cpu: Number(user) + Number(system), megabytes: Number(kilobytes) / 1024, stdout };
}

function project(name) {
  const dir = path.join(HOME, name);
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir, { recursive: true });
  writeFileSync(path.join(dir, "package.json"), `{ "name": "${name}", "private": true }\n`);
  return dir;
}

function traces(name, count, causes = 60) {
  const file = path.join(HOME, name);
  const { status, stderr } = spawnSync(
    "python3",
    [GENERATOR, String(count), file, "--causes", String(causes)],
    {
      encoding: "utf8",
    },
  );
  if (status !== 0) throw new Error(`the traces could not be made: ${stderr}`);
  return file;
}

const processed = (file, dir) => run([BIN, "process", file, "--db", "t.db", "--json"], dir);
const parsed = (file) => run(["--input-type=module", "-e", PARSE, file]);

/** Digest of every file that a run left in the specs' folder. */
function specsOf(dir) {
  const folder = path.join(dir, "tests/failures");
  return readdirSync(folder)
    .toSorted()
    .map((name) => sha256(readFileSync(path.join(folder, name), "utf8")))
    .join(" ");
}

/** How well pairs of traces are told to be of one cause: the harmonic mean of precision and recall. */
function pairwise(groups, truth) {
  const pairs = (counts) => counts.reduce((sum, count) => sum + (count * (count - 1)) / 2, 0);
  const counted = (keys) => {
    const counts = new Map();
    for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
    return [...counts.values()];
  };
  const both = groups.reduce(
    (sum, group) => sum + pairs(counted(group.map((id) => truth.get(id)))),
    0,
  );
  const found = pairs(groups.map((group) => group.length));
  const wanted = pairs(counted(groups.flat().map((id) => truth.get(id))));
  return (2 * both) / (found + wanted);
}

function f1Of(file, dir) {
  const truth = new Map();
  for (const line of readFileSync(file, "utf8").trim().split("\n")) {
    const { trace_id: id, meta } = JSON.parse(line);
    truth.set(id, meta.cause);
  }
  const { stdout } = run([BIN, "cluster", "--db", "t.db", "--json"], dir);
  return pairwise(
    JSON.parse(stdout).map((one) => one.traces),
    truth,
  );
}

function benchProcess() {
  const [large, small] = [traces("large.jsonl", TRACES), traces("small.jsonl", SMALL)];
  const dir = project("large");
  const rounds = Array.from({ length: PAIRS }, () => {
    project("large");
    return [processed(large, dir), parsed(large)];
  });
  const cpu = median(rounds.map(([ours]) => ours.cpu));
  const ratio = median(rounds.map(([ours, plain]) => ours.cpu / plain.cpu));
  atMost(
    `process ${TRACES} traces, ${cpu.toFixed(2)} s CPU, against splitting and JSON.parse`,
    ratio,
    { limit: 6, unit: "x" },
  );
  atMost("peak memory of that", Math.max(...rounds.map(([ours]) => ours.megabytes)), {
    limit: 300,
    unit: " MB",
    digits: 0,
  });
  const little = median(
    Array.from({ length: PAIRS }, () => processed(small, project("small")).cpu),
  );
  atMost(`growth from ${SMALL} to ${TRACES} traces`, cpu / little, { limit: 22, unit: "x" });
  const before = specsOf(dir);
  const again = processed(large, dir);
  const { read } = JSON.parse(again.stdout);
  atMost("a second run of the same file, against the first", again.cpu / cpu, {
    limit: 0.1,
    unit: "x",
  });
  const same = read[0].added === 0 && specsOf(dir) === before;
  print("what the second run changes", same ? "nothing" : "something", {
    limit: "nothing",
    holds: same,
  });
  const f1 = f1Of(large, dir);
  print("pairwise F1 of clusters, 60 causes", f1.toFixed(5), {
    limit: "at least 0.999",
    holds: f1 >= 0.999,
  });
  const more = readFileSync(traces("more.jsonl", TRACES + SMALL), "utf8")
    .trim()
    .split("\n")
    .slice(TRACES);
  appendFileSync(large, `${more.join("\n")}\n`);
  const { added } = JSON.parse(processed(large, dir).stdout).read[0];
  print(`new after ${SMALL} more traces in the file`, added, {
    limit: SMALL,
    holds: added === SMALL,
  });
}

function benchCauses() {
  const [large, small] = [
    traces("c-large.jsonl", TRACES, TRACES / 4),
    traces("c-small.jsonl", SMALL, SMALL / 4),
  ];
  const dir = project("c-large");
  const much = processed(large, dir);
  const little = processed(small, project("c-small"));
  atMost(
    `growth with a quarter as many causes as traces, ${much.cpu.toFixed(2)} s CPU`,
    much.cpu / little.cpu,
    { limit: 22, unit: "x" },
  );
  atMost("peak memory of that", much.megabytes, { limit: 300, unit: " MB", digits: 0 });
  const f1 = f1Of(large, dir);
  print(`pairwise F1 of clusters, ${TRACES / 4} causes`, f1.toFixed(5), {
    limit: "at least 0.999",
    holds: f1 >= 0.999,
  });
}

function shuffled(items) {
  const keyed = items.map((item) => [sha256(item.id), item]);
  return keyed.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, item]) => item);
}

function benchTexts() {
  const cost = (items) => {
    const before = process.cpuUsage();
    const clusters = cluster(items);
    const { user, system } = process.cpuUsage(before);
    return { seconds: (user + system) / 1e6, clusters };
  };
  const items = failureTexts(100_000);
  const first = cost(items);
  const second = cost(shuffled(items));
  const plain = cost(failureTexts(10_000)).seconds;
  atMost(`clustering 100,000 failure texts into ${first.clusters.length} causes`, first.seconds, {
    limit: 3,
    unit: " s CPU",
  });
  atMost("growth from 10,000 to 100,000 texts", second.seconds / plain, { limit: 13, unit: "x" });
  const same = JSON.stringify(first.clusters) === JSON.stringify(second.clusters);
  print("what a shuffle changes", same ? "not a bit" : "something", {
    limit: "not a bit",
    holds: same,
  });
}

rmSync(HOME, { recursive: true, force: true });
mkdirSync(HOME, { recursive: true });
try {
  benchTexts();
  if (existsSync(GENERATOR)) {
    benchProcess();
    benchCauses();
  } else
    console.log(
      `skipped: there is no generator of traces at ${GENERATOR} (TWICESHY_TRACE_GENERATOR)`,
    );
} finally {
  rmSync(HOME, { recursive: true, force: true });
}
