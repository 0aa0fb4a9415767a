import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: [
      "src/**/*.test.ts",
      "matchers/**/*.test.ts",
      "fixtures/**/*.test.ts",
      "plugin-vitest/**/*.test.ts",
      "plugin-jest/**/*.test.ts",
    ],
    // The children of the end-to-end tests write their projects here.
    exclude: ["**/node_modules/**", "**/dist/**", "**/.tmp-*/**"],
    testTimeout: 30_000,
  },
});
