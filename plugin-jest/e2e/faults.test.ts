import { expect, test } from "vitest";
import type { JsonTest } from "../../plugin-vitest/e2e/project.ts";
import { project, type JestOutcome, type JestProject } from "./project.ts";

const CONFIG = `module.exports = require("twiceshy/jest/config").withTwiceshy();\n`;

const DESK = `const { defineWorld } = require("twiceshy");

exports.desk = () =>
  defineWorld({
    name: "desk",
    state: { bookings: [] },
    tools: {
      list_bookings: { kind: "read", execute: (args, state) => ({ items: state.bookings }) },
      reserve_slot: {
        kind: "write",
        execute({ slot, key }, state) {
          const known = state.bookings.find((booking) => booking.key === key);
          if (known) return known;
          const booking = { id: "b" + (state.bookings.length + 1), slot, key };
          state.bookings.push(booking);
          return booking;
        },
      },
    },
  });
`;

const AGENT = `const book = (keyOf) => async function desk(task, { call }) {
  for (let attempt = 1; attempt <= 3; attempt++) {
    try {
      const booking = await call("reserve_slot", { slot: task, key: keyOf(attempt) });
      if (typeof booking?.id === "string") return { status: "completed", message: "Booked " + booking.id };
    } catch (error) {
      if (error.retryable === false) return { status: "blocked", message: "Not booked: " + error.message };
    }
  }
  return { status: "blocked", message: "I do not know whether it is booked." };
};
exports.stable = book(() => "key");
exports.careless = book((attempt) => "key-" + attempt);
`;

const HEAD = `const { describeWorkflow, expect, fault, test } = require("twiceshy/jest");
const { careless, stable } = require("../agent.js");
const { desk } = require("../desk.js");
`;

const booking = (files: Readonly<Record<string, string>>): JestProject =>
  project({ "jest.config.js": CONFIG, "desk.js": DESK, "agent.js": AGENT, ...files });

const testsOf = ({ json }: JestOutcome): readonly JsonTest[] =>
  json.testResults.flatMap(({ assertionResults }) => assertionResults);

const failed = (outcome: JestOutcome): string[] =>
  testsOf(outcome)
    .filter(({ status }) => status === "failed")
    .map(({ title }) => title);

const workflow = (agent: string): string => `${HEAD}
describeWorkflow("books one slot", {
  agent: ${agent},
  task: "slot_42",
  world: desk(),
  scenarios: [
    { id: "lost", faults: [fault.timeoutAfter("reserve_slot")] },
    { id: "early", faults: [fault.timeoutBefore("reserve_slot")] },
    { id: "twice", title: "two lost confirmations", faults: [fault.timeoutAfter("reserve_slot", { repeat: 2 })] },
  ],
  checks: [{ id: "one", label: "Exactly one booking", type: "count", path: "/bookings", expected: 1 }],
});
`;

test("a workflow is one test for the control and one for each scenario, and a lost confirmation shows both bookings", async () => {
  const it = booking({
    "tests/good.test.js": workflow("stable"),
    "tests/bad.test.js": workflow("careless"),
  });
  const outcome = await it.run();
  expect(outcome.code).toBe(1);
  const titles = testsOf(outcome).map(({ fullName, status }) => `${fullName}: ${status}`);
  expect(titles.sort()).toEqual([
    "books one slot control: passed",
    "books one slot control: passed",
    "books one slot lost confirmation of reserve_slot: failed",
    "books one slot lost confirmation of reserve_slot: passed",
    "books one slot timeout before the effect of reserve_slot: passed",
    "books one slot timeout before the effect of reserve_slot: passed",
    "books one slot two lost confirmations: failed",
    "books one slot two lost confirmations: passed",
  ]);
  const [message] = testsOf(outcome).find(({ status }) => status === "failed")!.failureMessages;
  expect(message).toContain("Exactly one booking");
  expect(message).toContain("key-1");
  expect(message).toContain("key-2");
  const reports = it.list(".twiceshy/reports");
  expect(reports).toHaveLength(2);
  const good = reports.find((name) => name.startsWith("good"))!;
  const text = it.read(`.twiceshy/reports/${good}`);
  await it.run();
  expect(it.read(`.twiceshy/reports/${good}`)).toBe(text);
});

