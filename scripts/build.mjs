// Builds dist/: few files of ESM for every door, CommonJS beside it for what Jest's sandbox loads, and the declarations of both.
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { bundleDoors } from "./bundle.mjs";
import { trimDeclarations } from "./declarations.mjs";
import { bundleLibrary } from "./library.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const tsc = fileURLToPath(new URL("../node_modules/typescript/bin/tsc", import.meta.url));
const manifest = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));

// Built beside the old one and put in its place at the end: whoever runs from dist/ meanwhile is not disturbed.
const dist = path.join(root, `.tmp-dist-${process.pid}`);
const args = [tsc, "-p", "tsconfig.build.json", "--outDir", dist];
const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: "inherit" });
if (status !== 0) {
  rmSync(dist, { recursive: true, force: true });
  process.exit(status ?? 1);
}

// The compiler rewrites `./x.ts` in the code but not in the declarations; older consumers refuse it there.
for (const name of readdirSync(dist, { recursive: true })) {
  if (!name.endsWith(".d.ts")) continue;
  const file = path.join(dist, name);
  const text = readFileSync(file, "utf8");
  const fixed = text.replaceAll(/((?:from|import\(?) ?")(\.{1,2}\/[^"]+)\.ts"/g, '$1$2.js"');
  if (fixed !== text) writeFileSync(file, fixed);
}

try {
  const library = await bundleLibrary(dist);
  await bundleDoors(dist);
  // Whatever is run stands in a bundle.
  removeModules(dist);
  for (const [name, code] of library) {
    mkdirSync(path.dirname(path.join(dist, name)), { recursive: true });
    writeFileSync(path.join(dist, name), code);
  }
  forgetPlace(dist);
  trimDeclarations(dist, manifest);
} catch (thrown) {
  rmSync(dist, { recursive: true, force: true });
  throw thrown;
}

writeFileSync(path.join(dist, "cjs/package.json"), '{ "type": "commonjs" }\n');
removeEmpty(dist);
chmodSync(path.join(dist, "src/cli/bin.js"), 0o755);

const place = path.join(root, "dist");
const old = `${dist}-old`;
if (existsSync(place)) renameSync(place, old);
renameSync(dist, place);
rmSync(old, { recursive: true, force: true });

/** The plugins' folders hold their bundles already. */
function removeModules(folder) {
  for (const name of readdirSync(folder, { recursive: true }))
    if (name.endsWith(".js") && !/^(?:cjs\/)?plugin-/.test(name.split(path.sep).join("/")))
      rmSync(path.join(folder, name));
}

/** The bundler notes where each module came from; the same sources must give the same bytes in every build. */
function forgetPlace(folder) {
  const place = `// ${path.basename(folder)}/`;
  for (const name of readdirSync(folder, { recursive: true })) {
    if (!name.endsWith(".js")) continue;
    const file = path.join(folder, name);
    writeFileSync(file, readFileSync(file, "utf8").replaceAll(place, "// "));
  }
}

function removeEmpty(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) removeEmpty(path.join(folder, entry.name));
  if (readdirSync(folder).length === 0) rmdirSync(folder);
}
