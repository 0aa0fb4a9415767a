import { join, relative, sep } from "node:path";
import type { TestProject } from "vitest/node";

/**
 * Makes sure that one project runs the generated specs. Vitest's default `include` matches them; a user's own may not,
 * and is replaced, never pushed to: Vitest shares its default arrays between projects.
 */
export function extendInclude(project: TestProject, specs: string): void {
  const sample = join(specs, "any.agent.spec.ts");
  const projects = project.vitest.projects.length === 0 ? [project] : project.vitest.projects;
  if (projects.some((one) => one.matchesTestGlob(sample))) return;
  const { config } = project;
  const folder = relative(config.dir ?? config.root, specs)
    .split(sep)
    .join("/");
  if (folder.startsWith("..")) return;
  config.include = [...config.include, `${folder}/**/*.agent.spec.?(m)[jt]s`];
}
