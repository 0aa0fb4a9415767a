import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { readRepros, reprosText } from "../repro/file.ts";
import type { Repro, ReprosFile } from "../repro/repro.ts";
import { projectOf, type Project } from "../testing/project.ts";
import { anyTrace, call, crash, failed, traceOf } from "../testing/traces.ts";
import type { Trace } from "../trace/trace.ts";

import { generate, refuseStale } from "./generate.ts";
import { isUntouched } from "./spec.ts";

const SPEC = "tests/failures/support-bot.agent.spec.ts";
const REPROS = "tests/failures/support-bot.repros.json";

/** A run that swallowed a refused refund. */
function card(over: Partial<Trace> = {}): Trace {
  return traceOf(
    [
      call("get_order", { id: "A-1" }, { total: 40 }),
      failed("refund", { id: "A-1" }, "card closed"),
    ],
    {
      id: "tr_card",
      taskId: "task_card",
      task: "refund the order of Grace",
      agent: "support-bot",
      startedAt: 1000,
      output: "The refund was completed successfully.",
      ...over,
    },
  );
}

/** The same task, done. */
function done(over: Partial<Trace> = {}): Trace {
  const { steps: _, ...about } = card();
  return traceOf(
    [
      call("get_order", { id: "A-1" }, { total: 40 }),
      call("credit", { id: "A-1" }, { credit: "C-77" }),
    ],
    {
      ...about,
      id: "tr_done",
      startedAt: 2000,
      output: "I gave the credit C-77 instead.",
      ...over,
    },
  );
}

function missingField(field: string, over: Partial<Trace> = {}): Trace {
  return traceOf([call("get_order", { id: field }, {}), crash(`'${field}'`, "KeyError")], {
    id: `tr_${field}`,
    taskId: `task_${field}`,
    task: `sum up ${field}`,
    agent: "support-bot",
    ...over,
  });
}

function withRepro(project: Project, edit: (repro: Repro) => Repro, path = REPROS): void {
  const file = readRepros(join(project.root, path));
  const [first, ...rest] = file.repros;
  if (first === undefined) throw new Error("there is no repro");
  project.write(path, reprosText({ ...file, repros: [edit(first), ...rest] }));
}

function repros(project: Project, path = REPROS): ReprosFile {
  return readRepros(join(project.root, path));
}

function names(paths: readonly string[], project: Project): string[] {
  return paths.map((path) => path.slice(project.root.length + 1));
}

/** Ids and agents that are plain, so that files of several agents come out; all else is hostile. */
const someTraces = fc
  .array(fc.tuple(anyTrace(), fc.constantFrom("support-bot", "Other Bot")), {
    minLength: 1,
    maxLength: 12,
  })
  .map((list) =>
    list.map(([trace, agent], index) => ({ ...trace, id: `tr_${String(index)}`, agent })),
  );

test("a captured failure becomes a spec and its repros, written in that order of need", () => {
  const project = projectOf();
  project.capture([card()]);
  const { written, counts, problems } = generate(project.config);
  expect(names(written, project)).toEqual([REPROS, SPEC]);
  expect(counts).toEqual({
    traces: 1,
    failing: 1,
    unread: 0,
    unproved: 0,
    others: 0,
    repros: 1,
    pending: 1,
    waiting: 0,
    clusters: 1,
  });
  expect(problems).toEqual([]);
  const [repro] = repros(project).repros;
  expect(project.read(SPEC)).toContain(`test("refund the order of Grace [${repro?.id ?? ""}]"`);
});

test("generating twice is generating once", { timeout: 240_000 }, () => {
  fc.assert(
    fc.property(someTraces, (traces) => {
      const project = projectOf();
      project.capture(traces);
      generate(project.config);
      const before = project.files();
      const again = generate(project.config);
      expect({ written: again.written, removed: again.removed }).toEqual({
        written: [],
        removed: [],
      });
      expect(project.files()).toEqual(before);
      expect(generate(project.ci).stale).toEqual([]);
    }),
    { numRuns: 25 },
  );
});

