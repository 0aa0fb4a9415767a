import { deflateRawSync } from "node:zlib";
import * as fc from "fast-check";
import { join } from "node:path";
import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { folderOf, outcomes, readText, tracesIn } from "../testing/trace-files.ts";
import { zipOf } from "../testing/zip-files.ts";
import { readTraces } from "./importer.ts";
import { openZip } from "./zip.ts";

const sample = (id: number, said: string): string =>
  JSON.stringify({
    id,
    epoch: 1,
    input: "Where?",
    target: "here",
    messages: [
      { role: "user", content: "Where?" },
      { role: "assistant", content: said },
    ],
    scores: { match: { value: said === "Here." ? "C" : "I" } },
  });
const header = JSON.stringify({
  version: 2,
  status: "success",
  eval: { task: "where" },
  plan: {},
  results: {},
  stats: {},
});

test("what is packed is what is unpacked, stored or deflated, whatever the names", () => {
  const path = join(folderOf({}), "any.eval");
  const members = fc.array(
    fc.record({
      name: fc.string({ maxLength: 40 }),
      bytes: fc.uint8Array({ maxLength: 400 }),
      stored: fc.boolean(),
    }),
    { maxLength: 5 },
  );
  fc.assert(
    fc.property(members, (all) => {
      writeFileSync(path, zipOf(all));
      const zip = openZip(path);
      const read = zip.members.map((member) => Buffer.from(member.bytes()));
      zip.close();
      expect(read).toEqual(all.map(({ bytes }) => Buffer.from(bytes)));
    }),
    { numRuns: 100 },
  );
});

test("an archive that is cut or changed anywhere is read or refused, and never crashes", () => {
  const whole = zipOf([
    { name: "header.json", bytes: header },
    { name: "samples/1_epoch_1.json", bytes: sample(1, "Here.") },
  ]);
  const change = fc.record({
    cut: fc.nat(whole.length),
    at: fc.nat(whole.length - 1),
    to: fc.nat(255),
  });
  const path = join(folderOf({}), "any.eval");
  fc.assert(
    fc.property(change, ({ cut, at, to }) => {
      const bytes = Buffer.from(whole);
      bytes[at] = to;
      writeFileSync(path, cut % 2 === 0 ? bytes : bytes.subarray(0, cut));
      for (const code of outcomes(readTraces([path]))) {
        expect(code).toMatch(/^trace$|^(?:skipped )?E_(?:FILE|RECORD)_/);
      }
    }),
    { numRuns: 300 },
  );
});

test("each sample of a zipped log is a trace with its score, in the order of the archive", () => {
  const items = readText(
    zipOf([
      { name: "_journal/start.json", bytes: "{}" },
      { name: "samples/2_epoch_1.json", bytes: sample(2, "There.") },
      { name: "samples/1_epoch_1.json", bytes: sample(1, "Here.") },
      { name: "header.json", bytes: header },
    ]),
    "log.eval",
  );
  expect(items.map(({ record, key }) => [record, key])).toEqual([
    [0, "2_epoch_1"],
    [1, "1_epoch_1"],
  ]);
  expect(tracesIn(items).map(({ agent, output, score }) => [agent, output, score?.passed])).toEqual(
    [
      ["where", "There.", false],
      ["where", "Here.", true],
    ],
  );
});

test("a folder gives its zipped logs too", () => {
  const folder = folderOf({
    "log.eval": zipOf([{ name: "samples/1_epoch_1.json", bytes: sample(1, "Here.") }]),
  });
  expect(outcomes(readTraces([folder]))).toEqual(["trace"]);
});

test("a member whose name leads out of the folder is named, and the others are read", () => {
  const items = readText(
    zipOf([
      { name: "../../evil.json", bytes: "{}" },
      { name: "samples/1_epoch_1.json", bytes: sample(1, "Here.") },
    ]),
    "log.eval",
  );
  expect(outcomes(items)).toEqual(["E_RECORD_ZIP", "trace"]);
  expect(items[0]).toMatchObject({
    error: {
      message: expect.stringContaining("its name leads out of the archive's folder") as string,
    },
  });
});

test("a log that is no zip archive is named", () => {
  expect(outcomes(readText("no archive", "log.eval"))).toEqual(["E_FILE_ZIP"]);
});

test("a member that unpacks to more than it says is refused before it has grown", () => {
  const bomb = deflateRawSync(Buffer.alloc(8 * 1024 * 1024));
  const items = readText(
    zipOf([{ name: "samples/1_epoch_1.json", bytes: "", packed: bomb, size: 100 }]),
    "log.eval",
  );
  expect(outcomes(items)).toEqual(["E_RECORD_ZIP"]);
  expect(
    outcomes(
      readText(
        zipOf([{ name: "samples/1_epoch_1.json", bytes: "", packed: bomb, size: 0xfffffff0 }]),
        "log.eval",
      ),
    ),
  ).toEqual(["E_RECORD_ZIP"]);
});

test("a member that unpacks to hundreds of times its size is refused at once, and the others are read", () => {
  const member = (name: string, bytes: string) => ({ name: `samples/${name}_epoch_1.json`, bytes });
  const items = readText(
    zipOf([
      ...["1", "2", "3"].map((name) => member(name, `{"id":"${"a".repeat(8 * 1024 * 1024)}"}`)),
      member("4", sample(4, "Here.")),
    ]),
    "log.eval",
  );
  expect(outcomes(items)).toEqual(["E_RECORD_ZIP", "E_RECORD_ZIP", "E_RECORD_ZIP", "trace"]);
});

test("a member that is encrypted or packed in an unknown way is named", () => {
  const member = { name: "samples/1_epoch_1.json", bytes: sample(1, "Here.") };
  const items = (more: object) => outcomes(readText(zipOf([{ ...member, ...more }]), "log.eval"));
  expect([items({ flags: 1 }), items({ method: 93 })]).toEqual([
    ["E_RECORD_ZIP"],
    ["E_RECORD_ZIP"],
  ]);
});

test("an archive without a sample is named", () => {
  expect(outcomes(readText(zipOf([{ name: "header.json", bytes: header }]), "log.eval"))).toEqual([
    "E_RECORD_EMPTY",
  ]);
});
