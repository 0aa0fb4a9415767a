import { existsSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { importsOf, ROOT } from "../testing/imports.ts";
import { projectOf, type Project } from "../testing/project.ts";
import { call, failed, traceOf } from "../testing/traces.ts";
import { ENGINE, isUpToDate } from "./fast.ts";
import { generate } from "./generate.ts";

function captured(): Project {
  const project = projectOf();
  project.capture([
    traceOf([call("get", {}), failed("refund", {}, "card closed")], {
      agent: "support-bot",
      output: "Refunded successfully.",
    }),
  ]);
  return project;
}

test("the engine's version is the package's", () => {
  const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
    version: string;
  };
  expect(ENGINE).toBe(manifest.version);
});

test("looking loads no schema library, importer, detector or store", () => {
  const seen = new Set<string>();
  const visit = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const { to, typeOnly, lazy } of importsOf(file))
      if (!typeOnly && !lazy && to.startsWith("src/")) visit(to);
  };
  visit("src/generate/fast.ts");
  const packages = [...seen].flatMap((file) =>
    importsOf(file).flatMap(({ to, typeOnly, lazy }) =>
      typeOnly || lazy || /^(?:src\/|node:)/.test(to) ? [] : [to],
    ),
  );
  expect(packages).toEqual([]);
  expect(
    [...seen].filter((file) => /^src\/(?:importer|detector|store|repro)\//.test(file)),
  ).toEqual([]);
});

test("a project with neither traces nor repros is up to date", () => {
  expect(isUpToDate(projectOf().config)).toBe(true);
});

test("after a generation everything is up to date until a trace, a repro, a spec or an option changes", () => {
  const project = captured();
  expect(isUpToDate(project.config)).toBe(false);
  generate(project.config);
  expect(isUpToDate(project.config)).toBe(true);
  expect(isUpToDate({ ...project.config, agentVersion: "other" })).toBe(true);
  expect(isUpToDate({ ...project.config, threshold: 0.5 })).toBe(false);
  for (const path of [
    ".twiceshy/traces/a.jsonl",
    "tests/failures/support-bot.repros.json",
    "tests/failures/support-bot.agent.spec.ts",
    "package.json",
  ]) {
    const text = project.read(path);
    project.write(path, `${text} `);
    expect(isUpToDate(project.config)).toBe(false);
    project.write(path, text);
    generate(project.config);
    expect(isUpToDate(project.config)).toBe(true);
  }
  project.write("tsconfig.json", "{}");
  expect(isUpToDate(project.config)).toBe(false);
  project.write(".twiceshy/traces/b.jsonl", "");
  generate(project.config);
  rmSync(join(project.root, ".twiceshy/traces/b.jsonl"));
  expect(isUpToDate(project.config)).toBe(false);
});

test("a change that keeps size and time is still seen", () => {
  const project = captured();
  const path = join(project.root, ".twiceshy/traces/a.jsonl");
  const at = 1_700_000_000;
  utimesSync(path, at, at);
  generate(project.config);
  expect(isUpToDate(project.config)).toBe(true);
  writeFileSync(path, readFileSync(path, "utf8").replace("card closed", "card clowns"));
  utimesSync(path, at, at);
  expect(isUpToDate(project.config)).toBe(false);
});

test("an error is told again by the next run", () => {
  const project = captured();
  project.write(".twiceshy/traces/b.jsonl", '{"broken": true}\n');
  expect(generate(project.config).problems.some(({ severity }) => severity === "error")).toBe(true);
  expect(isUpToDate(project.config)).toBe(false);
});

test("a damaged manifest only means looking again", () => {
  const project = captured();
  generate(project.config);
  for (const text of [
    "",
    "{",
    "[]",
    '{"formatVersion":2}',
    '{"formatVersion":1,"inputs":1,"others":[]}',
  ]) {
    project.write(".twiceshy/generated.json", text);
    expect(isUpToDate(project.config)).toBe(false);
  }
  expect(generate(project.config).written).toEqual([]);
  expect(isUpToDate(project.config)).toBe(true);
});

test("a project without the folder keeps no manifest", () => {
  const project = captured();
  generate(project.config);
  rmSync(join(project.root, ".twiceshy"), { recursive: true });
  generate(project.config);
  expect(existsSync(join(project.root, ".twiceshy"))).toBe(false);
});
