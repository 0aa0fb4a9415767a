import { existsSync } from "node:fs";
import { relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { Config as JestConfig } from "jest";
import type { UserConfig } from "../src/index.ts";
import { configured, prepare, type Prepared } from "../src/plugin/prepare.ts";
import { requireRunner } from "../src/plugin/runner-version.ts";
import { settingsOf } from "../src/plugin/settings.ts";
import { failure } from "../src/shared/error.ts";
import { isObject } from "../src/shared/json.ts";
import { callerFolder } from "./caller.ts";
import { hand } from "./handover.ts";

type Given = JestConfig | (() => JestConfig | Promise<JestConfig>);

/** What stands in `jest.config.*`; the command line asks it for the options. */
interface TwiceshyConfig {
  (): Promise<JestConfig>;
  readonly twiceshy: UserConfig;
}

/**
 * The Jest configuration of a project with our part: generates specs before Jest looks for files and brings matchers, environment,
 * test runner and reporter. Takes the project's own configuration (an object, or a function that gives one; a preset stays) and the
 * options of `twiceshy.config.*`, which win over it. The project's root is `rootDir`, else the folder of the file that calls this.
 */
export function withTwiceshy(config: Given = {}, options: UserConfig = {}): TwiceshyConfig {
  const folder = callerFolder() ?? process.cwd();
  const made = async (): Promise<JestConfig> => {
    const given = objectOf(typeof config === "function" ? await config() : config);
    const root = resolve(folder, given.rootDir ?? ".");
    requireRunner(root, { name: "Jest", oldest: "30.0.0" });
    const prepared = await prepare(
      await configured(root, { ...options, runner: "jest" }, environment()),
    );
    const { config: ours, notes } = prepared;
    const testTimeoutMs = given.testTimeout ?? 5000;
    const known = notes === undefined ? {} : { notes };
    hand(root, { ...settingsOf(ours, process.env), testTimeoutMs, ...known });
    warn([...prepared.problems, ...esmProblems(prepared)]);
    return { ...extended(given, prepared), reporters: reporters(given, prepared) };
  };
  return Object.assign(made, { twiceshy: options });
}

/** @throws E_CONFIG_JEST for what is no object of options */
function objectOf(given: unknown): JestConfig {
  if (isObject(given)) return given;
  const found = given === null ? "null" : Array.isArray(given) ? "a list" : `a ${typeof given}`;
  throw failure("E_CONFIG_JEST", {
    to: "read Jest's own options",
    because: `the first argument of withTwiceshy gave ${found}`,
    fix: "Give an object, a function of one, or nothing",
  });
}

/** `--ci` says that nothing is to be written, wherever it is run. */
function environment(): NodeJS.ProcessEnv {
  const said = process.argv.some((argument) => /^--ci(?:=true)?$/.test(argument));
  return said ? { ...process.env, CI: "true" } : process.env;
}

/** What belongs to a project: those that stand inline in `projects` are given the same. */
function extended(given: JestConfig, prepared: Prepared): JestConfig {
  const { projects } = given;
  if (projects !== undefined) {
    const all = projects.map((project) =>
      typeof project === "string" ? project : (extended(project as JestConfig, prepared) as never),
    );
    return { ...given, projects: all };
  }
  return {
    ...given,
    // By name and not by path, so that Jest takes the CommonJS file where it runs CommonJS.
    setupFilesAfterEnv: added(given.setupFilesAfterEnv, "twiceshy/jest/setup"),
    ...testRunner(given),
    ...transforms(given),
    ...whereSpecsAre(given, prepared),
  };
}

function added(list: string | readonly string[] | undefined, item: string): string[] {
  return [...[list ?? []].flat().filter((one) => one !== item), item];
}

function reporters(given: JestConfig, { config }: Prepared): NonNullable<JestConfig["reporters"]> {
  const { store, agentVersion = "dev" } = config;
  const options = { store, agentVersion, specs: config.specs.dir };
  return [...(given.reporters ?? ["default"]), ["twiceshy/jest/reporter", options]];
}

/** Another runner than circus is left alone: then the reporter knows of no verdicts. */
function testRunner({ testRunner }: JestConfig): Pick<JestConfig, "testRunner"> {
  const isCircus = testRunner === undefined || /^(?:jest-)?circus(?:\/runner)?$/.test(testRunner);
  return isCircus ? { testRunner: "twiceshy/jest/runner" } : {};
}

/** A linked copy of the package lies outside node_modules and would be transformed for every test file. */
function transforms({ preset, ...given }: JestConfig): Pick<JestConfig, "transformIgnorePatterns"> {
  const here = fileURLToPath(new URL("..", import.meta.url));
  if (here.includes(`${sep}node_modules${sep}`)) return {};
  const before = given.transformIgnorePatterns ?? ["/node_modules/", "\\.pnp\\.[^\\/]+$"];
  // A preset's own patterns are not known here, and those of the project would replace them.
  if (preset !== undefined && preset !== null && given.transformIgnorePatterns === undefined)
    return {};
  return { transformIgnorePatterns: added(before, `^${escape(here)}`) };
}

/** Jest's own patterns find the specs; a project's may not. */
function whereSpecsAre(
  { testMatch, testRegex, roots }: JestConfig,
  { config }: Prepared,
): Partial<JestConfig> {
  const { dir } = config.specs;
  const ours = "*.agent.spec.?([mc])[jt]s";
  const regex = `${escape(dir)}.*\\.agent\\.spec\\.[cm]?[jt]s$`;
  const isUnder = roots?.some(
    (root) => !relative(resolve(config.root, root.replace("<rootDir>", ".")), dir).startsWith(".."),
  );
  return {
    ...(testMatch === undefined
      ? {}
      : { testMatch: added(testMatch, `${dir.split(sep).join("/")}/**/${ours}`) }),
    ...(testRegex === undefined ? {} : { testRegex: added([testRegex].flat(), regex) }),
    // Jest refuses a root that is not there.
    ...(roots === undefined || isUnder === true || !existsSync(dir)
      ? {}
      : { roots: added(roots, dir) }),
  };
}

function escape(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}

const TOLD: unique symbol = Symbol.for("twiceshy.told") as never;

/** Once, although Jest asks for the configuration more than once. */
function warn(problems: readonly string[]): void {
  const shared = globalThis as { [TOLD]?: Set<string> };
  const told = (shared[TOLD] ??= new Set());
  for (const line of problems) {
    if (!told.has(line)) process.stderr.write(`${line}\n`);
    told.add(line);
  }
}

/** Said before the spec fails by Jest's own words: its sandbox requires modules, and an ES module cannot be required there. */
function esmProblems({ config }: Prepared): string[] {
  const flags = [...process.execArgv, process.env["NODE_OPTIONS"] ?? ""].join(" ");
  if (flags.includes("--experimental-vm-modules")) return [];
  return [config.agent ?? [], Object.values(config.agents)]
    .flat()
    .filter((spec) => /\.mjs#/.test(spec))
    .map((spec) => {
      const { code, message } = failure("E_AGENT_ESM", {
        to: `replay ${spec} in Jest`,
        because: "it is an ES module, and Jest runs CommonJS here",
        fix: "Start it with NODE_OPTIONS=--experimental-vm-modules, or name a file that Jest transforms",
      });
      return `twiceshy  ${message} (${code})`;
    });
}
