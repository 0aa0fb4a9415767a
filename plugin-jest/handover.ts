import { isAbsolute, relative, sep } from "node:path";
import { secretVariables } from "../src/shared/secret-variables.ts";
import { DEFAULTS, type Settings } from "../src/plugin/settings.ts";

/**
 * How the configuration speaks to the tests: their processes inherit it. Jest's own `globals` would show it in
 * `--showConfig` and make every transform anew when the version changes.
 */
const VARIABLE = "TWICESHY_JEST";

/** Settings by a project's root. */
type Handed = Record<string, Settings>;

/** Gives the tests below a root what they need of the configuration. Secrets are left out: each process has its own. */
export function hand(root: string, settings: Settings): void {
  const { environment: _, ...redact } = settings.redact;
  process.env[VARIABLE] = JSON.stringify({ ...handed(), [root]: { ...settings, redact } });
}

/** What was handed to the tests of a file; the defaults where nothing was. */
export function settingsFor(testPath: string): Settings {
  const roots = Object.entries(handed())
    .filter(([root]) => isBelow(root, testPath))
    .sort(([a], [b]) => b.length - a.length);
  const settings = roots[0]?.[1];
  if (settings === undefined) return DEFAULTS;
  const environment = settings.redact.off === true ? {} : secretVariables(process.env);
  if (Object.keys(environment).length === 0) return settings;
  return { ...settings, redact: { ...settings.redact, environment } };
}

function handed(): Handed {
  const text = process.env[VARIABLE];
  return text === undefined || text === "" ? {} : (JSON.parse(text) as Handed);
}

function isBelow(root: string, path: string): boolean {
  const away = relative(root, path);
  return away !== ".." && !away.startsWith(`..${sep}`) && !isAbsolute(away);
}
