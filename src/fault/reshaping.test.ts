import { expect, test } from "vitest";
import { same, type Json } from "../shared/json.ts";
import { faultTrial } from "../testing/fault-trial.ts";
import { tillWorld } from "../testing/till-world.ts";
import { fault } from "./build.ts";
import type { Fault } from "./fault.ts";

/** What the agent is told where the tool answers with this value, and what is kept hidden. */
async function told(armed: Fault, value: Json): Promise<unknown> {
  const trial = await faultTrial(tillWorld(), [armed], ({ call }) => call("tell", { value }));
  const [seen] = trial.told;
  const reached = trial.outcomes[0]?.reached === true;
  const real = { ok: true, data: value };
  expect(trial.hidden.map(({ result }) => result)).toEqual(reached ? [real] : []);
  expect(reached || same(seen?.result.data, value)).toBe(true);
  return reached ? seen?.result.data : "not reached";
}

test("a malformed reply is a broken text, or what the fault says", async () => {
  expect(await told(fault.malformed("tell"), { a: 1 })).toBe('{"status":"ok","data":{"id":');
  expect(await told(fault.malformed("tell", { text: "<html>" }), [])).toBe("<html>");
});

test("a malformed reply also takes the place of an error", async () => {
  const trial = await faultTrial(tillWorld(), [fault.malformed("add")], ({ call }) =>
    call("add", { fail: true }),
  );
  expect(trial.told[0]?.result.ok).toBe(true);
  expect(trial.outcomes[0]?.reached).toBe(true);
});

test("a truncated reply is the beginning of its text, or of its first list", async () => {
  const rows = { next: null, rows: [1, 2, 3] };
  expect(await told(fault.truncatedOutput("tell"), { a: 1 })).toBe('{"a');
  expect(await told(fault.truncatedOutput("tell", { length: 5 }), { name: "Ann" })).toBe('{"nam');
  expect(await told(fault.truncatedOutput("tell", { length: 4 }), "Hello")).toBe("Hell");
  expect(await told(fault.truncatedOutput("tell", { length: 1 }), "😀")).toBe("");
  expect(await told(fault.truncatedOutput("tell", { items: 2 }), rows)).toEqual({
    next: null,
    rows: [1, 2],
  });
  expect(await told(fault.truncatedOutput("tell", { items: 3 }), rows)).toBe("not reached");
  expect(await told(fault.truncatedOutput("tell"), "")).toBe("not reached");
});

test("a changed schema has the other case, the given names, or one level more", async () => {
  const drift = fault.schemaDrift("tell");
  expect(await told(drift, { order_id: 1, lines: [{ unitPrice: 2, sku: "x" }] })).toEqual({
    orderId: 1,
    lines: [{ unit_price: 2, sku: "x" }],
  });
  expect(await told(drift, { id: 1 })).toEqual({ result: { id: 1 } });
  expect(await told(drift, { a_b: 1, aB: 2 })).toEqual({ result: { a_b: 1, aB: 2 } });
  const renaming = fault.schemaDrift("tell", { rename: { id: "key" } });
  expect(await told(renaming, [{ id: 1 }, { id: 2, key: 3 }])).toEqual([
    { key: 1 },
    { id: 2, key: 3 },
  ]);
  expect(await told(renaming, { name: "x" })).toBe("not reached");
});

test("wrong types are numbers as texts, numerals as numbers and no lists, or one place alone", async () => {
  const wrong = fault.wrongType("tell");
  expect(await told(wrong, { id: "12", price: 3.5, name: "x", tags: ["a"] })).toEqual({
    id: 12,
    price: "3.5",
    name: "x",
    tags: null,
  });
  expect(await told(wrong, { name: "x" })).toBe('{"name":"x"}');
  expect(await told(wrong, null)).toBe("");
  expect(await told(wrong, true)).toBe("true");
  const price = fault.wrongType("tell", { pointer: "/price" });
  expect(await told(price, { id: "12", price: 3 })).toEqual({ id: "12", price: "3" });
  expect(await told(price, { id: "12" })).toBe("not reached");
});

test("an empty result is empty in the type of the answer", async () => {
  const empty = fault.emptyResult("tell");
  expect(await told(empty, { a: 1 })).toEqual({});
  expect(await told(empty, [1])).toEqual([]);
  expect(await told(empty, "x")).toBe("");
  expect(await told(empty, 0)).toBe(null);
  expect(await told(empty, [])).toBe("not reached");
});

test("a lost item is missing from the first list of the answer", async () => {
  const page = { page: 1, rows: ["a", "b", "c"] };
  expect(await told(fault.paginationLoss("tell"), page)).toEqual({ page: 1, rows: ["a", "b"] });
  expect(await told(fault.paginationLoss("tell", { drop: "first" }), ["a", "b"])).toEqual(["b"]);
  expect(await told(fault.paginationLoss("tell", { drop: 1 }), page)).toEqual({
    page: 1,
    rows: ["a", "c"],
  });
  expect(await told(fault.paginationLoss("tell", { drop: 3 }), page)).toBe("not reached");
  expect(await told(fault.paginationLoss("tell"), { rows: [] })).toBe("not reached");
});

test("`__proto__` is a member like any other to every change of the data", async () => {
  const value = JSON.parse('{"__proto__":{"a_b":"1"},"list":[1]}') as Json;
  const drifted = await told(fault.schemaDrift("tell"), value);
  expect(JSON.stringify(drifted)).toBe('{"__proto__":{"aB":"1"},"list":[1]}');
  const wrong = await told(fault.wrongType("tell"), value);
  expect(JSON.stringify(wrong)).toBe('{"__proto__":{"a_b":1},"list":null}');
});
