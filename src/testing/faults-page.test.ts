import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { faultsPage } from "./faults-page.ts";
import { ROOT } from "./imports.ts";

/** Tables are aligned in the file; what they say is what counts. */
const plain = (text: string): string => text.replaceAll(/ +/g, " ").replaceAll(/-{3,}/g, "---");

test("docs/faults.md lists every fault, check and world as the registries have them", () => {
  const page = readFileSync(path.join(ROOT, "docs/faults.md"), "utf8");
  expect(plain(page).replaceAll("\\_", "_")).toBe(plain(faultsPage()));
});
