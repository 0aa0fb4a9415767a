import { EXIT } from "./command.ts";
import { type Io, note } from "./io.ts";

/** What a command says and leaves behind when code of the user ends the process under it. */
export interface ExitGuard {
  /** From now on trials run: what was measured stays. */
  running(): void;
  /** The command ends by itself. */
  done(): void;
}

/**
 * A module that calls `process.exit(0)` when it is imported, or a rejection of it that nobody awaits, must not look like a passed test
 * or a failed one: the exit code becomes 2, and 3 while trials run.
 */
export function guardExit(io: Io, release: () => void): ExitGuard {
  let code: number = EXIT.invalid;
  const ended = (): void => {
    process.exitCode = code;
    note(
      io,
      "error The process was ended by code that it ran, before the command was done. [E_PROCESS_ENDED]",
    );
    release();
  };
  process.on("exit", ended);
  return {
    running() {
      code = EXIT.incomplete;
    },
    done() {
      process.off("exit", ended);
    },
  };
}
