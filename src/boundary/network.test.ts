import { execFile } from "node:child_process";
import dgram from "node:dgram";
import dns, { lookup } from "node:dns";
import dnsPromises, { resolve4 } from "node:dns/promises";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import http, { get as httpGet, type Server } from "node:http";
import http2 from "node:http2";
import https from "node:https";
import { createRequire } from "node:module";
import net, { type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import tls from "node:tls";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { record } from "../agent/record.ts";
import { ROOT } from "../testing/imports.ts";
import { guardNetwork, type NetworkGuard } from "./network.ts";

const require = createRequire(import.meta.url);
let server: Server;
let port: number;
let url: string;

beforeAll(async () => {
  server = http.createServer((_, response) => response.end("live"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as AddressInfo).port;
  url = `http://127.0.0.1:${port}/`;
});

afterAll(() => void server.close());

function guarded(allow: readonly string[] = []): NetworkGuard {
  const guard = guardNetwork(allow);
  onTestFinished(() => guard.release());
  return guard;
}

function settled(emitter: NodeJS.EventEmitter): Promise<unknown> {
  return new Promise((resolve, reject) => {
    emitter.on("error", reject);
    for (const event of ["response", "connect", "secureConnect"]) emitter.on(event, resolve);
  });
}

function called(
  start: (callback: (error: unknown, value?: unknown) => void) => unknown,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    start((error, value) => (error ? reject(error) : resolve(value)));
  });
}

/** Every way to the network that Node has. */
const WAYS: Readonly<Record<string, () => Promise<unknown>>> = {
  fetch: () => fetch(url),
  "fetch of a host": () => fetch("https://api.example.com/"),
  "http.get": () => settled(http.get(url)),
  "http.get by name": () => settled(httpGet(url)),
  "http by require": () => settled((require("http") as typeof http).get(url)),
  "https.get": () => settled(https.get("https://api.example.com/")),
  "a keep-alive agent": () =>
    settled(http.get(url, { agent: new http.Agent({ keepAlive: true }) })),
  "net.connect to a port": () => settled(net.connect(port, "127.0.0.1")),
  "net.connect to a local socket": () => settled(net.connect({ path: "./none.sock" })),
  "new Socket().connect": () => settled(new net.Socket().connect({ port, host: "127.0.0.1" })),
  "tls.connect": () => settled(tls.connect(443, "api.example.com")),
  "http2.connect": () => settled(http2.connect("https://api.example.com")),
  "dgram send": async () => {
    const socket = dgram.createSocket("udp4");
    await called((done) => socket.send("x", 53, "8.8.8.8", done)).finally(() => socket.close());
  },
  "dgram connect": async () => {
    const socket = dgram.createSocket("udp4");
    await called((done) => socket.connect(53, "8.8.8.8", done as () => void)).finally(() =>
      socket.close(),
    );
  },
  "dns.lookup by name": () => called((done) => lookup("api.example.com", done)),
  "dns.lookup": () => called((done) => dns.lookup("api.example.com", done)),
  "promisified dns.lookup": () => promisify(dns.lookup)("api.example.com"),
  "dns/promises by name": () => resolve4("api.example.com"),
  "dns/promises": () => dnsPromises.lookup("api.example.com"),
  "dns.promises": () => dns.promises.resolve("api.example.com"),
  "a dns.Resolver": () => called((done) => new dns.Resolver().resolve4("api.example.com", done)),
  "a dns.promises.Resolver": () => new dnsPromises.Resolver().resolve4("api.example.com"),
};

test.each(Object.keys(WAYS))("%s is refused later, with the code and the host", async (way) => {
  const guard = guarded();
  let error: any;
  await WAYS[way]?.().catch((thrown: unknown) => (error = thrown));
  expect(error?.code ?? error?.cause?.code).toBe("E_NETWORK_BLOCKED");
  expect(String(error?.cause?.message ?? error.message)).toContain(
    guard.attempts[0]?.host ?? "no attempt",
  );
});

test("the message names the host and the tool that tried", async () => {
  const guard = guarded();
  const tools = { refund: async () => (await fetch("https://api.example.com/refund")).status };
  const trace = await record((_: unknown, { tools }: any) => tools.refund(), "x", { tools });
  expect(guard.attempts).toEqual([{ host: "api.example.com", port: 443, tool: "refund" }]);
  expect(trace.status).toBe("error");
  const [, step] = trace.steps;
  expect(step).toMatchObject({
    result: {
      error: {
        name: "TypeError",
        message: "fetch failed",
        data: { cause: { v: { code: "E_NETWORK_BLOCKED" } } },
      },
    },
  });
  expect(JSON.stringify(step)).toContain(
    "Failed to reach api.example.com:443 from the tool refund: the live network is closed while an agent is replayed.",
  );
});