test(
  "permuting the traces, within and between files, changes no byte",
  { timeout: 240_000 },
  () => {
    fc.assert(
      fc.property(someTraces, fc.nat(), (traces, turn) => {
        const one = projectOf();
        one.capture(traces);
        generate(one.config);
        const other = projectOf();
        const by = turn % traces.length;
        other.capture(traces.slice(by).reverse(), ".twiceshy/traces/b.jsonl");
        other.capture(traces.slice(0, by).reverse(), ".twiceshy/traces/a.jsonl");
        generate(other.config);
        expect(other.files()).toEqual(one.files());
      }),
      { numRuns: 25 },
    );
  },
);

/** The ids of every repro, whatever its agent; none when nothing failed and nothing was written. */
function idsIn(project: Project): string[] {
  return Object.keys(project.files("tests"))
    .filter((name) => name.endsWith(".repros.json"))
    .flatMap((name) => readRepros(join(project.root, "tests", name)).repros.map(({ id }) => id));
}

test("capturing traces in two steps keeps every repro of the first", { timeout: 240_000 }, () => {
  fc.assert(
    fc.property(someTraces, someTraces, (first, second) => {
      const project = projectOf();
      project.capture(first);
      generate(project.config);
      const before = idsIn(project);
      rmSync(join(project.root, ".twiceshy"), { recursive: true });
      project.capture(second.map((trace) => ({ ...trace, id: `x${trace.id}` })));
      generate(project.config);
      const after = idsIn(project);
      expect(after).toEqual(expect.arrayContaining(before));
    }),
    { numRuns: 20 },
  );
});

test("equal failing traces give one repro that says how often it was seen", () => {
  const project = projectOf();
  project.capture([
    card(),
    card({ id: "tr_2", startedAt: 5 }),
    card({ id: "tr_3", durationMs: 8 }),
    card(),
  ]);
  generate(project.config);
  expect(repros(project).repros).toMatchObject([{ seen: 3, source: { trace: "tr_2" } }]);
  project.capture([card()]);
  expect(generate(project.config).written).toEqual([]);
});

