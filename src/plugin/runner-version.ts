import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { failure } from "../shared/error.ts";
import { isObject } from "../shared/json.ts";

/** A runner and the first of its versions that we work with, as `4.1.4`. */
export interface Runner {
  readonly name: "Vitest" | "Jest";
  readonly oldest: string;
}

/**
 * Refuses a runner that is too old, in one sentence. A newer one than we know is let through: nobody knows yet what it
 * breaks. One that a project does not have itself was started some other way.
 * @throws E_RUNNER_VERSION
 */
export function requireRunner(root: string, { name, oldest }: Runner): void {
  const found = installed(root, name.toLowerCase());
  if (found === undefined || !isOlder(found, oldest)) return;
  throw failure("E_RUNNER_VERSION", {
    to: `run the tests of ${root}`,
    because: `its ${name} is ${found}, and twiceshy needs ${oldest} or newer`,
    fix: `Run "npm install --save-dev ${name.toLowerCase()}@latest"`,
  });
}

function installed(root: string, name: string): string | undefined {
  try {
    const path = createRequire(join(root, "package.json")).resolve(`${name}/package.json`);
    const manifest: unknown = JSON.parse(readFileSync(path, "utf8"));
    const version = isObject(manifest) ? manifest["version"] : undefined;
    return typeof version === "string" && /^\d+\.\d+\.\d+/.test(version) ? version : undefined;
  } catch {
    return undefined;
  }
}

/** By the three numbers: what is after them is a prerelease, which its makers' own range decides about. */
function isOlder(version: string, oldest: string): boolean {
  const [found, wanted] = [version, oldest].map((text) =>
    text.split(/[.+-]/, 3).map((part) => Number.parseInt(part, 10)),
  );
  for (let i = 0; i < 3; i++) {
    const difference = (found?.[i] ?? 0) - (wanted?.[i] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}
