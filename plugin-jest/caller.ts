import { dirname, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** This package's own folder, built or not. */
const OURS = fileURLToPath(new URL("..", import.meta.url));

/**
 * The folder of the file that calls our function: Jest does not tell a configuration where it stands, and is run from the root of
 * a repository for configurations below it. Undefined where the stack does not say.
 */
export function callerFolder(): string | undefined {
  const before: unknown = Reflect.get(Error, "prepareStackTrace");
  try {
    Error.prepareStackTrace = (_error, sites) => sites;
    const sites = new Error("where").stack as unknown as readonly NodeJS.CallSite[];
    for (const site of sites) {
      const name = site.getFileName();
      if (typeof name !== "string" || name.startsWith("node:")) continue;
      const path = name.startsWith("file:") ? fileURLToPath(name) : name;
      if (!path.startsWith(OURS) && path.includes(sep)) return dirname(path);
    }
    return undefined;
  } finally {
    Reflect.set(Error, "prepareStackTrace", before);
  }
}
