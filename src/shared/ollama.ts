import type { Ollama } from "ollama";
import { failure, messageOf, type TwiceshyError } from "./error.ts";
import type { Json } from "./json.ts";
import { oneLine } from "./text.ts";

export interface OllamaOptions {
  /** As `OLLAMA_HOST` has it: an address with or without `http://`. Default `127.0.0.1:11434`. */
  readonly host?: string | undefined;
  /** Longest wait for one answer, in milliseconds. Default 60,000. */
  readonly timeoutMs?: number | undefined;
}

export interface ChatRequest {
  readonly model: string;
  readonly prompt: string;
  /** JSON Schema that the answer must meet. */
  readonly format: Json;
  /** Tokens that the prompt and the answer may take; what is longer loses its beginning without a word. */
  readonly contextTokens: number;
}

const LONGEST_CHAT = 1024 * 1024;
const LONGEST_VECTORS = 64 * 1024 * 1024;
const PORT = 11_434;

/**
 * One answer of a model, asked to be as equal as it can be to the same question. Throws E_OLLAMA_HOST, E_OLLAMA_UNREACHABLE,
 * E_OLLAMA_TIMEOUT, E_OLLAMA_MODEL, E_OLLAMA_ANSWER.
 */
export async function ollamaChat(request: ChatRequest, options: OllamaOptions): Promise<string> {
  const { model, prompt, format, contextTokens } = request;
  const about = aboutOf(model, options, LONGEST_CHAT);
  const answer: unknown = await use(about, (client) =>
    client.chat({
      model,
      messages: [{ role: "user", content: prompt }],
      stream: false,
      format: format as object,
      options: { temperature: 0, seed: 1, num_ctx: contextTokens, num_predict: 1024 },
    }),
  );
  const content = memberOf(memberOf(answer, "message"), "content");
  if (typeof content !== "string") throw odd(about, "its answer has no message");
  return content;
}

/** What `/api/embed` gives for these texts, unchecked. Throws as `ollamaChat` does. */
export async function ollamaEmbed(
  { model, input }: { readonly model: string; readonly input: readonly string[] },
  options: OllamaOptions,
): Promise<unknown> {
  const answer: unknown = await use(aboutOf(model, options, LONGEST_VECTORS), (client) =>
    client.embed({ model, input: [...input] }),
  );
  return memberOf(answer, "embeddings");
}

/** Whether what is sent to this host stays on this machine. */
export function isLocalHost(host: string | undefined): boolean {
  const name = hostOf(host)
    .url.hostname.replace(/^\[|\]$/g, "")
    .replace(/\.$/, "");
  return name === "localhost" || name === "::1" || /^127(?:\.\d{1,3}){3}$/.test(name);
}

