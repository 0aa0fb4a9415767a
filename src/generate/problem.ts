import { failure, messageOf, TwiceshyError, type ErrorParts } from "../shared/error.ts";
import { oneLine } from "../shared/text.ts";

/** Something that a person should know about a generation; the rest was done. */
export interface Problem {
  readonly code: string;
  /** One printable line. */
  readonly message: string;
  /** `error`: something that was asked for is missing or was not done. `notice`: nothing is lost. */
  readonly severity: "error" | "notice";
}

/** Longer texts are cut; they only repeat what a file holds. */
const MAX_MESSAGE = 1000;

/** A problem from the three parts of our error sentences. */
export function problem(code: string, severity: Problem["severity"], parts: ErrorParts): Problem {
  return asProblem(failure(code, parts), severity);
}

/** A problem from whatever was thrown; an error that is not ours gets the code E_GENERATE. */
export function asProblem(thrown: unknown, severity: Problem["severity"] = "error"): Problem {
  const code = TwiceshyError.is(thrown) ? thrown.code : "E_GENERATE";
  return { code, severity, message: oneLine(messageOf(thrown), MAX_MESSAGE) };
}
