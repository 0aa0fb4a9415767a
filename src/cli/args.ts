import { parseArgs } from "node:util";
import { failure } from "../shared/error.ts";
import { nearest } from "../shared/nearest.ts";
import { oneLine } from "../shared/text.ts";
import type { Command, OptionShape } from "./command.ts";

/** The arguments of one call of a command, checked against its options. */
export interface Args {
  readonly positionals: readonly string[];
  flag(name: string): boolean;
  text(name: string): string | undefined;
  number(name: string): number | undefined;
  /** Place, among the positional arguments, of the one that stands right after an option without a value. */
  after(name: string): number | undefined;
}

const HELP: OptionShape = { type: "flag", help: "Show this help" };

/** Every option of a command, `--help` too. */
export function optionsOf(command: Command): Readonly<Record<string, OptionShape>> {
  return { ...command.options, help: HELP };
}

/** Reads a command line; throws E_OPTION_UNKNOWN, E_OPTION_VALUE or E_ARGUMENT_COUNT with what was meant. */
export function readArgs(name: string, command: Command, argv: readonly string[]): Args {
  const shapes = optionsOf(command);
  const { tokens, positionals } = parseArgs({
    args: [...argv],
    strict: false,
    allowPositionals: true,
    tokens: true,
    options: Object.fromEntries(
      Object.entries(shapes).map(([key, shape]) => [
        key,
        { type: shape.type === "flag" || shape.type === "optional" ? "boolean" : "string" },
      ]),
    ),
  });
  const values = new Map<string, string | true>();
  const places = new Map(
    tokens.filter(({ kind }) => kind === "positional").map(({ index }, place) => [index, place]),
  );
  const after = new Map<string, number | undefined>();
  for (const token of tokens) {
    if (token.kind !== "option") continue;
    const shape = Object.hasOwn(shapes, token.name) ? shapes[token.name] : undefined;
    if (shape === undefined || !token.rawName.startsWith("--"))
      throw unknownOption(name, token.rawName, shapes);
    values.set(token.name, valueOf(name, token, shape));
    after.set(token.name, token.value === undefined ? places.get(token.index + 1) : undefined);
  }
  if (!values.has("help")) checkCount(name, command, positionals);
  return {
    positionals,
    flag: (key) => values.has(key),
    text: (key) => {
      const value = values.get(key);
      return value === true ? undefined : value;
    },
    number: (key) => (values.has(key) ? Number(values.get(key)) : undefined),
    after: (key) => after.get(key),
  };
}

interface OptionToken {
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

function valueOf(name: string, token: OptionToken, shape: OptionShape): string | true {
  const { rawName, value } = token;
  if (shape.type === "flag") {
    if (value === undefined) return true;
    throw wrongValue(
      name,
      rawName,
      `it takes no value, and ${JSON.stringify(oneLine(value, 40))} was given`,
    );
  }
  if (shape.type === "optional" && value === undefined) return true;
  const missing =
    value === undefined || value === "" || (token.inlineValue !== true && /^-./.test(value));
  if (missing) throw wrongValue(name, rawName, `it needs a value (${shape.value ?? "a word"})`);
  if (shape.type === "number" && !/^\d+(\.\d+)?$/.test(value)) {
    throw wrongValue(name, rawName, `${JSON.stringify(oneLine(value, 40))} is not a number`);
  }
  if (typeof shape.type === "object" && !shape.type.includes(value)) {
    throw wrongValue(
      name,
      rawName,
      `${JSON.stringify(oneLine(value, 40))} is none of ${shape.type.join(", ")}`,
    );
  }
  return value;
}

function unknownOption(
  name: string,
  given: string,
  shapes: Readonly<Record<string, OptionShape>>,
): Error {
  const known = Object.keys(shapes).map((key) => `--${key}`);
  const meant = nearest(given, known);
  return failure("E_OPTION_UNKNOWN", {
    to: `run twiceshy ${name}`,
    because: `there is no option ${oneLine(given, 60)}`,
    fix:
      meant === undefined
        ? `See "twiceshy ${name} --help"`
        : `Did you mean ${meant}? See "twiceshy ${name} --help"`,
  });
}

function wrongValue(name: string, option: string, because: string): Error {
  return failure("E_OPTION_VALUE", {
    to: `read the option ${option} of twiceshy ${name}`,
    because,
    fix: `See "twiceshy ${name} --help"`,
  });
}

function checkCount(name: string, command: Command, given: readonly string[]): void {
  const [least, most] = command.positionals;
  if (given.length >= least && given.length <= most) return;
  const extra =
    given.length > most
      ? `${JSON.stringify(oneLine(given[most] ?? "", 60))} is one argument too many`
      : "an argument is missing";
  throw failure("E_ARGUMENT_COUNT", {
    to: `run twiceshy ${name}`,
    because: extra,
    fix: `Write "twiceshy ${name} ${command.usage}"`,
  });
}
