// Proves the package as users get it: packed, installed beside each runner on each Node, and put through a stranger's first day.
// Everything happens in a temporary folder; `--keep` leaves it there. `--short` tries the ends
// of the matrix, and `20:4.1.4` as an argument that pair in its place.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { performance } from "node:perf_hooks";
import { openCell, pack } from "./compat/cell.mjs";
import { differences } from "./compat/files.mjs";
import { installed } from "./compat/installed.mjs";
import { story } from "./compat/story.mjs";

/** Node 20 is not one of those that Vitest 5 is made for. */
const MATRIX = ["20:4.1.12", "22:4.1.12", "22:5.1.2", "24:4.1.12", "24:5.1.2"];
/** The ends of the range, for every run of CI. */
const SHORT = ["20:4.1.12", "24:5.1.2"];
const args = process.argv.slice(2);
const asked = args.filter((argument) => argument.includes(":"));

const home = mkdtempSync(path.join(tmpdir(), "twiceshy-compat-"));
let failed = false;

/** Counts the facts that hold, and prints the others. The first one that does not hold ends a story, as each stands on the one before. */
function held(cell, facts, { isStory }) {
  let count = 0;
  for (const one of facts) {
    try {
      one.holds(cell);
      count += 1;
    } catch (thrown) {
      console.log(
        `  does not hold: ${one.fact}\n${String(thrown.message).replaceAll(/^/gm, "    ")}`,
      );
      if (isStory) break;
    }
  }
  return count;
}

function verdict(title, passed, rest) {
  failed ||= !passed;
  console.log(`${passed ? "ok    " : "FAILED"} ${title}: ${rest}`);
}

/** Tries one pair of a Node and a Vitest; a cell that cannot be set up fails too, and the next is tried. */
function tryPair(pair, tarball) {
  const since = performance.now();
  const [node, vitest] = pair.split(":");
  try {
    const cell = openCell(home, tarball, { node, vitest });
    const count = held(cell, installed, { isStory: false }) + held(cell, story, { isStory: true });
    const all = installed.length + story.length;
    const seconds = ((performance.now() - since) / 1000).toFixed(0);
    verdict(cell.title, count === all, `${count} of ${all} facts hold, ${seconds} s`);
    return [cell];
  } catch (thrown) {
    verdict(`Node ${node}, Vitest ${vitest}`, false, thrown.message);
    return [];
  }
}

try {
  const tarball = pack(home);
  const pairs = asked.length > 0 ? asked : args.includes("--short") ? SHORT : MATRIX;
  const [first, ...others] = pairs.flatMap((pair) => tryPair(pair, tarball));
  for (const other of others) {
    const found = differences(first.kept, other.kept);
    const same = found.length === 0 && first.kept.size > 0;
    const rest = same ? `${first.kept.size} files` : `other bytes in ${found.join(", ")}`;
    verdict(`${first.title} and ${other.title} write the same`, same, rest);
  }
} finally {
  if (process.argv.includes("--keep")) console.log(`kept in ${home}`);
  else rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}
process.exitCode = failed ? 1 : 0;
