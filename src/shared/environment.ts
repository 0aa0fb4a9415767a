import type { RedactOptions } from "./redact.ts";
import { secretVariables } from "./secret-variables.ts";

/** The same redaction, which also knows the secrets that this process was started with; unless others are given. */
export function withOwnSecrets(given: RedactOptions | boolean | undefined): RedactOptions | false {
  if (given === false) return false;
  const options = typeof given === "object" ? given : {};
  if (options.off === true || options.environment !== undefined) return options;
  return { ...options, environment: secretVariables(process.env) };
}
