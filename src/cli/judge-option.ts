import { existsSync } from "node:fs";
import { join } from "node:path";
import type { UserConfig } from "../config/config.ts";
import type { Args } from "./args.ts";
import type { OptionShape } from "./command.ts";
import type { Io } from "./io.ts";

/** Options of every command that may ask a judge. */
export const JUDGE_OPTIONS: Readonly<Record<string, OptionShape>> = {
  judge: {
    type: "optional",
    value: "MODEL",
    help: "Ask a model about each trace, too: the configured judge, or this model of Ollama (OLLAMA_HOST)",
  },
  "no-judge": { type: "flag", help: "Ask no model, whatever the configuration says" },
};

/** What a command line says of the judge. */
export interface JudgeChoice {
  /** Over the configuration. */
  readonly options: UserConfig;
  readonly io: Io;
  /** The same arguments without the model's name. */
  readonly args: Args;
}

/** `--judge`, `--judge=MODEL` and `--judge MODEL`: the word after it is the model, unless it looks like a trace file or is one. */
export function judgeChoice(args: Args, io: Io): JudgeChoice {
  if (args.flag("no-judge")) return { options: { judge: false }, io: withoutModel(io), args };
  if (!args.flag("judge")) return { options: {}, io, args };
  const at = args.after("judge");
  const word = at === undefined ? undefined : args.positionals[at];
  const isModel = word !== undefined && !isPath(word) && !existsSync(join(io.cwd, word));
  const model = args.text("judge") ?? (isModel ? word : undefined);
  if (model === undefined) return { options: { judge: true }, io, args };
  const positionals = isModel
    ? args.positionals.filter((_, place) => place !== at)
    : args.positionals;
  const judge = FUNCTION.test(model) ? { ask: model } : { model };
  return { options: { judge }, io: withoutModel(io), args: { ...args, positionals } };
}

/** What a person types now wins over the variable. */
function withoutModel(io: Io): Io {
  return { ...io, env: { ...io.env, TWICESHY_JUDGE_MODEL: undefined } };
}

/** "file#export" of a function that is asked in a model's place. */
const FUNCTION = /^[^#]+#[A-Za-z_$][\w$]*$/;

/** Models are called `llama3.2`, `qwen3:8b` or `name/model`. */
function isPath(word: string): boolean {
  if (FUNCTION.test(word)) return false;
  return /^[./~\\]|[/\\]$|\\|\*|\.(?:jsonl?|ndjson|eval|zip|log|txt|gz|ya?ml|csv)$/i.test(word);
}