test("listed hosts stay open, localhost means every loopback address", async () => {
  guarded(["localhost"]);
  expect(await (await fetch(url)).text()).toBe("live");
  expect(await (await fetch(`http://localhost:${port}/`)).text()).toBe("live");
  await expect(fetch("https://api.example.com")).rejects.toThrow("fetch failed");
});

test("an entry may have a port or stand for all subdomains", async () => {
  const guard = guarded([`127.0.0.1:${port}`, "*.example.com"]);
  expect(await (await fetch(url)).text()).toBe("live");
  await settled(net.connect(port + 1, "127.0.0.1")).catch(() => undefined);
  await settled(net.connect(1, "example.com")).catch(() => undefined);
  expect(guard.attempts).toEqual([
    { host: "127.0.0.1", port: port + 1 },
    { host: "example.com", port: 1 },
  ]);
});

/** The functions that a guard replaces. */
function replaced(): unknown[] {
  const holders = [
    net.Socket.prototype,
    dgram.Socket.prototype,
    dns,
    dns.promises,
    dns.Resolver.prototype,
  ];
  const names = ["connect", "send", "lookup", "resolve4", "reverse"];
  return holders.flatMap((holder) => names.map((name) => Reflect.get(holder, name) as unknown));
}

test("what is released is released completely, and not before the last guard", async () => {
  const before = replaced();
  const [a, b] = [guardNetwork([]), guardNetwork([])];
  a.release();
  a.release();
  await expect(fetch(url)).rejects.toThrow("fetch failed");
  expect(replaced()).not.toEqual(before);
  b.release();
  expect(await (await fetch(url)).text()).toBe("live");
  expect(replaced()).toEqual(before);
  expect(lookup).toBe(dns.lookup);
});

test("a connection that a client kept open is not used again", async () => {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const ask = async (): Promise<void> => {
    const response = (await settled(http.get(url, { agent }))) as http.IncomingMessage;
    for await (const _ of response.resume()) continue;
  };
  await ask();
  await (await fetch(url)).text();
  await new Promise((resolve) => setTimeout(resolve, 10));
  const guard = guarded();
  await expect(ask()).rejects.toMatchObject({ code: "E_NETWORK_BLOCKED" });
  await expect(fetch(url)).rejects.toMatchObject({ cause: { code: "E_NETWORK_BLOCKED" } });
  expect(guard.attempts).toMatchObject([{ port }, { port }]);
});

test("a server of the test itself still answers", async () => {
  const guard = guarded([`127.0.0.1:${port}`]);
  expect(await (await fetch(url)).text()).toBe("live");
  expect(guard.attempts).toEqual([]);
});

test("what runs within a guard is judged by it and by those that judge everything", async () => {
  const everything = guarded(["localhost"]);
  const [open, closed] = [guarded(["localhost"]), guarded()];
  open.within(() => undefined);
  closed.within(() => undefined);
  const ask = (to: string): Promise<unknown> =>
    fetch(to).then(
      ({ status }) => status,
      (error: any) => error.cause.code,
    );
  const tries = await Promise.all([
    open.within(() => ask(url)),
    closed.within(() => ask(url)),
    open.within(() => ask("http://203.0.113.7:81")),
  ]);
  expect(tries).toEqual([200, "E_NETWORK_BLOCKED", "E_NETWORK_BLOCKED"]);
  expect(open.attempts).toEqual([{ host: "203.0.113.7", port: 81 }]);
  expect(closed.attempts).toEqual([{ host: "127.0.0.1", port }]);
  expect(everything.attempts).toHaveLength(2);
});

test.each(["forks", "threads", "vmForks"])(
  "the guard closes and opens the network in a worker of the pool %s",
  async (pool) => {
    const dir = mkdtempSync(path.join(tmpdir(), "twiceshy-network-"));
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
    const file = JSON.stringify(path.join(ROOT, "src/boundary/network.ts"));
    writeFileSync(
      path.join(dir, "a.test.mjs"),
      `import { guardNetwork } from ${file}; import { expect, test } from "vitest"; import net from "node:net";
     const ask = () => new Promise((resolve) => net.connect(${port}, "127.0.0.1").on("connect", function () { this.end(); resolve("live"); }).on("error", (e) => resolve(e.code)));
     test("x", async () => {
       const guard = guardNetwork([]);
       expect(await ask()).toBe("E_NETWORK_BLOCKED");
       guard.release();
       expect(await ask()).toBe("live");
     });`,
    );
    const vitest = path.join(ROOT, "node_modules/vitest/vitest.mjs");
    const output = await new Promise<string>((resolve) => {
      execFile(
        process.execPath,
        [vitest, "run", "--root", dir, "--pool", pool],
        (_, stdout, stderr) => resolve(stdout + stderr),
      );
    });
    expect(output).toContain("1 passed");
  },
  60_000,
);
