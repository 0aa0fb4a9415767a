import { spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import * as fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Failure } from "../detector/detector.ts";
import { TwiceshyError } from "../shared/error.ts";
import { anyTrace, call, traceOf } from "../testing/traces.ts";
import type { Trace } from "../trace/trace.ts";
import { migrate } from "./open.ts";
import { openStore, type Damage, type Store } from "./store.ts";

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "twiceshy-store-"));
  path = join(folder, ".twiceshy", "twiceshy.db");
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function numbered(count: number): Trace[] {
  return Array.from({ length: count }, (_, i) =>
    traceOf([call("search", { q: i }, [i])], {
      id: `tr_${String(i).padStart(4, "0")}`,
      task: `find ${i}`,
      output: "ok",
    }),
  );
}

function withStore<T>(use: (store: Store) => T): T {
  const store = openStore(path);
  try {
    return use(store);
  } finally {
    store.close();
  }
}

function codeOf(run: () => unknown): string {
  try {
    run();
  } catch (thrown) {
    if (TwiceshyError.is(thrown)) return thrown.code;
    throw thrown;
  }
  return "nothing thrown";
}

const toolError: Failure = {
  kind: "tool_error",
  detector: "rule",
  message: "refund answered: closed",
  step: 1,
  tool: "refund",
  severity: "medium",
  signature: "tool_error:refund",
};

test("any trace comes out of the store as it went in, and reading it in twice adds nothing", () => {
  fc.assert(
    fc.property(fc.array(anyTrace(), { maxLength: 4 }), (given) => {
      const traces = given.map((trace, i) => ({ ...trace, id: `tr_${i}` }));
      rmSync(join(folder, ".twiceshy"), { recursive: true, force: true });
      withStore((store) => {
        expect(store.addTraces(traces).added).toBe(traces.length);
        expect(store.addTraces(traces)).toEqual({
          added: 0,
          known: traces.length,
          extended: 0,
          renamed: [],
        });
        expect([...store.traces()].map((trace) => JSON.stringify(trace))).toEqual(
          traces.map((trace) => JSON.stringify(trace)),
        );
      });
    }),
    { numRuns: 25 },
  );
});

test("traces come in the order of their ids, whatever the order in which they were added", () => {
  withStore((store) => {
    store.addTraces(numbered(600).reverse());
    expect([...store.traces()].map((trace) => trace.id)).toEqual(
      numbered(600).map((trace) => trace.id),
    );
  });
});

test("the store can be written while its traces are read", () => {
  withStore((store) => {
    store.addTraces(numbered(3));
    for (const trace of store.traces({ undetected: true })) {
      store.saveFailures([{ trace: trace.id, failures: [toolError] }]);
    }
    expect([...store.traces({ undetected: true })]).toEqual([]);
    expect(store.failures("tr_0001")).toEqual([toolError]);
    expect(store.failures("tr_none")).toBeUndefined();
  });
});

test("two traces of one id with other content are both kept", () => {
  const [first] = numbered(1) as [Trace];
  const second = { ...first, task: "another" };
  withStore((store) => {
    const added = store.addTraces([first, second, second]);
    expect(added).toEqual({ added: 2, known: 1, extended: 0, renamed: ["tr_0000"] });
    expect([...store.traces()].map((trace) => trace.task)).toEqual(["find 0", "another"]);
  });
});

test("the record of a run that was going on is replaced by the longer record of it, never the other way round", () => {
  const whole = traceOf([call("a"), call("b")], { output: "ok" });
  const { output: _, ...begun } = {
    ...whole,
    status: "incomplete" as const,
    steps: whole.steps.slice(0, 1),
  };
  withStore((store) => {
    store.addTraces([begun]);
    store.saveFailures([{ trace: begun.id, failures: [toolError] }]);
    expect(store.addTraces([whole]).extended).toBe(1);
    expect(store.failures(whole.id)).toBeUndefined();
    expect(store.addTraces([begun]).known).toBe(1);
    expect([...store.traces()]).toEqual([whole]);
  });
});