test("while the control is bad no fault trial runs: scenarios are skipped beside the red control, and red where it was filtered out", async () => {
  const idle = `${HEAD}const idle = async () => "done";`;
  const it = booking({ "tests/none.test.js": workflow("idle").replace(HEAD, idle) });
  const outcome = await it.run();
  expect(failed(outcome)).toEqual(["control"]);
  expect(testsOf(outcome).filter(({ status }) => status === "pending")).toHaveLength(3);
  const alone = await it.run("-t", "early|timeout before");
  expect(failed(alone)).toHaveLength(1);
  expect(alone.output).toContain("No fault trial was run, as the control is not good");
});

test("an agent that exits, rejects stray, hangs or throws fails its test by name, and the others run", async () => {
  const agents = {
    exits: `async () => { try { process.exit(0); } catch {} return "done"; }`,
    strays: `async () => { Promise.reject(new Error("stray one")); await new Promise((r) => setTimeout(r, 5)); return "done"; }`,
    hangs: `async () => new Promise(() => {})`,
    throws: `async () => { throw new TypeError("no such field"); }`,
    fine: `async () => "done"`,
  };
  const tests = Object.entries(agents).map(
    ([name, code]) =>
      `describeWorkflow("${name}", { agent: ${code}, task: "x", world: desk(), scenarios: [], limits: { ms: 1500 } });`,
  );
  const it = booking({ "tests/odd.test.js": `${HEAD}${tests.join("\n")}\n` });
  const outcome = await it.run();
  const told = Object.fromEntries(
    testsOf(outcome).map(({ fullName, status, failureMessages }) => [
      fullName.replace(" control", ""),
      status === "failed" ? failureMessages[0]! : status,
    ]),
  );
  expect(told["fine"]).toBe("passed");
  expect(told["exits"]).toContain("process.exit");
  expect(told["strays"]).toContain("stray one");
  expect(told["hangs"]).toContain("waits for ever");
  expect(told["throws"]).toContain("no such field");
});

test("runTrial, its matchers, explore and perturb work in an ordinary test", async () => {
  const it = booking({
    "tests/booking.test.js": `const { record } = require("twiceshy");
const { mkdirSync } = require("node:fs");
${HEAD}
test("a lost confirmation does not book twice", async ({ runTrial }) => {
  const trial = await runTrial({ agent: stable, task: "slot_42", world: desk(), faults: [fault.timeoutAfter("reserve_slot")] });
  expect(trial).toHaveReachedFault();
  expect(trial).toHaveReachedFault("timeout_after");
  expect(trial).toHaveExactlyOneMutation({ tool: "reserve_slot" });
  expect(trial).toHaveMutations(1, { path: "/bookings" });
  expect(trial).toHaveCalledToolsInOrder(["reserve_slot", "reserve_slot"]);
  expect(trial).toHaveRecoveredFrom("reserve_slot");
  expect(trial).toReportCommittedState();
  expect(trial).not.toHaveCalledTool("list_bookings");
  expect(trial.state.bookings).toHaveLength(1);
});

test("no schedule of two faults books twice", async ({ explore }) => {
  await explore({ agent: careless, task: "slot_42", world: desk(), maxFaults: 2 }, (trial) => {
    expect(trial).not.toHaveMutations(2);
  });
});

test("yesterday's booking survives every single fault", async ({ perturb }) => {
  mkdirSync(".twiceshy", { recursive: true });
  const tools = { reserve_slot: async ({ slot, key }) => ({ id: "b1", slot, key }) };
  await record(stable, "slot_42", { tools, agent: "desk", writes: ["reserve_slot"], sink: ".twiceshy/good.jsonl" });
  const [all] = await perturb(".twiceshy/good.jsonl", stable, (trial) => {
    expect(trial.mutations.length).toBeLessThan(2);
  }, { world: desk() });
  expect(all.trials.length).toBeGreaterThan(5);
});
`,
  });
  const first = await it.run();
  expect(failed(first)).toEqual(["no schedule of two faults books twice"]);
  expect(first.output).toContain("lost confirmation of reserve_slot");
  const found = it.list("tests/booking.findings");
  expect(found).toHaveLength(1);
  const text = it.read(`tests/booking.findings/${found[0]!}`);
  const second = await it.run();
  expect(second.output).toContain("known from an earlier run");
  expect(it.read(`tests/booking.findings/${found[0]!}`)).toBe(text);
  const ci = await it.run({ CI: "true" });
  expect(failed(ci)).toEqual(["no schedule of two faults books twice"]);
});

