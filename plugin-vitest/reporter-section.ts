import type { TestModule } from "vitest/node";
import type { NotedTest, Row } from "../src/plugin/section.ts";
import { noteIn } from "../src/plugin/trial-note.ts";
import { verdictIn } from "../src/plugin/verdict-meta.ts";

/** Every judged test of a module. */
export function rowsOf(module: TestModule): Row[] {
  const rows: Row[] = [];
  for (const test of module.children.allTests()) {
    const verdict = verdictIn(test.meta());
    if (verdict === undefined) continue;
    rows.push({ file: module.relativeModuleId, path: module.moduleId, title: test.name, verdict });
  }
  return rows;
}

/** Every test of a module that says what it did not judge. */
export function notedIn(module: TestModule): NotedTest[] {
  return [...module.children.allTests()].flatMap((test) => {
    const text = noteIn(test.meta());
    return text === undefined ? [] : [{ file: module.relativeModuleId, title: test.name, text }];
  });
}
