import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { expect, test, vi } from "vitest";
import { ollamaServer, refusing } from "../testing/ollama-server.ts";
import { isLocalHost, ollamaChat, type ChatRequest } from "./ollama.ts";

const REQUEST: ChatRequest = {
  model: "llama3.2",
  prompt: "Well?",
  format: { type: "object" },
  contextTokens: 4096,
};

async function refusal(host: string, timeoutMs = 5000): Promise<string> {
  return ollamaChat(REQUEST, { host, timeoutMs }).then(
    (answer) => `answered ${answer}`,
    (thrown: Error & { code?: string }) =>
      `${thrown.code}: ${thrown.message.replaceAll(host, "HOST")}`,
  );
}

test("a model is asked without streaming, as steadily as it can, for an answer that meets a schema", async () => {
  const server = await ollamaServer(() => "Fine.");
  expect(await ollamaChat(REQUEST, { host: server.host })).toBe("Fine.");
  expect(server.asked).toEqual([
    {
      model: "llama3.2",
      messages: [{ role: "user", content: "Well?" }],
      stream: false,
      format: { type: "object" },
      options: { temperature: 0, seed: 1, num_ctx: 4096, num_predict: 1024 },
    },
  ]);
});

test("a model that is not there is named with the command that fetches it", async () => {
  const server = await ollamaServer(refusing(404, { error: "model 'llama3.2' not found" }));
  expect(await refusal(server.host)).toMatchInlineSnapshot(
    `"E_OLLAMA_MODEL: Failed to ask llama3.2 of Ollama at http://HOST: model 'llama3.2' not found. Run "ollama pull llama3.2", or name a model that "ollama list" shows."`,
  );
});

test("a server that fails, and one that is no Ollama, are quoted and nothing is printed", async () => {
  const printed = [vi.spyOn(console, "log"), vi.spyOn(console, "warn"), vi.spyOn(console, "error")];
  const server = await ollamaServer(
    refusing(500, { error: "llama runner process has terminated" }),
  );
  expect(await refusal(server.host)).toMatchInlineSnapshot(
    `"E_OLLAMA_ANSWER: Failed to ask llama3.2 of Ollama at http://HOST: it answered 500: llama runner process has terminated. See what the server says of it, and whether OLLAMA_HOST is an Ollama."`,
  );
  server.answers(refusing(502, "<html>\u001b[2JBad Gateway</html>", "text/html"));
  expect(await refusal(server.host)).toContain("it answered 502: <html>\\x1b[2JBad Gateway</html>");
  server.answers(refusing(404, "404 page not found", "text/plain"));
  expect(await refusal(server.host)).toMatch(/^E_OLLAMA_ANSWER: .*it answered 404/);
  expect(printed.map(({ mock }) => mock.calls)).toEqual([[], [], []]);
});

test.each([
  ["<html>", "its answer is no JSON"],
  ["{}", "its answer has no message"],
  ['{"message":{"content":7}}', "its answer has no message"],
  ["null", "its answer has no message"],
  ["", "its answer is no JSON"],
])("the body %j is an answer of nobody: %s", async (body, because) => {
  const server = await ollamaServer(refusing(200, body));
  expect(await refusal(server.host)).toContain(
    `E_OLLAMA_ANSWER: Failed to ask llama3.2 of Ollama at http://HOST: ${because}.`,
  );
});

test("an answer without end is cut off at a mebibyte", async () => {
  const server = await ollamaServer((_body, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    const more = (): void => {
      while (!response.destroyed && response.write("x".repeat(65_536)));
    };
    response.on("drain", more);
    more();
    return undefined;
  });
  expect(await refusal(server.host)).toContain("its answer is longer than 1 MiB");
});

test("a server that takes its time is not waited for, neither before nor within its answer", async () => {
  const server = await ollamaServer(() => new Promise(() => undefined));
  expect(await refusal(server.host, 150)).toMatchInlineSnapshot(
    `"E_OLLAMA_TIMEOUT: Failed to ask llama3.2 of Ollama at http://HOST: there was no answer within 150 ms. Give it more time, or name a smaller model."`,
  );
  server.answers((_body, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.write('{"message":');
    return undefined;
  });
  expect(await refusal(server.host, 150)).toContain("E_OLLAMA_TIMEOUT");
});

test("a server that is not there, and one that hangs up, say what to start", async () => {
  const nobody = createServer();
  nobody.listen(0, "127.0.0.1");
  await once(nobody, "listening");
  const { port } = nobody.address() as AddressInfo;
  nobody.close();
  expect(
    (await refusal(`127.0.0.1:${port}`)).replaceAll(String(port), "PORT"),
  ).toMatchInlineSnapshot(
    `"E_OLLAMA_UNREACHABLE: Failed to ask llama3.2 of Ollama at http://HOST: connect ECONNREFUSED HOST. Start it ("ollama serve"), or set OLLAMA_HOST to where it runs."`,
  );
  const server = await ollamaServer((_body, response) => {
    response.destroy();
    return undefined;
  });
  expect(await refusal(server.host)).toMatch(/^E_OLLAMA_UNREACHABLE: .*: other side closed/);
});

test("a redirect is not followed, as it may lead to another machine", async () => {
  const other = await ollamaServer(() => "reached");
  const server = await ollamaServer((_body, response) => {
    response.writeHead(307, { location: `http://${other.host}/api/chat` });
    response.end();
    return undefined;
  });
  expect(await refusal(server.host)).toMatch(/^E_OLLAMA_UNREACHABLE: .*redirect/);
  expect(other.asked).toEqual([]);
});

test("a name and password in the address are sent as such, and never shown", async () => {
  const server = await ollamaServer(() => "Fine.");
  const host = `http://grace:s3%40cret@${server.host}/`;
  expect(await ollamaChat(REQUEST, { host })).toBe("Fine.");
  expect(server.headers()["authorization"]).toBe(
    `Basic ${Buffer.from("grace:s3@cret").toString("base64")}`,
  );
  server.answers(refusing(401, { error: "no" }));
  await expect(ollamaChat(REQUEST, { host })).rejects.not.toThrow(/s3|grace/);
});

test.each(["http://", "ftp://host", "a b", "http://user:hidden@:x", "127.0.0.1:99999", "%zz"])(
  "the host %j is no address, which is said before anything is sent",
  async (host) => {
    const said = await ollamaChat(REQUEST, { host }).catch((thrown: Error) => thrown.message);
    expect(said).toMatch(/^Failed to ask Ollama: its host ".*" is no address\. Set OLLAMA_HOST/);
    expect(said).not.toContain("hidden");
  },
);

test.each([
  [undefined, true],
  ["", true],
  ["localhost", true],
  ["LOCALHOST:1", true],
  ["http://localhost./path", true],
  ["127.9.9.9:11434", true],
  [":1234", true],
  ["0.0.0.0", true],
  ["::1", true],
  ["[::1]:99", true],
  ["http://[::]:99", true],
  ["0x7f.1", true],
  ["localhost.evil.example", false],
  ["127.0.0.1.evil.example", false],
  ["http://127.0.0.1@evil.example", false],
  ["https://ollama.com", false],
  ["10.0.0.7", false],
  ["[::ffff:10.0.0.7]", false],
])("the host %j stays on this machine: %s", (host, local) => {
  expect(isLocalHost(host)).toBe(local);
});
