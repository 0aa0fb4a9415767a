import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { requireRunner } from "./runner-version.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "twiceshy-runner-"));
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

function install(manifest: unknown): void {
  mkdirSync(join(root, "node_modules/vitest"), { recursive: true });
  writeFileSync(join(root, "node_modules/vitest/package.json"), JSON.stringify(manifest));
}
const refusal = (): string => {
  try {
    requireRunner(root, { name: "Vitest", oldest: "4.1.4" });
    return "let through";
  } catch (thrown) {
    return String(thrown);
  }
};

test.for(["4.1.4", "4.1.12", "4.10.0", "5.0.0-beta.1", "12.0.0", "4.1.4-rc.1"])(
  "Vitest %s is let through",
  (version) => {
    install({ version });
    expect(refusal()).toBe("let through");
  },
);

test.for(["4.1.3", "4.0.99", "3.2.4", "0.34.6", "4.1.3+build.9"])(
  "Vitest %s is refused in one sentence with what to do",
  (version) => {
    install({ version });
    expect(refusal().replaceAll(root, "<root>")).toBe(
      `TwiceshyError [E_RUNNER_VERSION]: Failed to run the tests of <root>: its Vitest is ${version}, and twiceshy needs 4.1.4 or newer. Run "npm install --save-dev vitest@latest".`,
    );
  },
);

test("a project without a runner of its own, or with one that says nothing, is let through", () => {
  expect(refusal()).toBe("let through");
  for (const manifest of [{}, { version: 3 }, { version: "next" }, []]) {
    install(manifest);
    expect(refusal()).toBe("let through");
  }
});