test("forty seconds of back-off are virtual: the runner's own work is not waited for", async () => {
  const it = booking({
    "tests/wait.test.js": `${HEAD}
const patient = async (task, { call, clock }) => {
  console.log("begins");
  for (let n = 0; n < 20; n++) {
    await clock.sleep(1000);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    await require("node:timers/promises").setTimeout(1000);
    await call("list_bookings");
  }
  return new Date().getTime();
};

test("waits", async ({ runTrial }) => {
  const trial = await runTrial({ agent: patient, task: "x", world: desk() });
  expect(trial.verdict).toBe("passed");
  expect(trial.clock.endMs - trial.clock.startMs).toBe(60_000);
  expect(trial.toolCalls).toBe(20);
});
`,
  });
  expect(await it.run("--testTimeout=4500")).toMatchObject({ code: 0 });
});

test("a live call fails its test by the name of the host, and one that the settings allow is made", async () => {
  const live = `${HEAD}const { createServer } = require("node:http");
let url;
const server = createServer((request, response) => response.end("live"));
beforeAll(() => new Promise((resolve) => server.listen(0, "127.0.0.1", () => {
  url = "http://127.0.0.1:" + server.address().port;
  resolve();
})));
afterAll(() => new Promise((resolve) => { server.closeAllConnections(); server.close(resolve); }));
const asks = async () => (await fetch(url).catch(() => undefined))?.text();

describeWorkflow("in a workflow", { agent: asks, task: "x", world: desk(), scenarios: [] });
test("in a trial", async ({ runTrial }) => {
  const trial = await runTrial({ agent: asks, task: "x", world: desk() });
  expect(trial.verdict + ": " + trial.reason).toMatch(/^passed/);
  expect(trial.completion.output).toBe("live");
});
describeWorkflow("with a list of its own", { agent: asks, task: "x", world: desk(), scenarios: [], network: ["127.0.0.1"] });
`;
  const it = booking({ "tests/live.test.js": live });
  const closed = await it.run();
  expect(failed(closed)).toEqual(["control", "in a trial"]);
  for (const { failureMessages } of testsOf(closed).slice(0, 2))
    expect(failureMessages[0]).toContain("reach 127.0.0.1");
  it.write({ "jest.config.js": CONFIG.replace("()", '({}, { network: ["127.0.0.1"] })') });
  expect(failed(await it.run())).toEqual([]);
});

test("a search that judged not everything is green and listed at the end of the run", async () => {
  const it = booking({
    "tests/booking.test.js": `${HEAD}
test("books once", async ({ explore }) => {
  await explore({ agent: stable, task: "s", world: desk(), budget: 5 }, (trial) => {
    expect(trial.mutations.length).toBeLessThan(2);
  });
});
`,
  });
  const { code, output } = await it.run();
  expect(code).toBe(0);
  expect(output).toContain("not judged whole  1:");
  expect(output).toContain("partial after 5 trials: the budget ended before the search did");
});
