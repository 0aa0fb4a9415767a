import { Readable } from "node:stream";
import { main } from "../cli/main.ts";

export interface Said {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandOptions {
  /** Lines that a person types. */
  readonly input?: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Whether both streams are terminals. */
  readonly tty?: boolean;
}

/** Runs one command line in a folder, in this process, with the real file system and the real runner. */
export async function runCommand(
  cwd: string,
  argv: readonly string[],
  options: CommandOptions = {},
): Promise<Said> {
  const said = { stdout: "", stderr: "" };
  const out = (name: keyof typeof said): { write: (text: string) => void; isTTY: boolean } => ({
    write: (text) => {
      said[name] += text;
    },
    isTTY: options.tty === true,
  });
  const code = await main(argv, {
    stdin: Readable.from((options.input ?? []).map((line) => `${line}\n`)),
    stdout: out("stdout"),
    stderr: out("stderr"),
    env: { ...inherited(), ...options.env },
    cwd,
  });
  return { code, ...said };
}

/** The environment without what the runner of these tests put there. */
function inherited(): Record<string, string | undefined> {
  const own = /^(?:VITEST|TEST|NODE_ENV|NODE_OPTIONS|CI|NO_COLOR|FORCE_COLOR|TWICESHY_|GITHUB_)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !own.test(name)));
}
