import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import type { TLSSocket } from "node:tls";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type Run, runCli } from "../../gateway/src/testing/child.ts";
import { authority } from "../../runtime/src/testing/certificates.ts";
import { type EgressProxyServer, egressProxy } from "../../runtime/src/testing/egress-proxy.ts";

const ours = authority();
const client = ours.issue("the gateway");
const PASSWORD = "canary-of-the-proxy";
const TOKEN = Buffer.from(`me:${PASSWORD}`).toString("base64");

const directory = mkdtempSync(path.join(tmpdir(), "connect-rest-networks-"));
const files = { "ca.pem": ours.ca, "client.crt": client.cert, "client.key": client.key, password: PASSWORD };
for (const [name, text] of Object.entries(files)) writeFileSync(path.join(directory, name), text);
afterAll(() => rmSync(directory, { recursive: true }));

/**
 * The addresses of the upstream's callers. The upstream requires a client certificate, and its host name
 * differs from its address.
 */
const peers: unknown[] = [];
const sockets = new Set<Socket>();
const upstream = createServer(
  { ...ours.issue("api.internal"), ca: ours.ca, requestCert: true, rejectUnauthorized: true },
  (request, response) => {
    const socket = request.socket as TLSSocket & { readonly servername: string };
    peers.push([socket.getPeerCertificate().subject.CN, socket.servername, request.headers.host]);
    response.setHeader("content-type", "application/json").end('{"text":"echo"}');
  },
).on("connection", (socket: Socket) => sockets.add(socket));

let proxy: EgressProxyServer;
let rejecting: EgressProxyServer;
beforeAll(async () => {
  upstream.listen(0, "127.0.0.1");
  await once(upstream, "listening");
  const { port } = upstream.address() as AddressInfo;
  proxy = await egressProxy({ ports: { 443: `http://x:${port}` } });
  rejecting = await egressProxy({ status: 407 });
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  upstream.close();
  await proxy[Symbol.asyncDispose]();
  await rejecting[Symbol.asyncDispose]();
});

let run: Run | undefined;
afterEach(() => void run?.process.kill("SIGKILL"));

function start(command: string, proxySetting: string, env: Record<string, string> = {}): Run {
  const echo = path.resolve("gateway/src/testing/echo-rest.ts");
  const text = `
adapters: [${echo}]
upstreams:
  echo:
    baseUrl: https://api.example
    ${proxySetting}
    tls: { ca: ca.pem, certificate: client.crt, key: client.key, serverName: api.internal }
server: { limits: { drainNoticeMs: 10 } }
log: { level: trace }
`;
  writeFileSync(path.join(directory, "connect-rest.yaml"), text);
  run = runCli([command], directory, env);
  return run;
}

async function called(started: Run): Promise<string> {
  const url = (await started.line(/^gateway ready on /)).replace("gateway ready on ", "");
  const response = await fetch(`${url}/echo.v1.EchoService/Echo`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '{"text":"x"}',
  });
  const text = await response.text();
  started.process.kill("SIGTERM");
  expect(await started.exit).toBe(0);
  return text;
}

/** Checks that no text contains the proxy's password or the client's key. */
function expectNoSecret(...texts: readonly string[]): void {
  const [, line = ""] = client.key.split("\n");
  for (const text of texts) {
    for (const secret of [PASSWORD, TOKEN, line]) expect(text).not.toContain(secret);
  }
}

const explicit = () =>
  `proxy: { url: "${proxy.url}", username: { env: PROXY_USER }, password: { file: password } }`;
const withUser = (url: string) => url.replace("//", `//me:${PASSWORD}@`);

test("an upstream is reached through the configured proxy, with a client certificate", async () => {
  proxy.requests.length = 0;
  const started = start("serve", explicit(), { PROXY_USER: "me", HTTPS_PROXY: rejecting.url, NO_PROXY: "*" });
  expect(await called(started)).toBe('{"text":"echo"}');
  expect(proxy.requests).toMatchObject([
    { line: "CONNECT api.example:443", authorization: `Basic ${TOKEN}` },
  ]);
  expect(peers.at(-1)).toEqual(["the gateway", "api.internal", "api.example"]);
  const { stdout, stderr } = started.output();
  expectNoSecret(stdout, stderr);
});

test("an upstream is reached through the environment's proxy", async () => {
  proxy.requests.length = 0;
  const started = start("serve", "", { https_proxy: withUser(proxy.url) });
  expect(await called(started)).toBe('{"text":"echo"}');
  expect(proxy.requests).toMatchObject([{ authorization: `Basic ${TOKEN}` }]);
  const { stdout, stderr } = started.output();
  expectNoSecret(stdout, stderr);
});

test.each<[string, () => string, () => Record<string, string>]>([
  ["the configuration turns it off", () => "proxy: false", () => ({ HTTPS_PROXY: proxy.url })],
  ["NO_PROXY names the host", () => "", () => ({ HTTPS_PROXY: proxy.url, no_proxy: "example" })],
])("no proxy is used if %s", async (_why, setting, env) => {
  proxy.requests.length = 0;
  const text = await called(start("serve", setting(), env()));
  // The host does not exist, so the direct connection fails.
  expect(JSON.parse(text)).toMatchObject({ code: "unavailable" });
  expect(proxy.requests).toEqual([]);
});

test("a proxy's rejection is reported without the password", async () => {
  const started = start("serve", "", { HTTPS_PROXY: withUser(rejecting.url) });
  const text = await called(started);
  expect(JSON.parse(text)).toMatchObject({
    code: "internal",
    message: "upstream echo: the proxy rejected the request with status 407",
    details: [{ debug: { reason: "UPSTREAM_PROXY_REFUSED", domain: "echo" } }],
  });
  const { stdout, stderr } = started.output();
  expect(stderr).toContain("the proxy responded with 407");
  expectNoSecret(text, stdout, stderr);
});

test.each(["check-config", "print-config"])("%s contains no proxy password and no key", async (command) => {
  const started = start(command, explicit(), { PROXY_USER: "me", HTTPS_PROXY: withUser(proxy.url) });
  expect(await started.exit).toBe(0);
  const { stdout, stderr } = started.output();
  expectNoSecret(stdout, stderr);
  const wrong = start(command, "", { HTTPS_PROXY: `socks5://me:${PASSWORD}@proxy.example` });
  expect(await wrong.exit).toBe(command === "check-config" ? 2 : 0);
  expectNoSecret(wrong.output().stdout, wrong.output().stderr);
});
