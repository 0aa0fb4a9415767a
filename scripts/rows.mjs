// Prints which rows of the research are covered by a test, and which are missing.
import { readFileSync } from "node:fs";

const read = (file) =>
  JSON.parse(readFileSync(new URL(`../src/testing/${file}`, import.meta.url), "utf8"));
const rows = read("rows.json");
const wanted = Object.entries(read("rows-wanted.json")).flatMap(([list, names]) =>
  names.map((name) => `${list}/${name}`),
);
const missing = wanted.filter((row) => (rows[row] ?? []).length === 0);
for (const row of wanted)
  for (const { file, title } of rows[row] ?? [])
    console.log(`covered  ${row.padEnd(20)} ${file}: ${title}`);
for (const row of missing) console.log(`missing  ${row}`);
console.log(`${wanted.length - missing.length} covered, ${missing.length} missing`);
process.exitCode = missing.length === 0 ? 0 : 1;
