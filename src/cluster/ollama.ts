import { failure, messageOf } from "../shared/error.ts";
import { unit, type Embedder } from "./embedder.ts";

/** Where vectors are kept, by model and number of dimensions; a store has both. */
export interface VectorShelf {
  vectors(
    model: string,
    dimensions: number,
  ): Iterable<{ readonly text: string; readonly vector: Float32Array }>;
  addVectors(
    model: string,
    dimensions: number,
    vectors: Iterable<{ readonly text: string; readonly vector: Float32Array }>,
  ): void;
}

export interface OllamaOptions {
  /** As `OLLAMA_HOST` has it: an address with or without `http://`. Default `127.0.0.1:11434`. */
  readonly host?: string;
  /** Default `nomic-embed-text`. */
  readonly model?: string;
  /** Vectors of an earlier time are taken from there, and new ones are kept there. */
  readonly shelf?: VectorShelf;
  /** Longest wait for one answer, in milliseconds. Default 60,000. */
  readonly timeoutMs?: number;
}

const BATCH = 64;

/**
 * An embedder of a local Ollama, for these texts: it is asked once for each that the shelf does not know, and never for
 * others. Vectors of another model or dimension are not used. Throws E_EMBEDDER_UNREACHABLE or E_EMBEDDER_ANSWER.
 */
export async function ollama(
  texts: readonly string[],
  options: OllamaOptions = {},
): Promise<Embedder> {
  const model = options.model ?? "nomic-embed-text";
  const name = `ollama:${model}`;
  // The dimension belongs to what runs now: a model of the same name may have been replaced.
  const [probe] = await asked(["probe"], model, options);
  const dimensions = probe?.length ?? 0;
  const known = new Map<string, Float32Array>();
  for (const { text, vector } of options.shelf?.vectors(name, dimensions) ?? [])
    known.set(text, vector);
  const missing = [...new Set(texts)].filter((text) => !known.has(text));
  for (let at = 0; at < missing.length; at += BATCH) {
    const batch = missing.slice(at, at + BATCH);
    const vectors = await asked(batch, model, options);
    const fresh = batch.flatMap((text, index) => {
      const vector = vectors[index];
      if (vector?.length !== dimensions) throw wrongAnswer(model, "its vectors differ in length");
      return [{ text, vector }];
    });
    for (const { text, vector } of fresh) known.set(text, vector);
    options.shelf?.addVectors(name, dimensions, fresh);
  }
  return {
    name,
    dimensions,
    embed(text) {
      const vector = known.get(text);
      if (vector === undefined) throw new RangeError(`no vector was asked for: ${text}`);
      return vector;
    },
  };
}

async function asked(
  input: readonly string[],
  model: string,
  { host, timeoutMs = 60_000 }: OllamaOptions,
): Promise<Float32Array[]> {
  const url = `${addressOf(host)}/api/embed`;
  let status: number;
  let text: string;
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model, input }),
      signal: AbortSignal.timeout(timeoutMs),
    });
    status = response.status;
    text = await response.text();
  } catch (cause) {
    throw failure("E_EMBEDDER_UNREACHABLE", {
      to: `ask Ollama at ${url} for vectors`,
      because: messageOf(cause),
      fix: "Start Ollama, or set OLLAMA_HOST to where it runs; without --embedder the built-in one is used",
      cause,
    });
  }
  if (status !== 200) throw wrongAnswer(model, `it answered ${status}: ${text.slice(0, 200)}`);
  return vectorsIn(text, input.length, model);
}

function vectorsIn(text: string, count: number, model: string): Float32Array[] {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    throw wrongAnswer(model, "its answer is no JSON");
  }
  const lists =
    typeof answer === "object" && answer !== null && "embeddings" in answer
      ? answer.embeddings
      : undefined;
  if (!Array.isArray(lists) || lists.length !== count)
    throw wrongAnswer(model, `its answer does not have ${count} vectors`);
  return lists.map((list: unknown) => {
    const isVector =
      Array.isArray(list) && list.length > 0 && list.every((value) => Number.isFinite(value));
    if (!isVector) throw wrongAnswer(model, "one of its vectors is no list of numbers");
    return unit(Float32Array.from(list as number[]));
  });
}

/** `localhost`, `0.0.0.0:11434` and `https://host/path/` are all in use. */
function addressOf(host = ""): string {
  const plain = host.trim().replace(/\/+$/, "");
  if (plain === "") return "http://127.0.0.1:11434";
  if (/^https?:\/\//i.test(plain)) return plain;
  return `http://${/:\d+(?:\/|$)/.test(plain) ? plain : `${plain}:11434`}`;
}

function wrongAnswer(model: string, because: string): Error {
  return failure("E_EMBEDDER_ANSWER", {
    to: `get vectors of ${model} from Ollama`,
    because,
    fix: `Run "ollama pull ${model}", or leave --embedder out`,
  });
}
