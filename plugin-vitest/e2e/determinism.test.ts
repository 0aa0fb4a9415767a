import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "./built.ts";
import { project } from "./project.ts";

/** Whole runs of the runner; the nightly run makes twenty. */
const RUNS = process.env["TWICESHY_FUZZ"] === undefined ? 4 : 20;

test("whole runs of the runner give one report, in order, shuffled and side by side", async () => {
  const from = (file: string): string =>
    readFileSync(path.join(ROOT, "examples/booking", file), "utf8");
  const files = ["vitest.config.ts", "src/agent.ts", "src/key.ts", "tests/checks.ts"];
  const tests = from("tests/booking.test.ts");
  const p = project({
    ...Object.fromEntries(files.map((file) => [file, from(file)])),
    "tests/booking.test.ts": tests,
  });
  const seen = new Set<string>();
  for (let run = 0; run < RUNS; run++) {
    const concurrent = run % 4 === 1 ? "concurrent: true," : "";
    p.write({
      "tests/booking.test.ts": tests.replace(
        'scenarios: "matrix",',
        `scenarios: "matrix", ${concurrent}`,
      ),
    });
    const shuffle = ["--sequence.shuffle", `--sequence.seed=${run}`];
    const pool = run % 4 === 3 ? ["--pool=threads"] : [];
    const { code } = await p.run({ args: run % 2 === 0 ? pool : [...shuffle, ...pool] });
    expect(code).toBe(0);
    const reports = p.list(".twiceshy/reports");
    expect(reports).toHaveLength(1);
    seen.add(p.read(`.twiceshy/reports/${reports[0]!}`));
  }
  expect(seen.size).toBe(1);
});
