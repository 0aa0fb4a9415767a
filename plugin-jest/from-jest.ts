import { createRequire } from "node:module";
import { join } from "node:path";
import { failure } from "../src/shared/error.ts";

/** Which package of Jest's own depends on which, from the one that a project installs. */
const CHAIN = ["jest/package.json", "@jest/core/package.json", "jest-config/package.json"];

/**
 * A package that Jest brings, as the project's own Jest has it: it need not lie where this package finds its own.
 * @throws E_JEST_MISSING
 */
export function fromJest(name: string): unknown {
  let from = createRequire(import.meta.url);
  try {
    return from(name);
  } catch {
    // Not beside us: a package manager may keep it beside Jest's own packages only.
  }
  from = createRequire(join(process.cwd(), "package.json"));
  for (const link of CHAIN) {
    try {
      from = createRequire(from.resolve(link));
      return from(name);
    } catch {
      // One link further.
    }
  }
  throw failure("E_JEST_MISSING", {
    to: `load ${name}`,
    because: "Jest is not installed in this project, or not in a version that brings it",
    fix: 'Run "npm install --save-dev jest@30"',
  });
}
