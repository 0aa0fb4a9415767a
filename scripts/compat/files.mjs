import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";

/** The text of each file below a folder by its path in it, dependencies left out. */
export function filesOf(dir) {
  if (!existsSync(dir)) return new Map();
  const names = readdirSync(dir, { recursive: true })
    .filter((name) => !name.split(path.sep).includes("node_modules"))
    .filter((name) => statSync(path.join(dir, name)).isFile())
    .sort((a, b) => (a < b ? -1 : 1));
  return new Map(names.map((name) => [name, readFileSync(path.join(dir, name), "latin1")]));
}

/** The paths whose texts are not the same in both. */
export function differences(before, after) {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].filter((name) => before.get(name) !== after.get(name));
}

/** The code blocks of a README that name a file, by that name. */
export function blocksOf(readme) {
  const blocks = readFileSync(readme, "utf8").matchAll(/^```ts file=(\S+)\n([\s\S]*?)^```$/gm);
  return new Map([...blocks].map(([, name, text]) => [name, text]));
}
