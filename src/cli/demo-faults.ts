import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { calendar } from "../../fixtures/builtin.ts";
import { compareReports } from "../baseline/compare-reports.ts";
import { oneLine } from "../shared/text.ts";
import { readReport } from "../workflow/read-report.ts";
import { runWorkflow, type WorkflowRun } from "../workflow/run.ts";
import type { Trial } from "../workflow/trial-result.ts";
import { EXIT } from "./command.ts";
import { colours, type Io, say } from "./io.ts";
import { typedPath } from "./project.ts";
import { reserveFolder } from "./reserve.ts";

/** The fault loop as a story: the shipped calendar with its planted bug, then with the safe agent. 0 only when both went as told. */
export async function demoFaults(io: Io, out: string | undefined): Promise<number> {
  const folder =
    out === undefined ? mkdtempSync(join(tmpdir(), "twiceshy-demo-faults-")) : resolve(io.cwd, out);
  if (out !== undefined) reserveFolder({ path: folder, name: typedPath(io, out) });
  const { bold, dim } = colours(io);
  const [before, after] = [join(folder, "before.jsonl"), join(folder, "after.jsonl")];

  say(
    io,
    bold("1. An agent books a slot; every tool that it needs fails in every way that applies"),
  );
  say(io, dim(`   its bug: ${oneLine(calendar.bug)}`));
  const broken = await runWorkflow(calendar.workflow({ agent: calendar.planted }), {
    report: before,
    redact: false,
  });
  tell(io, broken);

  say(io, bold("\n2. The same agent with that line put right"));
  const fixed = await runWorkflow(calendar.workflow(), { report: after, redact: false });
  tell(io, fixed);

  say(io, bold("\n3. Both reports, compared"));
  const { status, scenarios } = compareReports(readReport(before), readReport(after));
  const improved = scenarios.filter(({ change }) => change === "improved").length;
  say(io, `   ${status.replace("_", " ")}, ${improved} scenarios improved`);

  say(io, bold("\nNext"));
  say(io, `   look at ${oneLine(before)}`);
  say(io, `       and ${oneLine(after)}`);
  say(io, "   npx twiceshy init --template calendar    writes this as a test of your project");
  const asTold =
    broken.control.verdict === "passed" &&
    broken.exitCode === EXIT.failed &&
    bookings(broken) === 2 &&
    fixed.trials.every(({ verdict }) => verdict !== "failed") &&
    improved > 0;
  return asTold ? EXIT.passed : EXIT.failed;
}

/** Bookings under a lost confirmation. */
function bookings({ trials }: WorkflowRun): number {
  const lost = trials.find((trial) => isShownBy(trial));
  return lost?.mutations.length ?? 0;
}

function isShownBy({ scenario }: Trial): boolean {
  const [fault] = scenario.faults;
  const { type, tool } = calendar.shownBy;
  return fault?.type === type && fault.tool === tool;
}

function tell(io: Io, { control, trials }: WorkflowRun): void {
  const { green, red, yellow } = colours(io);
  const count = (verdict: Trial["verdict"]): number =>
    trials.filter((trial) => trial.verdict === verdict).length;
  say(
    io,
    `   control ${control.verdict}; ${green(`${count("passed")} passed`)}, ${red(`${count("failed")} failed`)}, ${yellow(`${count("inconclusive")} inconclusive`)}`,
  );
  for (const trial of trials.filter(({ verdict }) => verdict === "failed")) {
    say(io, `   ${red("failed")} ${oneLine(trial.scenario.title, 80)}`);
    const failing = trial.checks.find(({ passed }) => !passed);
    if (failing !== undefined)
      say(
        io,
        `          ${oneLine(failing.label ?? failing.id, 80)}: ${oneLine(failing.message, 200)}`,
      );
  }
}