test("runs come newest first with every verdict", () => {
  const verdict = {
    repro: "3f2a91c4",
    verdict: "passes",
    regressed: false,
    reason: "no failure",
  } as const;
  withStore((store) => {
    store.addRun({ agent: "a", agentVersion: "1", at: 1, verdicts: [verdict] });
    store.addRun({
      agent: "a",
      agentVersion: "2",
      at: 2,
      verdicts: [{ ...verdict, verdict: "still_fails", regressed: true }],
    });
    expect(store.runs().map((run) => run.agentVersion)).toEqual(["2", "1"]);
    expect(store.stats().latestRun?.verdicts).toEqual([
      { ...verdict, verdict: "still_fails", regressed: true },
    ]);
  });
});

test("the counts tell failing traces by agent and kind and leave low failures out", () => {
  withStore((store) => {
    store.addTraces(numbered(3));
    store.saveFailures([
      { trace: "tr_0000", failures: [toolError, toolError] },
      { trace: "tr_0001", failures: [{ ...toolError, severity: "low" }] },
    ]);
    expect(store.stats()).toEqual({
      traces: 3,
      undetected: 1,
      failing: 1,
      agents: [{ agent: "agent", traces: 3, failing: 1 }],
      kinds: [{ kind: "tool_error", traces: 1 }],
      runs: 0,
    });
  });
});

test.skipIf(process.platform === "win32")(
  "only the owner may read the store and its folder",
  () => {
    withStore((store) => store.addTraces(numbered(1)));
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, ".twiceshy")).mode & 0o777).toBe(0o700);
  },
);

test("a byte that changed on the disk is found: that trace is named and the others are read", () => {
  withStore((store) => store.addTraces(numbered(3)));
  const db = new Database(path);
  db.prepare(
    "UPDATE traces SET body = replace(body, 'find 1', 'find 7') WHERE id = 'tr_0001'",
  ).run();
  db.close();
  const damage: Damage[] = [];
  const read = withStore((store) => [...store.traces({ onDamaged: (one) => damage.push(one) })]);
  expect(read.map((trace) => trace.id)).toEqual(["tr_0000", "tr_0002"]);
  expect(damage).toEqual([
    { trace: "tr_0001", because: "its content is not what was written (SHA-256 differs)" },
  ]);
});

test("a text file in the place of the store is an error and stays as it is", () => {
  mkdirSync(join(folder, ".twiceshy"));
  writeFileSync(path, "my notes ".repeat(40));
  expect(codeOf(() => openStore(path))).toBe("E_STORE_DAMAGED");
  expect(readFileSync(path, "utf8")).toBe("my notes ".repeat(40));
});

test("a store whose first page is zeroed is an error, never an empty store", () => {
  withStore((store) => store.addTraces(numbered(50)));
  const bytes = readFileSync(path);
  bytes.fill(0, 0, 4096);
  writeFileSync(path, bytes);
  expect(codeOf(() => openStore(path))).toBe("E_STORE_DAMAGED");
});

test("a zeroed page inside the store is an error or a named trace, never a shorter list without a word", () => {
  withStore((store) => store.addTraces(numbered(300)));
  const whole = readFileSync(path);
  for (let page = 1; page * 4096 < whole.length; page += 7) {
    const bytes = Buffer.from(whole);
    bytes.fill(0, page * 4096, (page + 1) * 4096);
    writeFileSync(path, bytes);
    const damage: Damage[] = [];
    let read = 0;
    const code = codeOf(() =>
      withStore(
        (store) => (read = [...store.traces({ onDamaged: (one) => damage.push(one) })].length),
      ),
    );
    expect(["E_STORE_DAMAGED", "nothing thrown"]).toContain(code);
    expect(code === "nothing thrown" ? read + damage.length : 300).toBe(300);
  }
});

test("an empty file beside its write-ahead log is an error, never an empty store", () => {
  const store = openStore(path);
  store.addTraces(numbered(1));
  const wal = readFileSync(`${path}-wal`);
  store.close();
  truncateSync(path, 0);
  writeFileSync(`${path}-wal`, wal);
  expect(codeOf(() => openStore(path))).toBe("E_STORE_DAMAGED");
});

test("a database of another program is an error and is not touched", () => {
  mkdirSync(join(folder, ".twiceshy"));
  const db = new Database(path);
  db.exec("CREATE TABLE theirs (x)");
  db.close();
  const before = readFileSync(path);
  expect(codeOf(() => openStore(path))).toBe("E_STORE_FOREIGN");
  expect(readFileSync(path).equals(before)).toBe(true);
});

