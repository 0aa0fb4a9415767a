/** Realm-safe mark: Jest's realms and a second copy of the package both break `instanceof`. */
const MARK = Symbol.for("twiceshy.error");

/**
 * An error that a user can act on. The message reads
 * "Failed to <what was asked>: <why not>. <what to do>."
 */
export class TwiceshyError extends Error {
  /** Shows the code where a runner or a console prints the name before the message, as Node's own errors do. */
  override readonly name: string;
  /** Stable, for programs: `E_<NOUN>_<REASON>`. */
  readonly code: string;

  constructor(code: string, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = `TwiceshyError [${code}]`;
    this.code = code;
    Object.defineProperty(this, MARK, { value: true });
  }

  /** Whether a value is our error, also when it comes from another realm or copy. */
  static is(value: unknown): value is TwiceshyError {
    return typeof value === "object" && value !== null && MARK in value;
  }
}

/** The three parts of every error sentence of ours. */
export interface ErrorParts {
  /** What was asked, as a verb phrase: "read the repros of support-bot". */
  readonly to: string;
  /** Why it was not possible, without a full stop. */
  readonly because: string;
  /** What to do, as a sentence without a full stop. */
  readonly fix: string;
  readonly cause?: unknown;
}

/** Builds the error sentence; throw what it returns. */
export function failure(code: string, parts: ErrorParts): TwiceshyError {
  const options = "cause" in parts ? { cause: parts.cause } : undefined;
  return new TwiceshyError(code, sentence(parts), options);
}

/** The error sentence alone, for what is told and not thrown: an error takes long to make where there are many. */
export function sentence({ to, because, fix }: Omit<ErrorParts, "cause">): string {
  return `Failed to ${to}: ${ended(because)} ${ended(fix)}`;
}

/** With a full stop, where it does not end with a sign of its own. */
function ended(part: string): string {
  return /[.!?]$/u.test(part) ? part : `${part}.`;
}

/** The message of anything that was thrown; never throws itself. */
export function messageOf(thrown: unknown): string {
  try {
    if (typeof thrown === "object" && thrown !== null && "message" in thrown) {
      return String(thrown.message);
    }
    return String(thrown);
  } catch {
    return "an error that cannot be described";
  }
}
