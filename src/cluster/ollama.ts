import { failure } from "../shared/error.ts";
import { sha256 } from "../shared/hash.ts";
import { ollamaEmbed, type OllamaOptions } from "../shared/ollama.ts";
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

export interface OllamaEmbedderOptions extends OllamaOptions {
  /** Default `nomic-embed-text`. */
  readonly model?: string;
  /** Vectors of an earlier time are taken from there, and new ones are kept there. */
  readonly shelf?: VectorShelf;
}

const BATCH = 64;

/**
 * An embedder of a local Ollama, for these texts: it is asked once for each that the shelf does not know, and never for
 * others. Vectors of another model or dimension are not used, nor those of a model that had this name before. Throws
 * E_EMBEDDER_ANSWER, and E_OLLAMA_* when it does not answer.
 */
export async function ollama(
  texts: readonly string[],
  options: OllamaEmbedderOptions = {},
): Promise<Embedder> {
  const model = options.model ?? "nomic-embed-text";
  // Whatever runs under the name now: a model may have been replaced since vectors of it were kept.
  const [probe = new Float32Array()] = await asked(["probe"], model, options);
  const dimensions = probe.length;
  const name = `ollama:${model}#${printOf(probe)}`;
  // Servers differ in what they make of an empty text.
  const known = new Map([["", unit(new Float32Array(dimensions))]]);
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

/** Tells two models of one name apart. Rounded, as the last digits may differ between two machines. */
function printOf(probe: Float32Array): string {
  return sha256(Array.from(probe, (value) => String(Math.round(value * 1000))).join(" "), 8);
}

async function asked(
  input: readonly string[],
  model: string,
  { host, timeoutMs }: OllamaOptions,
): Promise<Float32Array[]> {
  return vectorsIn(await ollamaEmbed({ model, input }, { host, timeoutMs }), input.length, model);
}

function vectorsIn(lists: unknown, count: number, model: string): Float32Array[] {
  if (!Array.isArray(lists) || lists.length !== count)
    throw wrongAnswer(model, `its answer does not have ${count} vectors`);
  return lists.map((list: unknown) => {
    const isVector =
      Array.isArray(list) && list.length > 0 && list.every((value) => isFloat(value));
    if (!isVector) throw wrongAnswer(model, "one of its vectors is no list of numbers");
    // Of those, every text would be like every other.
    if (list.every((value) => value === 0)) throw wrongAnswer(model, "one of its vectors is zero");
    return unit(Float32Array.from(list as number[]));
  });
}

function isFloat(value: unknown): boolean {
  return typeof value === "number" && Number.isFinite(Math.fround(value));
}

function wrongAnswer(model: string, because: string): Error {
  return failure("E_EMBEDDER_ANSWER", {
    to: `get vectors of ${model} from Ollama`,
    because,
    fix: "Name a model that gives vectors, as nomic-embed-text, or leave --embedder out",
  });
}