test("a store of a newer version is refused with both versions named and nothing written", () => {
  withStore((store) => store.addTraces(numbered(1)));
  const db = new Database(path);
  db.pragma("user_version = 3");
  db.close();
  const before = readFileSync(path);
  expect(() => openStore(path)).toThrow(
    /it has version 3, and this twiceshy knows versions up to 2/,
  );
  expect(codeOf(() => openStore(path))).toBe("E_STORE_VERSION");
  expect(readFileSync(path).equals(before)).toBe(true);
  expect(existsSync(`${path}-wal`)).toBe(false);
});

test("an older store is copied, then brought to the newest version in one transaction", () => {
  withStore((store) => store.addTraces(numbered(1)));
  const db = new Database(path);
  const [first = ""] = db
    .prepare("SELECT sql FROM sqlite_schema WHERE name = 'traces'")
    .pluck()
    .all() as string[];
  migrate(db, path, [first, first, "ALTER TABLE traces ADD COLUMN note TEXT"]);
  expect(db.pragma("user_version", { simple: true })).toBe(3);
  db.close();
  const copy = new Database(`${path}.v2.bak`, { readonly: true });
  expect(copy.prepare("SELECT count(*) FROM traces").pluck().get()).toBe(1);
  copy.close();
});

test("a store that another process writes is waited for, then one error says so", () => {
  withStore((store) => store.addTraces(numbered(1)));
  const other = new Database(path);
  other.exec("BEGIN IMMEDIATE");
  const store = openStore(path, { busyMs: 200 });
  expect(codeOf(() => store.addTraces(numbered(2)))).toBe("E_STORE_LOCKED");
  expect([...store.traces()]).toHaveLength(1);
  other.exec("COMMIT");
  other.close();
  expect(store.addTraces(numbered(2)).added).toBe(1);
  store.close();
});

test("the wait for another process is ten seconds by default", { timeout: 20_000 }, () => {
  withStore((store) => store.addTraces(numbered(1)));
  const other = new Database(path);
  other.exec("BEGIN IMMEDIATE");
  const start = performance.now();
  expect(() => withStore((store) => store.addTraces(numbered(2)))).toThrow(
    /another process has been writing for 10 s/,
  );
  expect(performance.now() - start).toBeGreaterThan(9_500);
  other.close();
});

test("a file in the place of the store's folder is an error that says where the store may be", () => {
  writeFileSync(join(folder, ".twiceshy"), "");
  expect(() => openStore(path)).toThrow(
    /it cannot be written .* set "store" \(or TWICESHY_STORE\)/s,
  );
});

test.skipIf(process.platform === "win32" || process.getuid?.() !== 0)(
  "a folder that may not be written is an error",
  () => {
    process.seteuid?.(65_534);
    try {
      expect(codeOf(() => openStore(path))).toBe("E_STORE_READONLY");
    } finally {
      process.seteuid?.(0);
    }
  },
);

test(
  "a process that is killed while it adds traces loses no trace that it had confirmed",
  { timeout: 30_000 },
  async () => {
    withStore((store) => store.addTraces(numbered(1)));
    const writer = `
    const db = require(${JSON.stringify(join(process.cwd(), "node_modules/better-sqlite3"))})(${JSON.stringify(path)}, { timeout: 10000 });
    db.pragma("synchronous = FULL");
    const add = db.prepare("INSERT INTO traces VALUES (?, '', '', '', '', '', '', null, 0, 0, '')");
    for (let i = 0; ; i++) { db.transaction(() => add.run("x" + i)).immediate(); require("fs").writeSync(1, "x" + i + "\\n"); }`;
    const child = spawn(process.execPath, ["-e", writer]);
    let said = "";
    child.stdout.on("data", (chunk: Buffer) => {
      said += chunk.toString();
      if (said.length > 500) child.kill("SIGKILL");
    });
    await new Promise((resolve) => child.once("close", resolve));
    const confirmed = said.split("\n").slice(0, -1);
    const db = new Database(path, { readonly: true });
    const there = new Set(db.prepare("SELECT id FROM traces").pluck().all());
    db.close();
    expect(confirmed.filter((id) => !there.has(id))).toEqual([]);
  },
);
