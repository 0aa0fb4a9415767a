import assert from "node:assert/strict";

// What a store does, whichever driver there is; deep inside the package, as no door opens a store.
const USED = `import assert from "node:assert/strict";
import { writeFileSync, existsSync } from "node:fs";
import { openStore } from "./node_modules/twiceshy/dist/src/store/store.js";
import { journalRun } from "./node_modules/twiceshy/dist/src/store/journal.js";

process.on("warning", (warning) => console.log("warned: " + warning.message));
const trace = (id, more = {}) => ({
  schemaVersion: "twiceshy.trace/1", id, taskId: "t", task: "x", agent: "desk", agentVersion: "1",
  source: "live", startedAt: 1, status: "ok", endedAt: 2, durationMs: 1, output: "ok",
  steps: [{ kind: "input", content: "x", index: 0, at: 1 }], ...more,
});
const step = { kind: "output", content: "ok", index: 1, at: 2 };
const failure = { kind: "loop", detector: "rule", message: "m", severity: "high", signature: "loop:a" };
const run = { agent: "desk", agentVersion: "1", at: 5, verdicts: [{ repro: "3f2a91c4", verdict: "passes", regressed: false, reason: "r" }] };
const code = (act) => { try { act(); return "none"; } catch (thrown) { return thrown.code; } };

const store = openStore("s/store.db");
const longer = trace("a", { steps: [...trace("a").steps, step] });
assert.deepEqual(store.addTraces([trace("a"), trace("b")]), { added: 2, known: 0, extended: 0, renamed: [] });
assert.deepEqual(store.addTraces([longer, trace("b"), trace("b", { task: "other" })]), {
  added: 1, known: 1, extended: 1, renamed: ["b"],
});
assert.equal([...store.traces()].length, 3);
store.saveFailures([{ trace: "a", failures: [failure] }]);
assert.deepEqual(store.failures("a"), [failure]);
assert.equal(store.stats().failing, 1);
store.addVectors("m", 2, [{ text: "t", vector: new Float32Array([1.5, -2]) }]);
assert.deepEqual([...store.vectors("m", 2)].map(({ vector }) => [...vector]), [[1.5, -2]]);
store.keepNote("n", "v");
assert.equal(store.note("n"), "v");
store.addRun(run);
journalRun("s/store.db", { ...run, at: 6 });
assert.deepEqual(store.runs().map(({ at }) => at), [6, 5]);
assert.throws(() => store.addVectors("m", 2, [{ text: "u", vector: new Float32Array(2) }, { text: "w", vector: new Float32Array(3) }]), RangeError);
assert.equal([...store.vectors("m", 2)].length, 1, "a transaction that broke off left something");
const other = openStore("s/store.db", { busyMs: 20 });
let seen;
store.addTraces([trace("c")], () => { seen = "looked"; return { failures: [] }; });
assert.equal(seen, "looked");
assert.equal([...other.traces({ undetected: true })].length, 2);
other.close();
assert.equal(code(() => other.stats()), "E_STORE_CLOSED");
store.close();
writeFileSync("s/none.db", "no database");
assert.equal(code(() => openStore("s/none.db")), "E_STORE_DAMAGED");
writeFileSync("s/file", "");
assert.equal(code(() => openStore("s/file/store.db")), "E_STORE_READONLY");
assert(!existsSync("s/file/store.db"));
console.log("kept");
`;

/** The store, with the driver that the cell has. */
export const store = {
  fact: "the store keeps what it is given, with better-sqlite3 or with Node's own SQLite",
  holds(cell) {
    if (!cell.hasStore) return;
    cell.write("store.mjs", USED);
    const done = cell.node(["store.mjs"]);
    cell.remove("store.mjs");
    cell.remove("s");
    assert.deepEqual(done, { code: 0, output: "kept\n" });
  },
};
