/**
 * What may import what: the table of ARCHITECTURE.md as data.
 * A room may import `shared`, itself and what is listed; a file that stands alone is named by its path.
 */
export const ROOMS: Readonly<Record<string, readonly string[]>> = {
  "src/shared": [],
  "src/trace": [],
  "src/config": [],
  "src/boundary": ["src/trace"],
  "src/agent": ["src/boundary", "src/trace"],
  "src/importer": ["src/trace", "src/check", "src/baseline"],
  "src/detector": ["src/trace"],
  "src/cluster": ["src/detector", "src/trace"],
  "src/check": ["src/detector", "src/trace"],
  "src/repro": ["src/check", "src/detector", "src/agent", "src/boundary", "src/trace"],
  "src/baseline": ["src/repro", "src/check"],
  "src/store": ["src/check", "src/detector", "src/trace"],
  "src/generate": [
    "src/config",
    "src/store",
    "src/baseline",
    "src/repro",
    "src/check",
    "src/cluster",
    "src/detector",
    "src/importer",
    "src/trace",
  ],
  "src/runner": ["src/config", "src/agent", "src/repro", "src/check", "src/baseline"],
  "src/index.ts": ["*"],
  "src/runtime.ts": [
    "src/repro",
    "src/baseline",
    "src/check",
    "src/detector",
    "src/agent",
    "src/boundary",
    "src/trace",
  ],
  "src/cli": ["*"],
  "examples/refund-desk": [],
  // Every test file loads the matchers, also one that replays nothing: they take what they need, not the whole door.
  matchers: ["src/runtime.ts", "src/detector", "src/repro"],
  // Only what a start with nothing to do needs; the whole engine would cost each run its start.
  "plugin-vitest": [
    "src/runtime.ts",
    "src/index.ts",
    "matchers",
    "src/config",
    "src/generate",
    "src/store",
    "src/baseline",
    "src/boundary",
    "src/check",
  ],
};

/** Packages of others, and the only places that may import them (a prefix of the path). */
export const FENCES: Readonly<Record<string, readonly string[]>> = {
  "better-sqlite3": ["src/store/sqlite.ts"],
  ajv: ["src/shared/json-schema.ts"],
  "fast-check": ["src/workflow/explore.ts", "src/testing"],
  picocolors: ["matchers/message.ts", "src/cli", "plugin-vitest/reporter"],
  vitest: ["plugin-vitest"],
  jest: ["plugin-jest"],
};

/** What a user's test loads must not load these, at any depth of value imports. */
export const LEAN = {
  doors: [
    "src/runtime.ts",
    "matchers/builtin.ts",
    "plugin-vitest/test.ts",
    "plugin-vitest/setup.ts",
    "plugin-vitest/environment.ts",
  ],
  without: ["zod", "ajv", "better-sqlite3", "fast-check"],
};
