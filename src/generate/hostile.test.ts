import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { readRepros } from "../repro/file.ts";
import type { Repro } from "../repro/repro.ts";
import { canonical } from "../shared/json.ts";
import { title } from "../shared/text.ts";
import { hostileText, ran } from "../testing/hostile.ts";
import { projectOf, type Project } from "../testing/project.ts";
import { anyJson, call, failed, traceOf } from "../testing/traces.ts";
import type { Trace } from "../trace/trace.ts";
import { generate } from "./generate.ts";

/** 2,000 traces by default; `TWICESHY_FUZZ=20000` for the long run. */
const TRACES = Number(process.env["TWICESHY_FUZZ"] ?? 2000);
const CHUNK = 250;

const text = hostileText();
const task = fc.oneof({ weight: 3, arbitrary: text }, { weight: 1, arbitrary: anyJson() });
const seed = fc.record({
  task,
  tool: fc.oneof(text, fc.constantFrom("constructor", "__proto__", "toString", "refund")),
  args: fc.oneof(
    text.map((value) => ({ q: value })),
    fc.constantFrom(JSON.parse('{"__proto__":{"x":1}}')),
    anyJson(),
  ),
  data: fc.oneof(text, anyJson()),
  error: text,
  output: text,
  agent: fc.oneof(
    { weight: 5, arbitrary: fc.constant("support-bot") },
    { weight: 1, arbitrary: text },
  ),
});

function hostileTraces(count: number, from: number): Trace[] {
  return fc.sample(seed, { numRuns: count, seed: from }).map((of, index) =>
    traceOf([call(of.tool, of.args, of.data), failed(of.tool, of.args, `Error: ${of.error}`)], {
      id: `tr_${String(from + index)}`,
      taskId: `task_${String(from + index)}`,
      task: of.task,
      agent: of.agent === "" ? "agent" : of.agent,
      output: `Completed successfully. ${of.output}`,
    }),
  );
}

