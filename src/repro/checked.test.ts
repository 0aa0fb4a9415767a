import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { record } from "../agent/record.ts";
import { detect } from "../detector/detector.ts";
import type { RedactOptions } from "../shared/redact.ts";
import { refundDeskV1, refundDeskV2, refundTools } from "../testing/refund-desk.ts";
import { isNoted, notePath, notesIn, readChecked, type Checked } from "./checked.ts";
import { toRepro } from "./convert.ts";
import { reprosText } from "./file.ts";
import { contentHash } from "./hash.ts";
import { loadChecked, loadRepros } from "./load.ts";
import { lookThrough } from "./look-through.ts";
import { replayer } from "./replay.ts";
import type { Repro } from "./repro.ts";
import type { ReplayResult } from "./result.ts";

const dir = mkdtempSync(join(tmpdir(), "twiceshy-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

async function deskRepro(change: (repro: Repro) => Repro = (repro) => repro): Promise<Repro> {
  const failing = await record(refundDeskV1, { customer: "Grace" }, { tools: refundTools() });
  const conversion = toRepro(failing, detect(failing), { agent: "desk" });
  if ("unproved" in conversion) throw new Error(conversion.unproved.reason);
  return change(conversion.repro);
}

function noted(repro: Repro, redact: RedactOptions = {}): { path: string; checked: Checked } {
  const path = join(dir, `${repro.id}.repros.json`);
  const notes = notesIn(join(dir, "checked"), redact, "1");
  writeFileSync(
    path,
    reprosText({ formatVersion: 1, agent: "desk", clusters: {}, repros: [repro], blobs: {} }),
  );
  mkdirSync(notes.dir, { recursive: true });
  writeFileSync(notePath(path, notes), JSON.stringify(lookThrough(path, redact, notes)));
  const { checked } = readChecked(path, notes);
  if (checked === undefined) throw new Error("the note is not found");
  return { path, checked };
}

interface Calls {
  readonly call: (tool: string, args?: object) => Promise<unknown>;
}

/** What a person sees of a result: all but ids and times. */
function shown({ trace, ...result }: ReplayResult): unknown {
  const steps = trace.steps.map((step) => ({ ...step, at: 0, durationMs: 0 }));
  const { id: _id, startedAt: _start, endedAt: _end, durationMs: _took, ...rest } = trace;
  return { ...result, trace: { ...rest, steps } };
}

test("a note holds for the very file and rules that it was made for", async () => {
  const { path, checked } = noted(await deskRepro());
  const notes = notesIn(join(dir, "checked"), {}, "1");
  const [repro] = loadChecked(path, notes).file.repros;
  expect(checked.repros.get(repro?.id ?? "")?.hash).toBe(contentHash(repro as Repro));
  expect(isNoted(path, notes)).toBe(true);
  expect(isNoted(path, notesIn(notes.dir, { keys: ["customer"] }, "1"))).toBe(false);
  expect(isNoted(path, notesIn(notes.dir, {}, "2"))).toBe(false);
  utimesSync(path, 1, 1);
  expect(isNoted(path, notes)).toBe(false);
  expect(loadChecked(path, notes).checked).toBeUndefined();
});

test("a damaged note is none", async () => {
  const { path } = noted(await deskRepro());
  const notes = notesIn(join(dir, "checked"), {}, "1");
  for (const text of ["", "{", "[]", '{"repros":{"a":[]}}']) {
    writeFileSync(notePath(path, notes), text);
    expect(isNoted(path, notes)).toBe(false);
  }
});

test("a replay of a checked repro has the same result as one that checks for itself", async () => {
  const repro = await deskRepro();
  const { checked } = noted(repro);
  expect(checked.repros.get(repro.id)?.clean).toBe(true);
  for (const agent of [refundDeskV1, refundDeskV2]) {
    const known = await replayer({ agent: "desk" }, checked)(agent, repro);
    const unknown = await replayer({ agent: "desk" })(agent, repro);
    expect(shown(known)).toEqual(shown(unknown));
  }
});

test("a repro with a secret in it is not clean, and is redacted as ever", async () => {
  const repro = await deskRepro((found) => ({ ...found, task: { customer: "grace@acme.io" } }));
  const { checked } = noted(repro);
  expect(checked.repros.get(repro.id)?.clean).toBe(false);
  const { trace } = await replayer({}, checked)(() => "done", repro);
  expect(trace.task).toEqual({ customer: "[redacted:email#1]" });
});

test("a user's pattern is tried each time: no repro is clean by it", async () => {
  const redact = { patterns: [{ name: "badge", pattern: "B-[0-9]+" }] };
  const repro = await deskRepro();
  expect(noted(repro, redact).checked.repros.get(repro.id)?.clean).toBe(false);
});

test("what the agent itself says and asks is redacted, also where the file is clean", async () => {
  const repro = await deskRepro();
  const { checked } = noted(repro);
  const agent = async (_task: unknown, { call }: Calls): Promise<string> => {
    await call("findCustomer", { name: "Grace", note: "write to grace@acme.io" }).catch(() => 0);
    return "I wrote to grace@acme.io.";
  };
  const { trace } = await replayer({}, checked)(agent, repro);
  expect(JSON.stringify(trace)).not.toContain("grace@acme.io");
  expect(trace.output).toBe("I wrote to [redacted:email#1].");
});

test("a secret that the agent let slip is redacted in recorded answers, too", async () => {
  const secret = "a1b2c3d4e5f6";
  const repro = await deskRepro((found) => ({
    ...found,
    cassette: [{ tool: "look", args: {}, result: { ok: true, data: { note: `see ${secret}` } } }],
  }));
  const { checked } = noted(repro);
  expect(checked.repros.get(repro.id)?.clean).toBe(true);
  const agent = async (_task: unknown, { call }: Calls): Promise<unknown> => {
    await call("send", { password: secret }).catch(() => 0);
    return call("look");
  };
  const { trace } = await replayer({}, checked)(agent, repro);
  expect(JSON.stringify(trace)).not.toContain(secret);
});

test("a file with a number that JSON cannot hold is read by our own reader, noted or not", async () => {
  const repro = await deskRepro();
  const big = { ...repro, task: { customer: "Grace", account: { $t: "bigint", v: "1" } } };
  for (const [number, plain] of [
    ["12345678901234567890", false],
    ["12", true],
  ] as const) {
    const { path } = noted(big);
    const text = readFileSync(path, "utf8").replace(
      /\{\s*"\$t": "bigint",\s*"v": "1"\s*\}/,
      number,
    );
    writeFileSync(path, text);
    const notes = notesIn(join(dir, "checked"), {}, "1");
    const note = lookThrough(path, {}, notes);
    writeFileSync(notePath(path, notes), JSON.stringify(note));
    expect(note.plain).toBe(plain);
    expect(text).toContain(`"account": ${number}`);
    expect(loadChecked(path, notes).file).toEqual(loadRepros(path));
    expect(loadChecked(path, notes).checked).toBeDefined();
  }
});
