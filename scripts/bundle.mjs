// Joins the modules behind the plugin's doors into few files: a runner loads them anew for every test file, and a hundred
// small modules cost a worker more than what is in them. Code that several doors share stands in one chunk, so that it is
// loaded once; the declarations stay as the compiler wrote them.
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { rolldown } from "rolldown";

/** The doors by where they run. The snapshot environment is not published: the plugin tells the runner its path. */
const MAIN = ["plugin", "global-setup", "reporter"];
const WORKER = ["setup", "test", "snapshot-environment", "environment"];

/** Bundles the compiled doors of a dist folder in place. */
export async function bundleDoors(dist) {
  const folder = path.join(dist, "plugin-vitest");
  const fileOf = (door) => path.join(folder, `${door}.js`);
  const doors = [...MAIN, ...WORKER];
  const bundle = await rolldown({
    input: Object.fromEntries(doors.map((door) => [door, fileOf(door)])),
    platform: "node",
    // Other packages stay imports: the runner must be the user's own.
    external: (id) => !id.startsWith(".") && !path.isAbsolute(id),
    // A door may hand more to the other files than it does to users, as tsc's modules did.
    preserveEntrySignatures: "allow-extension",
  });
  const { output } = await bundle.generate({
    // Doors find each other by their paths, so all of them stay where they are.
    entryFileNames: "[name].js",
    chunkFileNames: "[name].chunk.js",
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{ name: chunkNames(fileOf), debugName: "places" }],
    },
  });
  await bundle.close();
  for (const name of readdirSync(folder)) if (name.endsWith(".js")) rmSync(path.join(folder, name));
  for (const { fileName, code } of output) writeFileSync(path.join(folder, fileName), code);
}

/**
 * Names the chunk of a module: `shared` for what both sides of the runner load, `library` for what every test file loads.
 * The rest is left to the bundler: few doors need it, and each finds only its own part. What imports the runner itself
 * keeps out of the library, because the environments are loaded before the runner is there.
 */
function chunkNames(fileOf) {
  let sides;
  return (id, graph) => {
    sides ??= {
      main: closure(MAIN.map(fileOf), graph),
      worker: closure(WORKER.map(fileOf), graph),
      everyTest: closure([fileOf("setup")], graph),
    };
    const isDoor = [...MAIN, ...WORKER].some((door) => fileOf(door) === id);
    if (isDoor || graph.getModuleInfo(id)?.importedIds.includes("vitest")) return null;
    if (sides.main.has(id)) return sides.worker.has(id) ? "shared" : null;
    return sides.everyTest.has(id) ? "library" : null;
  };
}

/** Modules with everything that they import at once. */
function closure(entries, graph) {
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
