import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isObject } from "../shared/json.ts";

/** Our own version; the package.json lies above the sources and above the build alike. */
export function packageVersion(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "package.json"))) {
    if (dirname(folder) === folder) return "unknown";
    folder = dirname(folder);
  }
  const manifest: unknown = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const version = isObject(manifest) ? manifest["version"] : undefined;
  return typeof version === "string" ? version : "unknown";
}
