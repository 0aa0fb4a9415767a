// Builds dist/: ESM for every door, CommonJS beside it for what Jest's sandbox loads.
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { bundleDoors } from "./bundle.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const tsc = fileURLToPath(new URL("../node_modules/typescript/bin/tsc", import.meta.url));

// Built beside the old one and put in its place at the end: whoever runs from dist/ meanwhile is not disturbed.
const dist = path.join(root, `.tmp-dist-${process.pid}`);
for (const [project, folder] of [
  ["tsconfig.build.json", "."],
  ["tsconfig.cjs.json", "cjs"],
]) {
  const args = [tsc, "-p", project, "--outDir", path.join(dist, folder)];
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: "inherit" });
  if (status === 0) continue;
  rmSync(dist, { recursive: true, force: true });
  process.exit(status ?? 1);
}

// The compiler rewrites `./x.ts` in the code but not in the declarations; older consumers refuse it there.
for (const name of readdirSync(dist, { recursive: true })) {
  if (!name.endsWith(".d.ts")) continue;
  const file = path.join(dist, name);
  const text = readFileSync(file, "utf8");
  const fixed = text.replaceAll(/((?:from|import\() ?")(\.{1,2}\/[^"]+)\.ts"/g, '$1$2.js"');
  if (fixed !== text) writeFileSync(file, fixed);
}

// The same sources were checked as ESM above; CommonJS knows its place by another name.
for (const name of readdirSync(path.join(dist, "cjs"), { recursive: true })) {
  if (!name.endsWith(".js")) continue;
  const file = path.join(dist, "cjs", name);
  const text = readFileSync(file, "utf8");
  const fixed = text.replaceAll("createRequire)(import.meta.url)", "createRequire)(__filename)");
  if (fixed !== text) writeFileSync(file, fixed);
}

try {
  await bundleDoors(dist);
} catch (thrown) {
  rmSync(dist, { recursive: true, force: true });
  throw thrown;
}

writeFileSync(path.join(dist, "cjs/package.json"), '{ "type": "commonjs" }\n');
chmodSync(path.join(dist, "src/cli/bin.js"), 0o755);

const place = path.join(root, "dist");
const old = `${dist}-old`;
if (existsSync(place)) renameSync(place, old);
renameSync(dist, place);
rmSync(old, { recursive: true, force: true });