test("repros whose traces are gone stay, with their tests", () => {
  const project = projectOf();
  project.capture([card()]);
  generate(project.config);
  project.capture([missingField("amount")]);
  generate(project.config);
  expect(repros(project).repros).toHaveLength(2);
  expect(project.read(SPEC).match(/ {2}test\(/g)).toHaveLength(2);
});

test("KeyError 'amount' and KeyError 'email' are two describes", () => {
  const project = projectOf();
  project.capture([missingField("amount"), missingField("email")]);
  generate(project.config);
  expect(project.read(SPEC).match(/^describe\(.*$/gm)).toMatchInlineSnapshot(`
    [
      "describe("exception: KeyError: 'amount'", () => {",
      "describe("exception: KeyError: 'email'", () => {",
    ]
  `);
});

test("a later success upgrades a pending repro that nobody edited", () => {
  const project = projectOf();
  project.capture([card()]);
  generate(project.config);
  const [before] = repros(project).repros;
  expect(before?.origin).toBe("inferred");
  project.capture([card(), done()]);
  const { written } = generate(project.config);
  const [after] = repros(project).repros;
  expect(names(written, project)).toEqual([REPROS]);
  expect(after).toMatchObject({ id: before?.id, origin: "retry", status: "pending" });
  expect(after?.checks).toContainEqual({ type: "tool_called", name: "credit" });
  expect(after?.cassette.some(({ from }) => from === "retry")).toBe(true);
  expect(generate(project.config).written).toEqual([]);
});

test("a later success leaves a pending repro alone that passed and was accepted so", () => {
  const project = projectOf();
  project.capture([card()]);
  generate(project.config);
  const [before] = repros(project).repros;
  const entries = { [before?.id ?? ""]: { verdict: "passes", hash: "0" } };
  const baseline = { formatVersion: 1, agent: "support-bot", entries };
  project.write(REPROS.replace("repros", "baseline"), JSON.stringify(baseline));
  project.capture([card(), done()]);
  expect(generate(project.config).written).toEqual([]);
  expect(repros(project).repros).toEqual([before]);
});

test("status, checks and notes edited by a person win over any trace", () => {
  const project = projectOf();
  project.capture([card()]);
  generate(project.config);
  withRepro(project, (repro) => ({
    ...repro,
    notes: "by hand",
    checks: [{ type: "tool_not_called", name: "refund" }],
  }));
  const edited = project.read(REPROS);
  project.capture([card(), done()]);
  expect(generate(project.config).written).toEqual([]);
  expect(project.read(REPROS)).toBe(edited);
});

test("a confirmed repro is not changed by a later success", () => {
  const project = projectOf();
  project.capture([card()]);
  generate(project.config);
  withRepro(project, (repro) => ({ ...repro, status: "confirmed" }));
  project.capture([card(), done()]);
  expect(generate(project.config).written).toEqual([]);
  expect(repros(project).repros).toMatchObject([{ status: "confirmed", origin: "inferred" }]);
});

test("a rejected repro stays in the file without a test, and the last one's spec goes", () => {
  const project = projectOf();
  project.capture([card(), missingField("amount")]);
  generate(project.config);
  const [first, second] = repros(project).repros;
  withRepro(project, (repro) => ({ ...repro, status: "rejected" }));
  generate(project.config);
  expect(project.read(SPEC)).not.toContain(first?.id);
  expect(project.read(SPEC)).toContain(second?.id);
  const file = repros(project);
  project.write(
    REPROS,
    reprosText({
      ...file,
      repros: file.repros.map((repro) => Object.assign(repro, { status: "rejected" })),
    }),
  );
  project.write("tests/failures/support-bot.baseline.json", "{}");
  const { removed } = generate(project.config);
  expect(names(removed, project)).toEqual([SPEC]);
  expect(repros(project).repros).toHaveLength(2);
  expect(existsSync(join(project.root, "tests/failures/support-bot.baseline.json"))).toBe(true);
});

test("a failure known by a score alone waits without a test until its answer is given", () => {
  const project = projectOf();
  const scored = traceOf([call("search", { q: 1 }, "x")], {
    id: "tr_s",
    task: "what costs it?",
    agent: "support-bot",
    output: "$40",
    score: { name: "reward", value: 0, passed: false },
  });
  project.capture([scored]);
  const { counts } = generate(project.config);
  expect(counts).toMatchObject({ failing: 1, repros: 1, waiting: 1 });
  expect(existsSync(join(project.root, SPEC))).toBe(false);
  withRepro(project, ({ needs: _needs, ...repro }) => ({ ...repro, expected: { equals: "$42" } }));
  generate(project.config);
  expect(project.read(SPEC)).toContain("what costs it?");
});

test("an agent that is not configured is named, and its repros are written all the same", () => {
  const project = projectOf({}, { agent: undefined, agents: { other: "./src/agent.ts#run" } });
  project.capture([card()]);
  const { problems, written } = generate(project.config);
  expect(names(written, project)).toEqual([REPROS]);
  expect(problems).toMatchInlineSnapshot(`
    [
      {
        "code": "E_AGENT_UNCONFIGURED",
        "message": "Failed to write a spec for the agent support-bot: no code is configured for it, so none of its repros makes a test. Set "agent" to "file#export", or add the name to "agents"; its repros file is written.",
        "severity": "error",
      },
    ]
  `);
});

test("each agent has its own code, spec and repros", () => {
  const project = projectOf(
    {},
    { agent: "./src/agent.ts#run", agents: { "Other Bot": "lib/other.mjs#default" } },
  );
  project.write("lib/other.mjs", "export default 1;\n");
  project.capture([card(), card({ agent: "Other Bot", id: "tr_o" })]);
  generate(project.config);
  const names = Object.keys(project.files());
  const other = names.find((name) => /^other-bot-.*spec/.test(name)) ?? "";
  expect(project.files()[other]).toContain(
    'import { default as agent } from "../../lib/other.mjs";',
  );
  expect(project.read(SPEC)).toContain('import { run } from "../../src/agent.ts";');
});

test("a repros file that a person gave to another agent is not overwritten by the traces of its old name", () => {
  const project = projectOf();
  project.capture([card()]);
  generate(project.config);
  const given = project
    .read(REPROS)
    .replace('"agent": "support-bot"', '"agent": "desk"')
    .replace('"status": "pending"', '"status": "confirmed"');
  project.write(REPROS, given);
  const { problems } = generate(project.config);
  expect(project.read(REPROS)).toBe(given);
  expect(problems).toEqual([]);
  const files = Object.keys(project.files()).filter((name) => name.endsWith(".repros.json"));
  expect(files).toEqual([
    expect.stringMatching(/^support-bot-[0-9a-f]{8}\.repros\.json$/),
    "support-bot.repros.json",
  ]);
  expect(generate(project.config).written).toEqual([]);
});

test("a spec that was edited by hand is not overwritten: ours is written beside it", () => {
  const project = projectOf();
  project.capture([card()]);
  generate(project.config);
  const edited = `${project.read(SPEC)}// mine\n`;
  project.write(SPEC, edited);
  project.capture([card(), missingField("amount")]);
  const { written, problems } = generate(project.config);
  expect(names(written, project)).toEqual([REPROS, `${SPEC}.new`]);
  expect(project.read(SPEC)).toBe(edited);
  expect(isUntouched(project.read(`${SPEC}.new`))).toBe(true);
  expect(problems.map(({ code, severity }) => [code, severity])).toEqual([
    ["E_SPEC_EDITED", "error"],
  ]);
  expect(generate(project.config).written).toEqual([]);
  const forced = generate(project.config, { force: true });
  expect(names(forced.written, project)).toEqual([SPEC]);
  expect(names(forced.removed, project)).toEqual([`${SPEC}.new`]);
});

test("an edited spec is stale in CI only when it leaves a repro out", () => {
  const project = projectOf();
  project.capture([card()]);
  generate(project.config);
  project.write(SPEC, `${project.read(SPEC)}// mine\n`);
  expect(generate(project.ci)).toMatchObject({
    stale: [],
    problems: [{ code: "E_SPEC_EDITED", severity: "notice" }],
  });
  project.capture([card(), missingField("amount")]);
  expect(names(generate(project.ci).stale, project)).toEqual([REPROS, SPEC]);
});

test("in CI nothing is written, and what would be is named as stale", () => {
  const project = projectOf();
  project.capture([card()]);
  const result = generate(project.ci);
  expect(names(result.stale, project)).toEqual([REPROS, SPEC]);
  expect(result.written).toEqual([]);
  expect(existsSync(join(project.root, "tests"))).toBe(false);
  expect(() => refuseStale(project.ci, result)).toThrowErrorMatchingInlineSnapshot(
    `[TwiceshyError [E_SPECS_STALE]: Failed to use the generated specs: tests/failures/support-bot.repros.json, tests/failures/support-bot.agent.spec.ts do not match the traces and repros at hand, and in CI nothing is written. Run the tests once locally and commit what is written.]`,
  );
});

test("a fresh clone without traces is not stale, whatever its line ends", () => {
  const project = projectOf();
  project.capture([card(), done(), missingField("amount")]);
  generate(project.config);
  rmSync(join(project.root, ".twiceshy"), { recursive: true });
  expect(generate(project.ci).stale).toEqual([]);
  for (const [name, text] of Object.entries(project.files())) {
    project.write(join("tests/failures", name), text.replaceAll("\n", "\r\n"));
  }
  expect(generate(project.ci)).toMatchObject({ stale: [], problems: [] });
  expect(generate(project.config).written).toEqual([]);
  expect(existsSync(join(project.root, ".twiceshy"))).toBe(false);
});

test("another layout of the repros file is left alone", () => {
  const project = projectOf();
  project.capture([card()]);
  generate(project.config);
  project.write(REPROS, JSON.stringify(JSON.parse(project.read(REPROS))));
  expect(generate(project.config).written).toEqual([]);
});

test("a project with nothing to generate gets no folder", () => {
  const project = projectOf();
  const result = generate(project.config);
  expect(result).toMatchObject({ written: [], agents: [], problems: [] });
  expect(readdirSync(project.root).sort()).toEqual(["package.json", "src"]);
});

test("a merge conflict, broken JSON or newer version in a repros file is named, and nothing of it is touched", () => {
  for (const [code, break_] of [
    ["E_REPROS_CONFLICT", (text: string) => text.replace('  "blobs"', '<<<<<<< HEAD\n  "blobs"')],
    ["E_REPROS_JSON", (text: string) => text.slice(0, 100)],
    [
      "E_REPROS_VERSION",
      (text: string) => text.replace('"formatVersion": 1', '"formatVersion": 99'),
    ],
  ] as const) {
    const project = projectOf();
    project.capture([card(), card({ agent: "other", id: "tr_o" })]);
    generate(project.config);
    const broken = break_(project.read(REPROS));
    const spec = project.read(SPEC);
    project.write(REPROS, broken);
    project.capture([card(), missingField("amount"), missingField("email", { agent: "other" })]);
    const { problems, written } = generate(project.config);
    expect(problems.map((problem) => problem.code)).toEqual([code]);
    expect(names(written, project)).toEqual([
      "tests/failures/other.repros.json",
      "tests/failures/other.agent.spec.ts",
    ]);
    expect([project.read(REPROS), project.read(SPEC)]).toEqual([broken, spec]);
  }
});

test("a specs folder that is a link out of the project is refused, and its target stays as it is", () => {
  const outside = realpathSync(mkdtempSync(join(tmpdir(), "twiceshy-outside-")));
  const project = projectOf();
  mkdirSync(join(project.root, "tests"));
  symlinkSync(outside, join(project.root, "tests/failures"));
  project.capture([card()]);
  const { written, problems } = generate(project.config);
  expect(written).toEqual([]);
  expect(problems.map(({ code }) => code)).toEqual(["E_SPECS_OUTSIDE"]);
  expect(readdirSync(outside)).toEqual([]);
});

test("a spec that is a link out of the project spares its target", () => {
  const outside = realpathSync(mkdtempSync(join(tmpdir(), "twiceshy-outside-")));
  const victim = join(outside, "victim");
  writeFileSync(victim, "precious");
  const project = projectOf();
  mkdirSync(join(project.root, "tests/failures"), { recursive: true });
  symlinkSync(victim, join(project.root, REPROS));
  project.capture([card()]);
  const { problems } = generate(project.config);
  expect(problems).not.toEqual([]);
  expect(readdirSync(outside)).toEqual(["victim"]);
  expect(statSync(victim).size).toBe(8);
});

test("a specs folder that cannot be made is one clear error, and nothing is half written", () => {
  const project = projectOf({ tests: "a file" });
  project.capture([card()]);
  const { written, complete, problems } = generate(project.config);
  expect(written).toEqual([]);
  expect(complete).toBe(false);
  expect(problems).toMatchObject([{ code: "E_FILE_KIND", severity: "error" }]);
});

test("a broken record is named with its line, and the others are converted", () => {
  const project = projectOf();
  project.write(
    ".twiceshy/traces/a.jsonl",
    `${JSON.stringify(card())}\n{"broken\n${JSON.stringify(missingField("amount"))}\n`,
  );
  const { counts, problems } = generate(project.config);
  expect(counts).toMatchObject({ traces: 2, failing: 2, unread: 1, repros: 2 });
  expect(problems[0]?.message).toContain("a.jsonl");
});

test("a large tool result is stored once in the file", () => {
  const large = "x".repeat(300_000);
  const project = projectOf();
  const big = (id: string): Trace =>
    traceOf([call("fetch", { id }, { large }), failed("refund", { id }, "card closed")], {
      id,
      task: id,
      taskId: id,
      agent: "support-bot",
      output: "Refunded successfully.",
    });
  project.capture([big("a"), big("b")]);
  generate(project.config);
  expect(repros(project).repros).toHaveLength(2);
  expect(project.read(REPROS).split(large).length - 1).toBe(1);
});

test("a secret in the arguments is not in any written file", () => {
  const key = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH";
  const project = projectOf();
  const leaking = traceOf(
    [
      call("login", { apiKey: key, email: "grace@example.com" }, {}),
      failed("refund", {}, `bad key ${key}`),
    ],
    {
      id: "tr_k",
      task: `refund with ${key}`,
      agent: "support-bot",
      output: "Refunded successfully.",
    },
  );
  project.capture([leaking]);
  generate(project.config);
  const all = Object.values(project.files()).join("");
  expect(all).toContain("refund with");
  expect(all).not.toContain(key);
  expect(all).not.toContain("grace@example.com");
});

test("the value of a secret variable is not in any written file, wherever a trace has it", () => {
  const secret = "v3ry-s3cret-v4lue";
  const project = projectOf();
  project.capture([card({ task: `refund with ${secret}` })]);
  generate({ ...project.config, redact: { environment: { SHOP_API_TOKEN: secret } } });
  const all = Object.values(project.files()).join("");
  expect(all).toContain("refund with [redacted:env#1]");
  expect(all).not.toContain(secret);
});

test("specs per cluster split a spec, and going back joins it", () => {
  const split = projectOf({}, { specs: { per: "cluster" } });
  split.capture([missingField("amount"), missingField("email")]);
  const { agents } = generate(split.config);
  expect(agents[0]?.specs).toHaveLength(2);
  expect(Object.keys(split.files()).filter((name) => name.includes(".spec."))).toHaveLength(2);
  const joined = generate({ ...split.config, specs: { ...split.config.specs, per: "agent" } });
  expect(names(joined.written, split)).toEqual([SPEC]);
  expect(joined.removed).toHaveLength(2);
});

test("a hand-written test in the folder is never touched", () => {
  const project = projectOf({ "tests/failures/mine.agent.spec.ts": "// mine\n" });
  project.capture([card()]);
  generate(project.config);
  expect(project.read("tests/failures/mine.agent.spec.ts")).toBe("// mine\n");
});

test("a thousand failing traces take seconds", { timeout: 120_000 }, () => {
  const project = projectOf();
  project.capture(
    Array.from({ length: 1000 }, (_, i) =>
      card({ id: `tr_${String(i)}`, taskId: `t${String(i)}`, task: `refund order ${String(i)}` }),
    ),
  );
  const before = performance.now();
  generate(project.config);
  expect(performance.now() - before).toBeLessThan(60_000);
});

test(
  "of many failing runs of one cause the oldest become repros, and the others are counted with them",
  { timeout: 120_000 },
  () => {
    const many = (count: number): Trace[] =>
      Array.from({ length: count }, (_, at) =>
        card({
          id: `tr_${String(at)}`,
          taskId: `task_${String(at)}`,
          task: `refund order ${String(at)}`,
          startedAt: 1000 + at,
        }),
      );
    const most = 20;
    const project = projectOf({}, { repros: { most } });
    project.capture(many(most + 15));
    const { counts } = generate(project.config);
    expect(counts).toMatchObject({
      traces: most + 15,
      failing: most + 15,
      repros: most,
      clusters: 1,
      unproved: 0,
      others: 15,
    });
    const sizes = (): number[] =>
      Object.values(readRepros(join(project.root, REPROS)).clusters).map(({ size }) => size);
    expect(sizes()).toEqual([most + 15]);
    const before = readRepros(join(project.root, REPROS)).repros.map(({ source }) => source.trace);
    expect(before.sort()).toEqual(
      Array.from({ length: most }, (_, at) => `tr_${String(at)}`).sort(),
    );
    expect(generate(project.config).written).toEqual([]);
    project.capture(many(most + 21));
    generate(project.config);
    expect(sizes()).toEqual([most + 21]);
    expect(readRepros(join(project.root, REPROS)).repros).toHaveLength(most);
  },
);

test("causes share the repros of an agent, and a run that has one keeps it when others come", () => {
  const project = projectOf({}, { repros: { most: 6 } });
  const at = (
    names: readonly string[],
    make: (name: string, startedAt: number) => Trace,
  ): Trace[] => names.map((name, place) => make(name, 1000 + place));
  const declined = at(["a", "b", "c", "d", "e"], (name, startedAt) =>
    card({ id: `tr_${name}`, taskId: name, task: `refund ${name}`, startedAt }),
  );
  project.capture(declined);
  expect(generate(project.config).counts).toMatchObject({ repros: 5, others: 0 });
  const fields = at(["v", "w", "x", "y"], (name, startedAt) => ({
    ...missingField("amount"),
    id: `tr_${name}`,
    taskId: name,
    task: `pay ${name}`,
    startedAt,
  }));
  const older = card({ id: "tr_old", taskId: "old", task: "refund old", startedAt: 1 });
  project.capture([...declined, older, ...fields]);
  const { counts } = generate(project.config);
  // Three for each cause; of the first cause five were there before.
  expect(counts).toMatchObject({ failing: 10, repros: 8, others: 2 });
  const file = readRepros(join(project.root, REPROS));
  expect(Object.values(file.clusters).reduce((sum, { size }) => sum + size, 0)).toBe(10);
  expect(generate(project.config).written).toEqual([]);
});