const RAW = /(?!\n)[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/u;

/** Holds a project's files against the laws; gives the number of its repros. */
function check(project: Project, traces: readonly Trace[]): number {
  const tasks = new Map(traces.map(({ id, task: value }) => [id, canonical(value)]));
  const files = Object.entries(project.files());
  const names = files.map(([name]) => name);
  expect(
    names.filter((name) => !/^[a-z0-9][a-z0-9-]*\.(?:repros\.json|agent\.spec\.ts)$/.test(name)),
  ).toEqual([]);
  const repros = names
    .filter((name) => name.endsWith(".json"))
    .flatMap((name) => reprosIn(project, name));
  expect(repros.filter((repro) => canonical(repro.task) !== tasks.get(repro.source.trace))).toEqual(
    [],
  );
  for (const [name, content] of files.filter(([file]) => file.endsWith(".ts"))) {
    const wanted = reprosIn(project, name.replace(".agent.spec.ts", ".repros.json"));
    const log = ran(content);
    expect(log.canaries).toBe(0);
    expect([...log.titles].sort()).toEqual(
      wanted.map((repro) => `${title(repro.title)} [${repro.id}]`).sort(),
    );
    const [pragma, ...rest] = content.split("\n");
    expect(pragma).toMatch(/^\/\/ \u0040vitest-environment twiceshy$/);
    expect(rest.join("\n")).not.toContain("\u0040");
    expect(content).not.toMatch(RAW);
    expect(rest.filter((line) => /^\s*(?:::|##\[)/.test(line))).toEqual([]);
  }
  return repros.length;
}

function reprosIn(project: Project, name: string): readonly Repro[] {
  return readRepros(join(project.config.specs.dir, name)).repros;
}

test(
  "hostile tasks, tool names and results give inert specs, safe file names and exact data",
  { timeout: 1_200_000 },
  () => {
    let repros = 0;
    for (let from = 0; from < TRACES; from += CHUNK) {
      const traces = hostileTraces(Math.min(CHUNK, TRACES - from), from);
      const project = projectOf({}, { redact: false });
      project.capture(traces);
      const { problems, counts } = generate(project.config);
      expect(problems.filter(({ severity }) => severity === "error")).toEqual([]);
      for (const { message } of problems) expect(message).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      expect(counts.traces).toBe(traces.length);
      repros += check(project, traces);
    }
    // The law says little when most of the traces make no repro.
    expect(repros).toBeGreaterThan(TRACES / 2);
    expect(({} as { x?: number }).x).toBeUndefined();
  },
);

/** One run that failed, with this text everywhere a text can be. */
function everywhere(evil: string): Project {
  const project = projectOf({}, { redact: false });
  const args = { [evil]: evil };
  project.capture([
    traceOf([call(evil, args, evil), failed(evil, args, evil)], {
      task: evil,
      agent: evil,
      output: `Done successfully: ${evil}`,
    }),
  ]);
  generate(project.config);
  return project;
}

function onlyTest(project: Project): {
  readonly titles: readonly string[];
  readonly task: unknown;
  readonly spec: string;
} {
  const files = Object.entries(project.files());
  const spec = files.find(([name]) => name.endsWith(".ts"))?.[1] ?? "";
  const [name = ""] = files.find(([file]) => file.endsWith(".json")) ?? [];
  const { repros } = readRepros(join(project.config.specs.dir, name));
  const log = ran(spec);
  expect(log.canaries).toBe(0);
  return { titles: log.titles, task: repros[0]?.task, spec };
}

test("a task in backticks with ${} is shown as text and runs nothing", () => {
  const evil = "`${process.exit(9)}`";
  const { titles, task: kept } = onlyTest(everywhere(evil));
  expect(titles[0]).toContain(evil);
  expect(kept).toBe(evil);
});

test("a task that closes a comment, ends a string or is a line separator stays data", () => {
  for (const evil of [
    "*/ process.exit(9) /*",
    "\u2028globalThis.canary()\u2029",
    "\\'); process.exit(9);//",
  ]) {
    expect(onlyTest(everywhere(evil)).task).toBe(evil);
  }
});

test("a source map comment in a task is escaped in the spec", () => {
  expect(onlyTest(everywhere("//# sourceMappingURL=file:///etc/passwd")).spec).not.toContain("//#");
});

test("text that turns the reading direction is not in a spec", () => {
  const { spec, task: kept } = onlyTest(everywhere("a\u202Eb\u2066c\u{E0041}"));
  expect(spec).not.toMatch(/[\u202E\u2066\u{E0041}]/u);
  expect(kept).toBe("a\u202Eb\u2066c\u{E0041}");
});

test("an own __proto__ in arguments is kept as a key and changes no prototype", () => {
  const project = projectOf({}, { redact: false });
  const args = JSON.parse('{"__proto__":{"x":1}}') as Record<string, never>;
  project.capture([
    traceOf([failed("refund", args, "card closed")], {
      agent: "a",
      output: "Refunded successfully.",
    }),
  ]);
  generate(project.config);
  const [repro] = readRepros(join(project.config.specs.dir, "a.repros.json")).repros;
  expect(Object.keys(repro?.cassette[0]?.args as object)).toEqual(["__proto__"]);
  expect(({} as { x?: number }).x).toBeUndefined();
});

test("tools named constructor, __proto__ and toString are tools like any other", () => {
  for (const tool of ["constructor", "__proto__", "toString"]) {
    const project = projectOf();
    project.capture([
      traceOf([failed(tool, {}, "card closed")], { agent: "a", output: "Refunded successfully." }),
    ]);
    generate(project.config);
    const [repro] = readRepros(join(project.config.specs.dir, "a.repros.json")).repros;
    expect(repro?.tools).toEqual([tool]);
    expect(repro?.signatures).toContain(`tool_error:${tool}`);
  }
});

test("an agent named like a path or a device gets a safe file in the folder", () => {
  for (const agent of [
    "../../../etc/cron.d/x",
    "CON",
    "aux.txt",
    "a:b",
    "trailing.",
    "x".repeat(5000),
    "😀".repeat(5000),
  ]) {
    const names = Object.keys(everywhere(agent).files());
    expect(names).toHaveLength(2);
    for (const name of names) {
      expect(name).toMatch(
        /^[a-z0-9]+(?:-[a-z0-9]+)*-[0-9a-f]{8}\.(?:repros\.json|agent\.spec\.ts)$/,
      );
      expect(Buffer.byteLength(name)).toBeLessThanOrEqual(80);
    }
  }
});

test("a long task has a title of 80 code points", () => {
  const { titles } = onlyTest(everywhere("😀".repeat(5000)));
  expect(Array.from((titles[0] ?? "").replace(/ \[[0-9a-f]+\]$/, "")).length).toBe(80);
});

test("agents that differ only by case or form have two files each", () => {
  const project = projectOf();
  const agents = ["bot", "Bot", "b\u00F6t", "bo\u0308t"];
  project.capture(
    agents.map((agent, i) =>
      traceOf([failed("refund", {}, "card closed")], {
        agent,
        id: `tr_${String(i)}`,
        output: "Refunded successfully.",
      }),
    ),
  );
  generate(project.config);
  expect(Object.keys(project.files())).toHaveLength(8);
});

test("an empty task has the title (empty)", () => {
  for (const evil of ["", "\u0000\u200B"]) {
    const project = projectOf({}, { redact: false });
    project.capture([
      traceOf([failed("refund", {}, "card closed")], {
        task: evil,
        agent: "a",
        output: "Refunded successfully.",
      }),
    ]);
    generate(project.config);
    expect(onlyTest(project).titles[0]).toMatch(/^\(empty\) \[/);
  }
});

test("percent signs and dollars in a title stay as they are", () => {
  expect(onlyTest(everywhere("100% %s $x %j")).titles[0]).toMatch(/^100% %s \$x %j \[/);
});
