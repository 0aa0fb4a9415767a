// Joins what the package has beside the plugins (the library, its worlds and matchers, the command line) into few files, as ESM
// and as CommonJS, from the modules that the compiler wrote.
import path from "node:path";
import { rolldown } from "rolldown";
import { closure } from "./bundle.mjs";

/** The doors that `import` and `require` both find. */
const DOORS = ["src/index", "src/explore", "matchers/builtin", "fixtures/builtin"];
const PROGRAM = "src/cli/bin";
/** No doors, but tests of the package as it is installed, and the benchmarks of `scripts/`, go in here. */
const INSIDE = [
  "src/runtime",
  "src/store/store",
  "src/store/journal",
  "src/cluster/cluster",
  "src/fault/build",
  "src/shared/hash",
  "src/workflow/trial",
  "src/world/define",
];

/**
 * What stands together, the first that fits: each part needs none of those after it, so that a program that prints its help,
 * a matcher and a store load no schema library. `but` names what is only loaded when it is needed.
 */
const PARTS = [
  { name: "base", of: [PROGRAM] },
  { name: "lean", of: ["matchers/builtin", "src/runtime"], with: ["src/shared/json-schema"] },
  { name: "trials", of: ["fixtures/builtin"] },
  { name: "store", of: ["src/store/store", "src/store/journal"] },
  { name: "library", of: ["src/index"] },
];

/** Bundles the library of a folder of compiled modules; gives the code by the file's path in dist. */
export async function bundleLibrary(stage) {
  const esm = await bundled(stage, [...DOORS, PROGRAM, ...INSIDE], "esm");
  const cjs = await bundled(stage, DOORS, "cjs");
  return new Map([...esm, ...[...cjs].map(([file, code]) => [`cjs/${file}`, importing(code)])]);
}

/** `require` knows neither URLs nor, on every Node, ES modules: what is only named at run time is imported there, too. */
function importing(code) {
  const computed =
    /Promise\.resolve\(\)\.then\(\(\) => (?:\/\*.*?\*\/ )?[\w.]*__toESM\(require\(((?!").*)\), 1\)\)/g;
  return code.replaceAll(computed, "import($1)");
}

async function bundled(stage, entries, format) {
  const fileOf = (name) => path.join(stage, `${name}.js`);
  const bundle = await rolldown({
    input: Object.fromEntries(entries.map((name) => [name, fileOf(name)])),
    platform: "node",
    // What package.json says of effects is said of the files in dist/.
    treeshake: { moduleSideEffects: true },
    // A door may hand more to the other files than it does to users, as tsc's modules did.
    preserveEntrySignatures: "allow-extension",
    // Other packages stay imports.
    external: (id) => !id.startsWith(".") && !path.isAbsolute(id),
    checks: { ineffectiveDynamicImport: false },
  });
  const { output } = await bundle.generate({
    format,
    // CommonJS in Jest's sandbox cannot import.
    dynamicImportInCjs: false,
    entryFileNames: "[name].js",
    chunkFileNames: "src/[name].chunk.js",
    comments: { legal: true, annotation: true, jsdoc: false },
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{ name: partNames(fileOf, entries), debugName: "parts" }],
    },
  });
  await bundle.close();
  return new Map(output.map(({ fileName, code }) => [fileName, code]));
}

/** Doors and what is loaded later keep files of their own. */
function partNames(fileOf, entries) {
  let parts;
  return (id, graph) => {
    parts ??= PARTS.map(({ name, of, with: later = [] }) => ({
      name,
      modules: closure([...of, ...later].map(fileOf), graph),
      later: new Set(PARTS.flatMap((part) => part.with ?? []).map(fileOf)),
    }));
    if (entries.some((name) => fileOf(name) === id)) return null;
    if (id.includes(`${path.sep}fixtures${path.sep}`)) return null;
    const part = parts.find(({ modules }) => modules.has(id));
    // What colours its output is not for those who only store something.
    if (part?.name === "base" && id.includes(`${path.sep}cli${path.sep}`)) return "program";
    return part === undefined || part.later.has(id) ? null : part.name;
  };
}
