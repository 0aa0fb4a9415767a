import type { JudgeFunction } from "../detector/judge.ts";
import type { Config, UserConfig } from "./config.ts";

/** What a user says of the judge. */
type Given = NonNullable<UserConfig["judge"]>;
type Options = Exclude<Given, boolean | string | JudgeFunction>;

/** The model that is asked when none is named. */
const MODEL = "llama3.2";

/**
 * The judge after another layer of options. What a layer does not say stays as it was; one that names a model or host means
 * Ollama, also where the layer before has a function.
 */
export function judgeOver(before: Given | undefined, layer: Given | undefined): Given | undefined {
  if (layer === undefined || layer === false || before === undefined || before === false)
    return layer ?? before;
  const [known, given] = [optionsOf(before), optionsOf(layer)];
  if (given.ask !== undefined) {
    const { host: _host, model: _model, ...rest } = known;
    return { ...rest, ...given };
  }
  if (given.model === undefined && given.host === undefined) return { ...known, ...given };
  const { ask: _ask, ...rest } = known;
  // The name of a function is no name of a model.
  const { model: _model, ...others } = rest;
  return { ...(known.ask === undefined ? rest : others), ...given };
}

/** The judge with every default filled in; undefined when there is none. */
export function resolveJudge(
  given: Given | undefined,
  env: Readonly<Record<string, string | undefined>>,
): Config["judge"] {
  if (given === undefined || given === false) return undefined;
  const { model, ask, host, ...rest } = optionsOf(given);
  const address = host ?? (ask === undefined ? env["OLLAMA_HOST"] : undefined);
  return {
    model: model ?? (ask === undefined ? MODEL : nameOf(ask)),
    ...(ask === undefined ? {} : { ask }),
    ...(address === undefined || address === "" ? {} : { host: address }),
    timeoutMs: rest.timeoutMs ?? 120_000,
    concurrency: rest.concurrency ?? 2,
    minConfidence: rest.minConfidence ?? 0.6,
    gate: rest.gate ?? false,
  };
}

function optionsOf(given: Exclude<Given, false>): Options {
  if (typeof given === "function") return { ask: given };
  if (typeof given === "string") return given.includes("#") ? { ask: given } : { model: given };
  if (given === true) return {};
  return Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined),
  ) as Options;
}

function nameOf(ask: NonNullable<Options["ask"]>): string {
  if (typeof ask === "string") return ask;
  return ask.name === "" ? "a function" : ask.name;
}
