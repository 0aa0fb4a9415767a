import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { ensureBuilt } from "../../plugin-vitest/e2e/built.ts";
import { adapterSource, BOOKING_DOCUMENT, writeFiles } from "../testing/booking-documents.ts";
import { ROOT } from "../testing/imports.ts";
import { readReport } from "../workflow/read-report.ts";
import type { Report } from "../workflow/report.ts";

const PROGRAM = join(ROOT, "dist/src/cli/bin.js");
const TIMEOUT = 60_000;

let root: string;

beforeAll(() => {
  ensureBuilt();
}, 180_000);
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "twiceshy-cli-ended-"));
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

interface Ended {
  readonly code: number | null;
  readonly said: string;
}

/** Runs the built program in a process of its own; `signals` are sent when the agent says "here". */
function run(adapter: string, signals: readonly NodeJS.Signals[] = []): Promise<Ended> {
  writeFiles(root, {
    "dojo/workflow.json": {
      ...BOOKING_DOCUMENT,
      limits: { timeoutMs: signals.length > 0 ? 20_000 : 1000 },
    },
    "dojo/adapter.mjs": adapter,
  });
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [PROGRAM, "test", "--out", "report.jsonl"], {
      cwd: root,
    });
    let said = "";
    let sent = false;
    const listen = (chunk: Buffer): void => {
      said += chunk.toString();
      if (sent || !said.includes("here")) return;
      sent = true;
      for (const [at, signal] of signals.entries()) setTimeout(() => child.kill(signal), at * 300);
    };
    child.stdout.on("data", listen);
    child.stderr.on("data", listen);
    child.once("close", (code) => {
      resolve({ code, said });
    });
  });
}

function report(): Report {
  return readReport(join(root, "report.jsonl"));
}

/** Does something under a lost confirmation alone, so that the control and the other scenarios show that they ran. */
function underFault(code: string): string {
  const source = adapterSource();
  return source
    .replace("for (let attempt = 1;", "for (let attempt = 1, told = 0;")
    .replace(
      "if (!result.error.retryable)",
      `if (result.error.code === "TIMEOUT" && told++ === 0) { ${code} }\n          if (!result.error.retryable)`,
    );
}

function verdicts(): Record<string, string> {
  return Object.fromEntries(
    report().trials.map(({ scenario, verdict, issue }) => [scenario, issue?.code ?? verdict]),
  );
}

const OTHERS = {
  control: "passed",
  unavailable: "passed",
  malformed: "passed",
  "permission-revoked": "passed",
};

test(
  "an agent that calls process.exit under a fault has failed, and the run goes on to its report",
  { timeout: TIMEOUT },
  async () => {
    const { code } = await run(underFault("process.exit(0);"));
    expect(code).toBe(1);
    expect(verdicts()).toMatchObject({ ...OTHERS, "lost-confirmation": "exit" });
  },
);

test(
  "a rejection that an agent never awaits is its trial's failure, not the end of the process",
  { timeout: TIMEOUT },
  async () => {
    const { code } = await run(underFault('void Promise.reject(new Error("nobody waits"));'));
    expect(code).toBe(1);
    expect(verdicts()).toMatchObject({ ...OTHERS, "lost-confirmation": "stray_rejection" });
  },
);

test(
  "an endless loop is ended, its trial has failed, and the others run",
  { timeout: TIMEOUT },
  async () => {
    const { code } = await run(underFault("for (;;) {}"));
    expect(code).toBe(1);
    expect(verdicts()).toMatchObject({ ...OTHERS, "lost-confirmation": "agent_blocked" });
  },
);

test(
  "a timer that an adapter leaves behind does not keep the process",
  { timeout: TIMEOUT },
  async () => {
    const { code } = await run(
      adapterSource({ top: "setInterval(() => {}, 1000);", first: "setInterval(() => {}, 1000);" }),
    );
    expect(code === 0 || code === 1).toBe(true);
    expect(report().trials.length).toBeGreaterThan(0);
  },
);

test(
  "an adapter that ends the process when it is imported is exit code 2, and leaves no report",
  { timeout: TIMEOUT },
  async () => {
    const { code, said } = await run("process.exit(0);");
    expect(code).toBe(2);
    expect(said).toContain("[E_PROCESS_ENDED]");
    expect(existsSync(join(root, "report.jsonl"))).toBe(false);
  },
);

const WAITS = adapterSource({
  first: 'process.stderr.write("here\\n"); await new Promise(() => {});',
});

test(
  "one signal ends the run and keeps its report, marked partial",
  { timeout: TIMEOUT },
  async () => {
    expect(await run(WAITS, ["SIGTERM"])).toMatchObject({ code: 3 });
    expect(report()).toMatchObject({
      partial: expect.any(String),
      trials: [{ verdict: "inconclusive", issue: { code: "cancelled" } }],
    });
  },
);

test("a second signal ends the process at once", { timeout: TIMEOUT }, async () => {
  const deaf = adapterSource({
    first: 'process.stderr.write("here\\n"); await new Promise((done) => setTimeout(done, 15000));',
  });
  const { code } = await run(deaf, ["SIGINT", "SIGINT"]);
  expect(code).toBe(3);
});
