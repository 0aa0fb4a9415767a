import { failure, messageOf, TwiceshyError } from "../shared/error.ts";
import { nearest } from "../shared/nearest.ts";
import { oneLine, visible } from "../shared/text.ts";
import { readArgs } from "./args.ts";
import { EXIT } from "./command.ts";
import { COMMANDS } from "./commands.ts";
import { commandHelp, programHelp } from "./help.ts";
import { colours, type Io, note } from "./io.ts";
import { packageVersion } from "./package-version.ts";

/** Runs one command line, without the program's name, and returns the exit code. Never throws. */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  try {
    return await dispatch(argv, io);
  } catch (thrown) {
    const { red } = colours(io, io.stderr);
    const ours = TwiceshyError.is(thrown);
    note(io, `${red("error")} ${visible(messageOf(thrown))}${ours ? ` [${thrown.code}]` : ""}`);
    if (!ours && thrown instanceof Error && io.env["TWICESHY_DEBUG"] !== undefined) {
      note(io, visible(thrown.stack ?? ""));
    }
    return EXIT.invalid;
  }
}

async function dispatch(argv: readonly string[], io: Io): Promise<number> {
  const [name = "--help", ...rest] = argv;
  if (name === "--help" || name === "-h" || name === "help") {
    io.stdout.write(programHelp());
    return EXIT.passed;
  }
  if (name === "--version" || name === "-v") {
    io.stdout.write(`${packageVersion()}\n`);
    return EXIT.passed;
  }
  const entry = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (entry === undefined) throw unknownCommand(name);
  const { command } = await entry.load();
  const args = readArgs(name, command, rest);
  if (args.flag("help")) {
    io.stdout.write(commandHelp(name, command));
    return EXIT.passed;
  }
  return command.run(args, io);
}

function unknownCommand(name: string): Error {
  const meant = nearest(name, Object.keys(COMMANDS));
  return failure("E_COMMAND_UNKNOWN", {
    to: `run twiceshy ${oneLine(name, 60)}`,
    because: "there is no such command",
    fix:
      meant === undefined
        ? 'See "twiceshy --help"'
        : `Did you mean "twiceshy ${meant}"? See "twiceshy --help"`,
  });
}
