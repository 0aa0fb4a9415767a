import { dirname, join } from "node:path";
import type { Config } from "../index.ts";
import type { CheckedNotes } from "../runtime.ts";

/** What a runner's plugin hands over to its tests; plain data. */
export interface Settings extends Pick<
  Config,
  | "gate"
  | "unreviewed"
  | "matching"
  | "volatile"
  | "limits"
  | "network"
  | "detect"
  | "redact"
  | "ci"
> {
  readonly agentVersion: string;
  /** Whether `-u` may accept a fall from `passes`. */
  readonly acceptRegressions: boolean;
  /** Folder of the evidence of fault trials. Missing without the plugin: then none is kept. */
  readonly reports?: string;
  /** After how long the runner itself ends a test. */
  readonly testTimeoutMs: number;
  /** Where notes about repros files are, for files that did not change since. */
  readonly notes?: CheckedNotes;
}

/** The variable that the command line's `--accept-regressions` sets. */
const ACCEPT = "TWICESHY_ACCEPT_REGRESSIONS";

export function settingsOf(
  config: Config,
  env: Readonly<Record<string, string | undefined>>,
): Omit<Settings, "testTimeoutMs" | "notes"> {
  const { gate, unreviewed, matching, volatile, limits, network, detect, redact, ci } = config;
  const acceptRegressions = env[ACCEPT] === "1" || env[ACCEPT] === "true";
  const agentVersion = config.agentVersion ?? "dev";
  return {
    agentVersion,
    gate,
    unreviewed,
    matching,
    volatile,
    limits,
    network,
    detect,
    redact,
    ci,
    acceptRegressions,
    reports: join(dirname(config.store), "reports"),
  };
}

/** What holds in a test file that runs without the plugin. */
export const DEFAULTS: Settings = {
  agentVersion: "dev",
  gate: "regression",
  unreviewed: "gate",
  matching: "keyed",
  volatile: [],
  limits: { toolCalls: 50, ms: 30_000 },
  network: [],
  detect: {},
  redact: {},
  ci: false,
  acceptRegressions: false,
  testTimeoutMs: 5000,
};
