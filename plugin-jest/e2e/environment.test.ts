import { expect, test } from "vitest";
import { reproFor } from "../../plugin-vitest/e2e/desk.ts";
import { config, desk } from "./desk.ts";

const LIVE = `const { createServer } = require("node:http");
test("live", async () => {
  const server = createServer((_, answer) => answer.end("hello"));
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  expect(await (await fetch("http://127.0.0.1:" + server.address().port)).text()).toBe("hello");
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
});
`;

const PRAGMA = "/** \u0040jest-environment twiceshy/jest/environment */\n";

/** Ways to the network, each as it gives the error that stopped it; the last two are not reached, as the documentation says. */
const WAYS: Readonly<Record<string, string>> = {
  fetch: `fetch(url).catch((error) => error.cause)`,
  "a fetch bound before the test": `early(url).catch((error) => error.cause)`,
  "http.get": `failed(http.get(url))`,
  "an http agent built before the test": `failed(http.request(url, { agent }).end())`,
  "https.request": `failed(https.request("https://127.0.0.1:39871/").end())`,
  "net.connect": `failed(net.connect(39871, "127.0.0.1"))`,
  "a socket built before the test": `failed(socket.connect(39871, "127.0.0.1"))`,
  "a unix socket": `failed(net.connect("/tmp/no-such.sock"))`,
  "tls.connect": `failed(tls.connect(39871, "127.0.0.1"))`,
  http2: `failed(http2.connect("http://127.0.0.1:39871"))`,
  dgram: `new Promise((done) => dgram.createSocket("udp4").send("x", 39871, "127.0.0.1", done))`,
  "dns.lookup": `new Promise((done) => dns.lookup("example.com", done))`,
  "dns.promises": `dns.promises.resolve4("example.com").catch((error) => error)`,
  "a resolver": `new dns.promises.Resolver().resolve4("example.com").catch((error) => error)`,
};

const GUARDED = `${PRAGMA}const http = require("node:http"), https = require("node:https"), net = require("node:net");
const tls = require("node:tls"), http2 = require("node:http2"), dgram = require("node:dgram"), dns = require("node:dns");
const url = "http://127.0.0.1:39871/";
const early = fetch;
const agent = new http.Agent({ keepAlive: true });
const socket = new net.Socket();
const failed = (emitter) => new Promise((done) => emitter.on("error", done));
${Object.entries(WAYS)
  .map(
    ([way, code]) => `test(${JSON.stringify(way)}, async () => {
  const error = await (${code});
  expect(error.code).toBe("E_NETWORK_BLOCKED");
  expect(error.message).toContain("the live network is closed");
  expect(error instanceof Error).toBe(true);
});`,
  )
  .join("\n")}
`;

const AGENT = `exports.run = async function run(task, { call }) {
  if (task.endsWith("net")) await fetch("http://billing.example.com/").catch(() => undefined);
  await call("refund", { id: task.split(" ")[0] }).catch(() => undefined);
  return { status: "blocked", message: "The refund was declined: card closed" };
};
`;

test.each([
  ["in Jest's own process", []],
  ["in workers", ["--workers=2"]],
])(
  "%s fourteen ways to the network are refused where the environment is, and only there",
  async (_, args) => {
    const repros = [reproFor("A-1 net"), reproFor("A-2 ok")];
    const p = desk(
      repros,
      {},
      {
        "a-live.test.js": LIVE,
        "b-guarded.test.js": GUARDED,
        "c-live.test.js": LIVE,
        "src/agent.js": AGENT,
      },
    );
    const run = await p.run("-u", ...args);
    const tests = run.json.testResults.flatMap((file) => file.assertionResults);
    const seen = tests.map(({ title, status }) => `${title.split(" [")[0] ?? ""}: ${status}`);
    const passed = ["live", "live", "A-1 net", "A-2 ok", ...Object.keys(WAYS)];
    expect(seen.sort()).toEqual(passed.map((title) => `${title}: passed`).sort());
    expect(p.read("tests/failures/desk.baseline.json")).toContain("unreplayable");
    expect(run.code).toBe(0);
  },
);

test("a host that the options name may be reached", async () => {
  const p = desk([], {}, { "live.test.js": PRAGMA + LIVE });
  expect((await p.run()).code).toBe(1);
  p.write({ "jest.config.js": config('network: ["127.0.0.1"]') });
  expect(await p.run()).toMatchObject({ code: 0 });
  const own = '{ testEnvironmentOptions: { twiceshy: { network: ["localhost"] } } }';
  p.write({ "jest.config.js": config("", own) });
  expect(await p.run()).toMatchObject({ code: 0 });
});
