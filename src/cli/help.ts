import type { OptionShape } from "./command.ts";
import type { Command } from "./command.ts";
import { optionsOf } from "./args.ts";
import { COMMANDS } from "./commands.ts";
import { columns } from "./table.ts";

/** The help of the whole program. */
export function programHelp(): string {
  const rows = Object.entries(COMMANDS).map(([name, { summary }]) => [`  ${name}`, summary]);
  return [
    "twiceshy: an agent's failures as ordinary tests",
    "",
    "Usage: twiceshy <command> [options]",
    "",
    ...columns(rows),
    "",
    '"twiceshy <command> --help" tells more. Exit codes: 0 passed, 1 failed or regressed, 2 invalid input or set-up, 3 incomplete evidence.',
    "",
  ].join("\n");
}

export function commandHelp(name: string, command: Command): string {
  const rows = Object.entries(optionsOf(command)).map(([key, shape]) => [
    `  --${key}${valueText(shape)}`,
    shape.help,
  ]);
  return [
    `Usage: twiceshy ${name} ${command.usage}`.trimEnd(),
    "",
    command.about,
    "",
    ...columns(rows),
    "",
  ].join("\n");
}

function valueText(shape: OptionShape): string {
  if (shape.type === "flag") return "";
  if (shape.type === "optional") return ` [${shape.value ?? "TEXT"}]`;
  return ` ${typeof shape.type === "object" ? shape.type.join("|") : (shape.value ?? (shape.type === "number" ? "N" : "TEXT"))}`;
}
