import { readdirSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Json } from "../shared/json.ts";
import { FIXTURES, NO_SHARED, SHARED, WHY_NO_SHARED } from "../testing/trace-fixtures.ts";
import { anyJson } from "../testing/traces.ts";
import * as builtin from "./builtin.ts";
import type { Importer } from "./importer.ts";
import { importerOf } from "./file-reading.ts";
import { finish } from "./finish.ts";
import { recordsOf } from "./records.ts";
import { openRules } from "../shared/redact.ts";

/** 600 by default; `TWICESHY_FUZZ=20000` for the long run. */
const RUNS = Number(process.env["TWICESHY_FUZZ"] ?? 600);
const LONG = { timeout: 30_000 + RUNS * 50 };

const IMPORTERS = Object.values<Importer>(builtin);
const known = (value: Json): boolean => importerOf(value) !== undefined;
const RECORDS = filesIn(FIXTURES).flatMap((file) =>
  [...recordsOf(file, known)].flatMap((raw) =>
    "value" in raw ? [{ file, value: raw.value }] : [],
  ),
);

function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesIn(path);
    return /\.(?:jsonl?|traj)$/.test(entry.name) ? [path] : [];
  });
}

/** The formats that claim a record; the general ones only when no other does. */
function namesOf(value: Json): string[] {
  const claiming = IMPORTERS.filter((importer) => importer.recognises(value));
  const special = claiming.filter(({ general }) => general !== true);
  return (special.length > 0 ? special : claiming.slice(0, 1)).map(({ name }) => name);
}

/** Every place in a value that can be changed. */
function slotsOf(value: Json): { in: Record<string, Json>; key: string }[] {
  if (typeof value !== "object" || value === null) return [];
  const object = value as Record<string, Json>;
  const here = Object.keys(object).map((key) => ({ in: object, key }));
  return here.concat(Object.values(object).flatMap((member) => slotsOf(member)));
}

/** A record of ours in which some values are others, are missing, or stand in another's place. */
function mutated(): fc.Arbitrary<{ file: string; value: Json }> {
  const by = fc.oneof(
    anyJson(),
    fc.constantFrom<Json>("", "{", "[]", "{'a': ", null, -1, 1e300, [], {}, [[]], [null]),
  );
  const change = fc.record({ place: fc.nat(), by: fc.option(by, { nil: undefined }) });
  return fc
    .tuple(fc.constantFrom(...RECORDS), fc.array(change, { maxLength: 4 }))
    .map(([{ file, value }, changes]) => {
      const copy = structuredClone(value);
      for (const { place, by: other } of changes) {
        const slots = slotsOf(copy);
        const slot = slots[place % Math.max(slots.length, 1)];
        if (slot === undefined) continue;
        if (other !== undefined) slot.in[slot.key] = structuredClone(other);
        else if (!Array.isArray(slot.in)) delete slot.in[slot.key];
      }
      return { file, value: copy };
    });
}

/** The codes of what goes wrong when a record is read to its end; empty when nothing does. */
function codesOf(file: string, value: Json): string[] {
  return IMPORTERS.filter((importer) => importer.recognises(value)).map((importer) => {
    try {
      const about = { file, record: 0, agent: "agent" };
      for (const { draft } of importer.read(value, about)) finish(draft, openRules({}));
      return "";
    } catch (thrown) {
      return String((thrown as { code?: unknown }).code ?? thrown);
    }
  });
}

test("each record of ours is of one format at most", () => {
  const several = RECORDS.flatMap(({ file, value }) => {
    const names = namesOf(value);
    return names.length < 2 ? [] : [[file.slice(FIXTURES.length), names]];
  });
  expect(several).toEqual([]);
});

test(
  "a record with wrong values at any place is read, or refused with a reason, and is not changed",
  LONG,
  () => {
    fc.assert(
      fc.property(mutated(), ({ file, value }) => {
        const before = JSON.stringify(value);
        for (const code of codesOf(file, value)) expect(code).toMatch(/^$|^E_RECORD_/);
        expect(JSON.stringify(value)).toBe(before);
      }),
      { numRuns: RUNS },
    );
  },
);

test("a record with wrong values at any place is of one format at most", LONG, () => {
  fc.assert(
    fc.property(mutated(), ({ value }) => {
      expect(namesOf(value).length).toBeLessThan(2);
    }),
    { numRuns: RUNS },
  );
});

test("each public record is of one format at most", ({ skip }) => {
  skip(NO_SHARED, WHY_NO_SHARED);
  const several = filesIn(SHARED).flatMap((file) =>
    [...recordsOf(file, known)].flatMap((raw) => {
      const names = "value" in raw ? namesOf(raw.value) : [];
      return names.length < 2 ? [] : [[file.slice(SHARED.length), raw.record, names]];
    }),
  );
  expect(several).toEqual([]);
});
