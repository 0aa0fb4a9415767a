// Joins the modules behind the plugin's doors into few files: a runner loads them anew for every test file, and a hundred
// small modules cost a worker more than what is in them. Code that several doors share stands in one chunk, so that it is
// loaded once; the declarations stay as the compiler wrote them.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { rolldown } from "rolldown";

/**
 * The doors by where they run, as compiled in `from`, and the runner that they import. Vitest's snapshot environment is not
 * published: the plugin tells the runner its path. What Jest's sandbox loads is there as CommonJS, too.
 */
const BUNDLES = [
  {
    from: "plugin-jest",
    into: "cjs/plugin-jest",
    format: "cjs",
    runner: "@jest/globals",
    main: [],
    worker: ["setup", "test"],
  },
  {
    from: "plugin-jest",
    into: "plugin-jest",
    format: "esm",
    runner: "@jest/globals",
    main: ["config", "runner", "reporter", "environment"],
    worker: ["setup", "test"],
  },
  {
    from: "plugin-vitest",
    into: "plugin-vitest",
    format: "esm",
    runner: "vitest",
    main: ["plugin", "global-setup", "reporter"],
    worker: ["setup", "test", "snapshot-environment", "environment"],
  },
];

/** Bundles the compiled doors of a dist folder. */
export async function bundleDoors(dist) {
  for (const about of BUNDLES) await bundleOne(dist, about);
}

async function bundleOne(dist, about) {
  const fileOf = (door) => path.join(dist, about.from, `${door}.js`);
  const doors = [...about.main, ...about.worker];
  const bundle = await rolldown({
    input: Object.fromEntries(doors.map((door) => [door, fileOf(door)])),
    platform: "node",
    // What package.json says of effects is said of the files in dist/.
    treeshake: { moduleSideEffects: true },
    checks: { ineffectiveDynamicImport: false },
    // Other packages stay imports: the runner must be the user's own.
    external: (id) => !id.startsWith(".") && !path.isAbsolute(id),
    // A door may hand more to the other files than it does to users, as tsc's modules did.
    preserveEntrySignatures: "allow-extension",
  });
  const { output } = await bundle.generate({
    format: about.format,
    // CommonJS in Jest's sandbox cannot import.
    dynamicImportInCjs: false,
    // Doors find each other by their paths, so all of them stay where they are.
    entryFileNames: "[name].js",
    chunkFileNames: "[name].chunk.js",
    comments: { legal: true, annotation: true, jsdoc: false },
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{ name: chunkNames(fileOf, about), debugName: "places" }],
    },
  });
  await bundle.close();
  const folder = path.join(dist, about.into);
  mkdirSync(folder, { recursive: true });
  removeCode(folder);
  for (const { fileName, code } of output) writeFileSync(path.join(folder, fileName), code);
}

function removeCode(folder) {
  for (const name of readdirSync(folder)) if (name.endsWith(".js")) rmSync(path.join(folder, name));
}

/**
 * Names the chunk of a module: `shared` for what both sides of the runner load, `library` for what every test file loads.
 * The rest is left to the bundler: few doors need it, and each finds only its own part. What imports the runner itself
 * keeps out of the library, because the environments are loaded before the runner is there.
 */
function chunkNames(fileOf, { main, worker, runner }) {
  let sides;
  return (id, graph) => {
    sides ??= {
      main: closure(main.map(fileOf), graph),
      worker: closure(worker.map(fileOf), graph),
      everyTest: closure([fileOf("setup")], graph),
    };
    const isDoor = [...main, ...worker].some((door) => fileOf(door) === id);
    const needsRunner = [...closure([id], graph)].some((one) =>
      graph.getModuleInfo(one)?.importedIds.includes(runner),
    );
    if (isDoor || needsRunner) return null;
    if (sides.main.has(id)) return sides.worker.has(id) ? "shared" : null;
    return sides.everyTest.has(id) ? "library" : null;
  };
}

/** Modules with everything that they import at once, by the graph of a bundle. */
export function closure(entries, graph) {
  const found = new Set();
  const visit = (id) => {
    const info = found.has(id) ? null : graph.getModuleInfo(id);
    if (info === null || info === undefined) return;
    found.add(id);
    for (const imported of info.importedIds) visit(imported);
  };
  for (const entry of entries) visit(entry);
  return found;
}