interface About {
  readonly model: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

function aboutOf(
  model: string,
  { host, timeoutMs = 60_000 }: OllamaOptions,
  maxBytes: number,
): About {
  const { url, headers } = hostOf(host);
  return { model, url: url.href.replace(/\/+$/, ""), headers, timeoutMs, maxBytes };
}

/** `localhost`, `0.0.0.0:11434`, `:1234`, `[::1]` and `https://user:key@host/path/` are all in use. */
function hostOf(given = ""): { url: URL; headers: Record<string, string> } {
  const plain = given.trim();
  try {
    const url = new URL(plain.includes("://") ? plain : `http://${withPort(plain)}`);
    if (!/^https?:$/.test(url.protocol)) throw new TypeError(`${url.protocol} is not http`);
    const key = decodeURIComponent(`${url.username}:${url.password}`);
    const headers: Record<string, string> =
      key === ":" ? {} : { authorization: `Basic ${Buffer.from(key).toString("base64")}` };
    [url.username, url.password, url.search, url.hash] = ["", "", "", ""];
    // The address on which a server listens to everybody is none to call.
    if (url.hostname === "0.0.0.0") url.hostname = "127.0.0.1";
    if (url.hostname === "[::]") url.hostname = "[::1]";
    return { url, headers };
  } catch {
    // What was given may hold a password.
    throw failure("E_OLLAMA_HOST", {
      to: "ask Ollama",
      because: `its host ${JSON.stringify(oneLine(plain.replace(/^.*@/, "…@"), 100))} is no address`,
      fix: 'Set OLLAMA_HOST as "127.0.0.1:11434" or "https://ollama.example"',
    });
  }
}

function withPort(plain: string): string {
  if (plain === "") return `127.0.0.1:${PORT}`;
  if (plain.startsWith(":")) return plain === "::1" ? `[::1]:${PORT}` : `127.0.0.1${plain}`;
  const [authority = "", ...path] = plain.split("/");
  const name = authority.replace(/^.*@/, "");
  const full = /:\d+$/.test(name) && !/^[^[]*:.*:/.test(name) ? authority : `${authority}:${PORT}`;
  return [full, ...path].join("/");
}

/** The only place that loads the client, when something is asked. */
async function use<T>(about: About, ask: (client: Ollama) => Promise<T>): Promise<T> {
  const loaded = await import("ollama");
  const client = new loaded.Ollama({
    host: about.url,
    headers: about.headers,
    fetch: capped(about),
  });
  try {
    return await ask(client);
  } catch (thrown) {
    throw explain(about, thrown);
  }
}

/** What the server said, when that was no answer. */
const REFUSED = Symbol("refused");
interface Refusal {
  readonly [REFUSED]: string;
  readonly status?: number;
}

/**
 * Fetch with a limit of time and length, which follows no redirect: it might lead to another machine. The client reads what is
 * no answer by printing notes, so it only gets answers.
 */
function capped({ timeoutMs, maxBytes }: About): typeof fetch {
  return async (url, init) => {
    const response = await fetch(url, {
      ...init,
      redirect: "error",
      signal: AbortSignal.timeout(timeoutMs),
    });
    const { status } = response;
    const text = await textOf(response, maxBytes);
    if (status !== 200) throw refusal(messageIn(text), status);
    return new Response(text, { headers: { "content-type": "application/json" } });
  };
}

async function textOf(response: Response, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > maxBytes) throw refusal(`its answer is longer than ${maxBytes / 1024 / 1024} MiB`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function refusal(because: string, status?: number): Error {
  const more: Refusal = { [REFUSED]: because, ...(status === undefined ? {} : { status }) };
  return Object.assign(new Error(because), more);
}

/** Ollama says what is wrong in `{ "error": "..." }`. */
function messageIn(text: string): string {
  try {
    const error = memberOf(JSON.parse(text), "error");
    if (typeof error === "string" && error !== "") return error;
  } catch {
    // A proxy's page is shown as it is.
  }
  return text.trim() === "" ? "nothing" : text;
}

function explain(about: About, thrown: unknown): TwiceshyError {
  const { url, model, timeoutMs } = about;
  const to = `ask ${oneLine(model, 100)} of Ollama at ${url}`;
  if (isRefusal(thrown)) {
    const { status, [REFUSED]: because } = thrown;
    if (status === undefined) return odd(about, because);
    const said = oneLine(because, 300).replace(/\.$/, "");
    if (status === 404 && /not found|try pulling/i.test(because) && /model/i.test(because)) {
      return failure("E_OLLAMA_MODEL", {
        to,
        because: said,
        fix: `Run "ollama pull ${oneLine(model, 100)}", or name a model that "ollama list" shows`,
      });
    }
    return odd(about, `it answered ${status}: ${said}`);
  }
  if (nameOf(thrown) === "TimeoutError") {
    return failure("E_OLLAMA_TIMEOUT", {
      to,
      because: `there was no answer within ${timeoutMs} ms`,
      fix: "Give it more time, or name a smaller model",
      cause: thrown,
    });
  }
  if (nameOf(thrown) === "SyntaxError") return odd(about, "its answer is no JSON");
  return failure("E_OLLAMA_UNREACHABLE", {
    to,
    because: oneLine(reasonOf(thrown), 300).replace(/\.$/, ""),
    fix: 'Start it ("ollama serve"), or set OLLAMA_HOST to where it runs',
    cause: thrown,
  });
}

function odd({ url, model }: About, because: string): TwiceshyError {
  return failure("E_OLLAMA_ANSWER", {
    to: `ask ${oneLine(model, 100)} of Ollama at ${url}`,
    because,
    fix: "See what the server says of it, and whether OLLAMA_HOST is an Ollama",
  });
}

function isRefusal(thrown: unknown): thrown is Refusal {
  return typeof thrown === "object" && thrown !== null && REFUSED in thrown;
}

function nameOf(thrown: unknown): unknown {
  return memberOf(thrown, "name");
}

/** "fetch failed" says nothing; what lies below it does. */
function reasonOf(thrown: unknown): string {
  const cause = memberOf(thrown, "cause");
  const text = cause === undefined ? "" : messageOf(cause);
  const code = memberOf(cause, "code");
  return text !== "" ? text : typeof code === "string" ? code : messageOf(thrown);
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
