import { loadFunction } from "../agent/load.ts";
import type { Config } from "../config/config.ts";
import type { JudgeFunction } from "../detector/judge.ts";
import type { Judge } from "../generate/judging.ts";
import { openModules } from "../runner/import-module.ts";
import { deadline } from "../shared/clock.ts";
import { failure, TwiceshyError } from "../shared/error.ts";
import { sha256 } from "../shared/hash.ts";
import { isLocalHost, ollamaChat } from "../shared/ollama.ts";
import type { RedactOptions } from "../shared/redact.ts";
import { secretVariables } from "../shared/secret-variables.ts";
import { oneLine } from "../shared/text.ts";
import type { Io } from "./io.ts";

type JudgeConfig = NonNullable<Config["judge"]>;

/** A judge, and how to let it go. */
export interface OpenJudge extends Judge {
  close(): Promise<void>;
}

/** The configured judge, ready to be asked. Throws E_OLLAMA_HOST, E_JUDGE_SPEC, E_JUDGE_MISSING, E_JUDGE_IMPORT, E_JUDGE_EXPORT. */
export async function openJudge(
  config: Config,
  judge: JudgeConfig,
  { env }: Pick<Io, "env">,
): Promise<OpenJudge> {
  const { model, ask, concurrency, minConfidence, gate } = judge;
  const common = { model, concurrency, minConfidence, gate };
  if (ask === undefined) {
    const local = isLocalHost(judge.host);
    return {
      ...common,
      name: `ollama:${model}`,
      ask: ollamaAsk(judge),
      ...(local ? {} : { redact: redactionOf(config, env) }),
      close: () => Promise.resolve(),
    };
  }
  const modules = openModules(config.root);
  const load = (spec: string): Promise<unknown> =>
    loadFunction(spec, config.root, {
      importModule: (url) => modules.importModule(url),
      role: "judge",
    });
  const loaded = (typeof ask === "string" ? await load(ask) : ask) as JudgeFunction;
  return {
    ...common,
    // A function that was changed is another judge; what it calls cannot be seen from here.
    name: `function:${model}:${sha256(String(loaded), 16)}`,
    ask: limited(loaded, judge),
    // Where a function sends it nobody knows.
    redact: redactionOf(config, env),
    close: () => modules.close(),
  };
}

/** A server that gives no answer is asked once more, as a judge is whose answer cannot be used. */
function ollamaAsk({ model, host, timeoutMs }: JudgeConfig): JudgeFunction {
  return async (prompt, { format }) => {
    const request = { model, prompt, format, contextTokens: contextFor(prompt) };
    try {
      return await ollamaChat(request, { host, timeoutMs });
    } catch (thrown) {
      if (!TwiceshyError.is(thrown) || thrown.code !== "E_OLLAMA_ANSWER") throw thrown;
      return ollamaChat(request, { host, timeoutMs });
    }
  };
}

const ANSWER_TOKENS = 1024;
const STEP = 4096;

/** Room for the prompt, generously; in few sizes, as Ollama loads a model anew for each. */
function contextFor(prompt: string): number {
  const plain = prompt.replace(/[^\x20-\x7e\n]/g, "").length;
  const tokens = plain / 3 + (prompt.length - plain) * 1.5 + ANSWER_TOKENS;
  return Math.ceil(tokens / STEP) * STEP;
}

/** Also where the traces of this machine are kept as they are, what leaves it is redacted. */
function redactionOf({ redact }: Config, env: Io["env"]): RedactOptions {
  const { off: _off, ...rest } = redact;
  return { environment: secretVariables(env), ...rest };
}

/** A function that does not answer in time is not waited for. */
function limited(ask: JudgeFunction, { model, timeoutMs }: JudgeConfig): JudgeFunction {
  return async (prompt, context) => {
    const controller = new AbortController();
    let callOff = (): void => undefined;
    const late = new Promise<never>((_resolve, reject) => {
      callOff = deadline(timeoutMs, () => {
        const error = failure("E_JUDGE_TIMEOUT", {
          to: `ask the judge ${oneLine(model, 100)}`,
          because: `there was no answer within ${timeoutMs} ms`,
          fix: 'Give it more time ("judge": { "timeoutMs": ... })',
        });
        reject(error);
        controller.abort(error);
      });
    });
    try {
      // A copy: what a function does to its trace is nobody else's business.
      const trace = structuredClone(context.trace);
      const asked = ask(prompt, { ...context, trace, signal: controller.signal });
      return await Promise.race([asked, late]);
    } finally {
      callOff();
    }
  };
}
