import { basename, resolve, sep } from "node:path";
import { failure } from "../shared/error.ts";
import { secretVariables } from "../shared/secret-variables.ts";
import type { Config, UserConfig } from "./config.ts";
import { findConfigFile, readConfigFile } from "./file.ts";
import { judgeOver, resolveJudge } from "./judge.ts";
import { isPlainlyValid } from "./plain.ts";
import { versionOf } from "./version.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The configuration of the project at `root`: its file, then the inline options, then the environment, each winning over the one before.
 * Checks everything first: E_CONFIG_UNKNOWN, E_CONFIG_VALUE, E_CONFIG_READ, E_CONFIG_EXPORT, E_CONFIG_AMBIGUOUS or E_CONFIG_TYPESCRIPT.
 */
export async function loadConfig(
  root: string,
  inline: UserConfig = {},
  env: Environment = {},
): Promise<Config> {
  const absolute = resolve(root);
  const file = findConfigFile(absolute);
  const fromFile =
    file === undefined ? {} : await checked(await readConfigFile(file, absolute), basename(file));
  const fromInline = await checked(inline, "the inline options");
  const fromEnv = await checked(optionsOf(env), "the environment's TWICESHY_ variables");
  return resolveConfig(absolute, merge(fromFile, fromInline, fromEnv), env);
}

/** `loadConfig` for commands: they know the options of the plugin in the runner's configuration too, as those of the file's side. */
export async function loadProject(
  root: string,
  inline: UserConfig = {},
  env: Environment = {},
): Promise<Config> {
  const [{ pluginOptions }, { jestOptions }] = await Promise.all([
    import("./runner-config.ts"),
    import("./jest-config.ts"),
  ]);
  const found = (await pluginOptions(resolve(root))) ?? (await jestOptions(resolve(root)));
  const options = found === undefined ? {} : await checked(found.options, found.place);
  return loadConfig(root, merge(options, await checked(inline, "the command line's options")), env);
}

/** zod is loaded only for options that are not plainly right. */
async function checked(options: unknown, place: string): Promise<UserConfig> {
  if (isPlainlyValid(options)) return options;
  const { validateConfig } = await import("./validate.ts");
  return validateConfig(options, place);
}

/** Which variable sets which option. From the fourth on they are how `twiceshy run` speaks to the runner that it starts. */
const VARIABLES = [
  ["TWICESHY_STORE", "store"],
  ["TWICESHY_AGENT", "agent"],
  ["TWICESHY_AGENT_VERSION", "agentVersion"],
  ["TWICESHY_GATE", "gate"],
  ["TWICESHY_UNREVIEWED", "unreviewed"],
  ["TWICESHY_MATCHING", "matching"],
] as const;

function optionsOf(env: Environment): Record<string, unknown> {
  const options: Record<string, unknown> = {};
  for (const [variable, option] of VARIABLES) {
    const value = env[variable];
    if (value !== undefined && value !== "") options[option] = value;
  }
  const limits = {
    ...numberIn(env, "TWICESHY_TOOL_CALLS", "toolCalls"),
    ...numberIn(env, "TWICESHY_TIMEOUT_MS", "ms"),
  };
  if (Object.keys(limits).length > 0) options["limits"] = limits;
  const model = env["TWICESHY_JUDGE_MODEL"];
  if (model !== undefined && model !== "") options["judge"] = { model };
  // One agent named for a run is meant for every trace.
  return "agent" in options ? { ...options, agents: {} } : options;
}

function numberIn(env: Environment, variable: string, option: string): Record<string, number> {
  const value = env[variable];
  return value === undefined || value === "" ? {} : { [option]: Number(value) };
}

function merge(...layers: readonly UserConfig[]): UserConfig {
  const merged: UserConfig = {};
  for (const layer of layers) {
    const given = Object.entries(layer).filter(([, value]) => value !== undefined);
    const judge = judgeOver(merged.judge, layer.judge);
    Object.assign(
      merged,
      Object.fromEntries(given),
      layer.limits && { limits: { ...merged.limits, ...layer.limits } },
      judge !== undefined && { judge },
    );
  }
  return merged;
}

/** Fills in the defaults and makes paths absolute. The options must have been checked. */
export function resolveConfig(root: string, options: UserConfig, env: Environment = {}): Config {
  const ci = isSet(env["CI"]);
  const specs = typeof options.specs === "string" ? { dir: options.specs } : (options.specs ?? {});
  const redact = typeof options.redact === "object" ? options.redact : {};
  const judge = resolveJudge(options.judge, env);
  return {
    root,
    agents: options.agents ?? {},
    ...(options.agent === undefined ? {} : { agent: options.agent }),
    agentVersion: options.agentVersion ?? versionOf(root),
    traces: [options.traces ?? ".twiceshy/traces/**/*.jsonl"]
      .flat()
      .map((glob) => resolve(root, glob).replaceAll(sep, "/")),
    store: resolve(root, options.store ?? ".twiceshy/twiceshy.db"),
    specs: { dir: resolve(root, specs.dir ?? "tests/failures"), per: specs.per ?? "agent" },
    repros: { most: options.repros?.most ?? 1000 },
    gate: options.gate ?? "regression",
    unreviewed: options.unreviewed ?? (ci ? "report" : "gate"),
    matching: options.matching ?? "keyed",
    volatile: options.volatile ?? [],
    limits: { toolCalls: options.limits?.toolCalls ?? 50, ms: options.limits?.ms ?? 30_000 },
    network: options.network === undefined || options.network === "refuse" ? [] : options.network,
    redact: options.redact === false ? { off: true } : { ...defined(redact), ...secretsIn(env) },
    detect: defined(options.detect ?? {}),
    threshold: options.threshold ?? 0.85,
    ...(options.runner === "jest" ? { runner: options.runner } : {}),
    ...(judge === undefined ? {} : { judge }),
    ci,
  };
}

/** Nothing where there are none, so that most configurations are the same on every machine. */
function secretsIn(env: Environment): Pick<Config["redact"], "environment"> {
  const environment = secretVariables(env);
  return Object.keys(environment).length === 0 ? {} : { environment };
}

/** `CI=true` and the like; `CI=false`, `CI=0` and an empty one are not set. */
function isSet(value: string | undefined): boolean {
  return value !== undefined && !["", "0", "false"].includes(value.toLowerCase());
}

type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> };

function defined<T extends object>(members: T): Defined<T> {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined),
  ) as Defined<T>;
}

/** "file#export" of the agent that replays the traces of an agent's name. Throws E_AGENT_UNKNOWN when none is configured. */
export function agentFor(config: Config, name: string): string {
  const spec = Object.hasOwn(config.agents, name) ? config.agents[name] : config.agent;
  if (spec !== undefined) return spec;
  const known = Object.keys(config.agents);
  throw failure("E_AGENT_UNKNOWN", {
    to: `find the agent ${JSON.stringify(name)}`,
    because:
      known.length === 0 ? "no agent is configured" : `only ${known.join(", ")} are configured`,
    fix: 'Set "agent" to "file#export" in the configuration, or add its name to "agents"',
  });
}
