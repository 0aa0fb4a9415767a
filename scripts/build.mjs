// Builds dist/: ESM for every door, CommonJS beside it for what Jest's sandbox loads.
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const tsc = fileURLToPath(new URL("../node_modules/typescript/bin/tsc", import.meta.url));

rmSync(new URL("../dist", import.meta.url), { recursive: true, force: true });
for (const project of ["tsconfig.build.json", "tsconfig.cjs.json"]) {
  const { status } = spawnSync(process.execPath, [tsc, "-p", project], { cwd: root, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}

// The compiler rewrites `./x.ts` in the code but not in the declarations; older consumers refuse it there.
const dist = path.join(root, "dist");
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

writeFileSync(new URL("../dist/cjs/package.json", import.meta.url), '{ "type": "commonjs" }\n');
const bin = new URL("../dist/src/cli/bin.js", import.meta.url);
if (existsSync(bin)) chmodSync(bin, 0o755);
