// Lets each example import the package by its name, as a stranger's copy of it would.
import { existsSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { fileURLToPath } from "node:url";
import path from "node:path";

const root = fileURLToPath(new URL("..", import.meta.url));
for (const example of readdirSync(path.join(root, "examples"))) {
  const modules = path.join(root, "examples", example, "node_modules");
  mkdirSync(modules, { recursive: true });
  const link = path.join(modules, "twiceshy");
  if (!existsSync(link)) symlinkSync(path.relative(modules, root), link, "junction");
}
