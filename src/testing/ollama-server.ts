import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import type { JudgeAnswer } from "../detector/judge.ts";

/** What a client of `/api/chat` sends. */
export interface ChatBody {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly stream: boolean;
  readonly format: unknown;
  readonly options: Readonly<Record<string, number>>;
}

/** Answers one request; what it returns is the whole body, or the content of a model's message. */
export type Reply = (
  body: ChatBody,
  response: ServerResponse,
) => string | JudgeAnswer | undefined | Promise<string | JudgeAnswer | undefined>;

export interface OllamaServer {
  /** As `OLLAMA_HOST` has it. */
  readonly host: string;
  /** What was asked, in order. */
  readonly asked: ChatBody[];
  /** Prompts that were asked. */
  prompts(): string[];
  /** Most requests that were under way at once. */
  most(): number;
  /** Headers of the last request. */
  headers(): Readonly<Record<string, string | string[] | undefined>>;
  /** Decides what is answered from now on; a returned answer is a model's message, undefined means that the reply was sent. */
  answers(reply: Reply): void;
}

/** A server that speaks Ollama's API of `/api/chat` without streaming; it ends with the test. */
export async function ollamaServer(
  reply: Reply = () => ({ off_track: false }),
): Promise<OllamaServer> {
  const asked: ChatBody[] = [];
  let [now, most] = [0, 0];
  let current = reply;
  let headers: Readonly<Record<string, string | string[] | undefined>> = {};
  const server = createServer((request, response) => {
    headers = request.headers;
    now += 1;
    most = Math.max(most, now);
    response.on("close", () => (now -= 1));
    let text = "";
    request.setEncoding("utf8");
    request.on("data", (chunk: string) => (text += chunk));
    request.on("end", () => {
      if (request.method !== "POST" || !request.url?.endsWith("/api/chat")) {
        response.writeHead(404, { "content-type": "text/plain" });
        response.end("404 page not found");
        return;
      }
      const body = JSON.parse(text) as ChatBody;
      asked.push(body);
      void send(current, body, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    prompts: () => asked.map(({ messages }) => messages[0]?.content ?? ""),
    most: () => most,
    headers: () => headers,
    answers(next) {
      current = next;
    },
  };
}

async function send(reply: Reply, body: ChatBody, response: ServerResponse): Promise<void> {
  const answer = await reply(body, response);
  if (answer === undefined) return;
  const content = typeof answer === "string" ? answer : JSON.stringify(answer);
  response.writeHead(200, { "content-type": "application/json; charset=utf-8" });
  response.end(
    JSON.stringify({
      model: body.model,
      created_at: "2025-01-01T00:00:00.000Z",
      message: { role: "assistant", content },
      done: true,
      done_reason: "stop",
      total_duration: 1,
      eval_count: 1,
    }),
  );
}

/** A reply of any status and body. */
export function refusing(status: number, body: unknown, type = "application/json"): Reply {
  return (_body, response) => {
    response.writeHead(status, { "content-type": type });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
    return undefined;
  };
}
