import type { Plugin, ViteUserConfig } from "vitest/config";
import type { TestProject, Vite, Vitest } from "vitest/node";
import type { UserConfig } from "../src/index.ts";
import { extendInclude } from "./include.ts";
import { ENVIRONMENT, hand, here, PACKAGE } from "./handover.ts";
import { configured, prepare, type Prepared } from "../src/plugin/prepare.ts";
import { requireRunner } from "../src/plugin/runner-version.ts";
import { triggers, watchRemovals } from "./watch.ts";

/**
 * The Vitest plugin: generates specs before files are looked for and brings matchers, environment, global set-up and reporter.
 * The options are those of `twiceshy.config.*` and win over it. Under plain `vite build` and `vite dev` it does nothing.
 */
export default function twiceshy(options: UserConfig = {}): Plugin {
  let prepared: Prepared | undefined;
  return {
    name: "twiceshy",
    // The command line asks the runner's config for what is set here.
    api: { twiceshy: options },
    config: (user) => (isBrowser(user) ? {} : { test: added() }),
    async configResolved(config) {
      // Vite itself calls this too; only Vitest brings plugins of such names.
      if (!config.plugins.some((plugin) => plugin.name.startsWith("vitest"))) return;
      const root = config.test?.root ?? config.root;
      requireRunner(root, { name: "Vitest", oldest: "4.1.4" });
      prepared = await prepare(await configured(root, options));
    },
    resolveId: (id) => (id === ENVIRONMENT ? here("environment") : undefined),
    async configureVitest({ vitest, project }: { vitest: Vitest; project: TestProject }) {
      if (prepared === undefined) return;
      hand(project, prepared);
      extendInclude(project, prepared.config.specs.dir);
      addReporter(vitest, prepared);
      if (vitest.config.watch) await triggers(vitest, prepared);
    },
    configureServer(server: Vite.ViteDevServer) {
      if (prepared !== undefined) watchRemovals(server, prepared);
    },
  };
}

/** What every project is given; Vitest joins the lists with the user's own. */
function added(): NonNullable<ViteUserConfig["test"]> {
  return {
    setupFiles: [here("setup")],
    globalSetup: [here("global-setup")],
    // A linked copy of the package lies outside node_modules and would be transformed for every test file.
    server: { deps: { external: [PACKAGE] } },
  };
}

/** Agents and their replays need Node; a browser's tests are left alone. */
function isBrowser({
  test,
}: {
  readonly test?: { readonly browser?: { readonly enabled?: boolean } };
}): boolean {
  return test?.browser?.enabled === true;
}

/** Once for a run, although each project calls. Reporters are made right after this. */
function addReporter(vitest: Vitest, { config, problems }: Prepared): void {
  const path = here("reporter");
  const { reporters } = vitest.config;
  if (reporters.some((reporter) => Array.isArray(reporter) && reporter[0] === path)) return;
  const { store, agentVersion } = config;
  reporters.push([path, { store, agentVersion }]);
  for (const line of problems) vitest.logger.warn(line);
}
