/* oxlint-disable vitest/valid-expect -- the second argument says what to do when it fails */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, expect, test, vi } from "vitest";
import { ensureBuilt, ROOT } from "./built.ts";
import { type Door, doors, loads, manifest, names, packed, weigh } from "./package-parts.ts";

vi.setConfig({ testTimeout: 120_000 });
let files: readonly string[] = [];
beforeAll(() => {
  ensureBuilt();
  files = packed();
}, 300_000);

const HERE = "plugin-vitest/e2e/package.test.ts";
const REQUIRE = " (require)";
const LIMITS = "plugin-vitest/e2e/package-limits.json";

/** No doors: tests of the installed package and the benchmarks go in here, by scripts/library.mjs. */
const INSIDE = [
  "cluster/cluster",
  "fault/build",
  "runtime",
  "shared/hash",
  "store/journal",
  "store/store",
  "workflow/trial",
  "world/define",
].map((name) => `dist/src/${name}.js`);

function changed(what: string): string {
  return `${what} changed ("+" is what is there now). If it is meant to, run "npx vitest run ${HERE} -u" and commit the file that this writes`;
}

test("the tarball's list of files is the accepted one", async () => {
  const lines = [...byFolderAndKind(files)].map(([kind, files]) => `${kind}: ${files}`);
  await expect(`${lines.join("\n")}\n`, changed("The tarball's list of files")).toMatchFileSnapshot(
    "package-files.txt",
  );
});

test("each door exports the accepted names, and the same by import and by require", async () => {
  const exported = new Map(doors().map(({ name, types }) => [name, names(types)]));
  const required = [...exported].filter(([name]) => name.endsWith(REQUIRE));
  const imported = [...exported].filter(([name]) => !name.endsWith(REQUIRE));
  const lines = imported.flatMap(([name, all]) => all.map((one) => `${name}: ${one}`));
  await expect(`${lines.join("\n")}\n`, changed("The names of a door")).toMatchFileSnapshot(
    "package-names.txt",
  );
  expect(required.length).toBeGreaterThan(0);
  for (const [name, all] of required)
    expect([name, all]).toEqual([name, exported.get(name.slice(0, -REQUIRE.length))]);
});

test("each door loads at most the code that it is allowed", () => {
  const limits = JSON.parse(readFileSync(path.join(ROOT, LIMITS), "utf8")) as Limits;
  const all = doors();
  const gone = Object.keys(limits).filter((name) => all.every((door) => door.name !== name));
  expect([
    ...all.flatMap((door) => tooHeavy(door, limits[door.name])),
    ...gone.map((name) => `"${name}" is gone: take it out of ${LIMITS}`),
  ]).toEqual([]);
});

test("every file of dist is reached from a door or the program", () => {
  const { bin } = manifest();
  const entries = [
    ...doors().flatMap(({ code, types }) => [code, types]),
    ...Object.values(bin),
    ...INSIDE,
  ];
  const reached = loads(entries, "ever");
  const rest = files.filter((file) => /^dist\/.*\.(?:js|ts)$/.test(file) && !reached.has(file));
  expect(rest, "scripts/build.mjs leaves files in dist/ that nothing loads").toEqual([]);
});

test("import and require find the same values as the declarations say", () => {
  const free = doors().filter(({ name }) => !/\/(?:vitest|jest)/.test(name));
  const script = `import { createRequire } from "node:module";
const require = createRequire(import.meta.url);
const found = {};
for (const name of ${JSON.stringify(free.map(({ name }) => name))}) {
  const [specifier, kind] = name.split(" ");
  found[name] = Object.keys(kind === undefined ? await import(specifier) : require(specifier)).sort();
}
console.log(JSON.stringify(found));`;
  // The package finds itself by its own name.
  const said = execFileSync(process.execPath, ["--input-type=module", "-e", script], { cwd: ROOT });
  const found = JSON.parse(said.toString()) as Record<string, string[]>;
  for (const { name, types } of free) {
    const values = names(types).filter((one) => !one.startsWith("type "));
    expect([name, found[name]?.filter((one) => one !== "__esModule")]).toEqual([name, values]);
  }
});

test("installing the package runs no script of its own", () => {
  const { scripts } = manifest();
  expect(Object.keys(scripts).filter((name) => /^(?:pre|post)?install$/.test(name))).toEqual([]);
});

test("the documents that the README links to are in the tarball", () => {
  const readme = readFileSync(path.join(ROOT, "README.md"), "utf8");
  const linked = [...readme.matchAll(/\]\((docs\/[^)#]+)/g)].map(([, to]) => to);
  expect(linked.length).toBeGreaterThan(0);
  expect(linked.filter((to) => to !== undefined && !files.includes(to))).toEqual([]);
});

test("every file that does something when it is loaded is said to", () => {
  const { sideEffects } = manifest();
  const pattern = (glob: string): RegExp =>
    new RegExp(`^${glob.slice(2).replaceAll(".", "\\.").replaceAll("*", "[^/]*")}$`);
  const said = sideEffects.map(pattern);
  const acting = files.filter(
    (file) =>
      file.endsWith(".js") &&
      /^register\(\);$|^process\./m.test(readFileSync(path.join(ROOT, file), "utf8")),
  );
  expect(acting.length).toBeGreaterThan(2);
  expect(acting.filter((file) => !said.some((one) => one.test(file)))).toEqual([]);
});

/** `dist/src .d.ts` and its files; chunks are only counted, as the bundler names them. */
function byFolderAndKind(paths: readonly string[]): ReadonlyMap<string, string> {
  const groups = new Map<string, string[]>();
  for (const file of paths) {
    const [, name = file, kind = ""] = /([^/]+?)((?:\.chunk|\.d)?\.[^./]+)?$/.exec(file) ?? [];
    const key = `${path.dirname(file)} ${kind}`;
    groups.set(key, [...(groups.get(key) ?? []), name]);
  }
  const shown = ([key, names]: [string, string[]]): [string, string] => [
    key,
    key.endsWith(".chunk.js") ? `${names.length} files` : names.join(" "),
  ];
  return new Map([...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(shown));
}

type Limits = Readonly<Record<string, { readonly bytes: number; readonly gzip: number }>>;

function tooHeavy({ name, code }: Door, limit: Limits[string] | undefined): readonly string[] {
  const files = loads([code], "at once");
  const { bytes, gzip } = weigh(files);
  if (limit !== undefined && bytes <= limit.bytes && gzip <= limit.gzip) return [];
  const heaviest = [...files]
    .map((file) => ({ file, size: weigh([file]).bytes }))
    .sort((a, b) => b.size - a.size)
    .slice(0, 3)
    .map(({ file, size }) => `${file} (${size})`);
  const allowed =
    limit === undefined ? "it has no limit" : `allowed are ${limit.bytes} (${limit.gzip})`;
  return [
    `"${name}" loads ${bytes} bytes of code (${gzip} with gzip); ${allowed}. Most are in ${heaviest.join(", ")}. Load less, or write into ${LIMITS}: "${name}": { "bytes": ${roomy(bytes)}, "gzip": ${roomy(gzip)} }`,
  ];
}

/** A tenth more, in whole thousands. */
function roomy(size: number): number {
  return Math.ceil((size * 1.1) / 1000) * 1000;
}
