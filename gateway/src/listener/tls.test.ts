import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import http2 from "node:http2";
import net from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import tls from "node:tls";
import { createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { EchoService } from "../gen/echo/v1/echo_pb.ts";
import { createLogger } from "../log/logger.ts";
import { type Server, startServer } from "../server.ts";
import { echoService } from "../testing/echo.ts";
import { parseAnswer } from "../testing/raw.ts";
import { type SelfSigned, selfSigned } from "../testing/self-signed.ts";
import { readCertificate } from "./certificate.ts";

const directory = mkdtempSync(path.join(tmpdir(), "connect-rest-tls-"));
const files = { certificate: path.join(directory, "tls.crt"), key: path.join(directory, "tls.key") };
const first = selfSigned("first");
const second = selfSigned("second");

/** Writes a file atomically, as tools that replace certificates should. */
function put(file: string, text: string): void {
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}

function use({ certificate, key }: SelfSigned): void {
  put(files.certificate, certificate);
  put(files.key, key);
}

let server: Server;
/**
 * A server with a header timeout of one second. With a shorter timeout, a handshake could fail on a busy
 * machine.
 */
let impatient: Server;
const LINES: Record<string, unknown>[] = [];
let onLine = () => {};
beforeAll(async () => {
  use(first);
  const log = createLogger("info", {
    write: (line: string) => {
      LINES.push(JSON.parse(line));
      onLine();
    },
  });
  const limits = { drainNoticeMs: 20 };
  server = await startServer({ ...echoService, tls: files, log, limits });
  impatient = await startServer({
    ...echoService,
    tls: files,
    limits: { ...limits, headersTimeoutMs: 1000 },
  });
});
afterAll(async () => {
  await Promise.all([server.close(), impatient.close()]);
  rmSync(directory, { recursive: true });
});

/** Resolves when the log has a new line that contains a string. */
function logged(text: string): Promise<void> {
  const from = LINES.length;
  return new Promise((resolve) => {
    onLine = () => {
      if (LINES.slice(from).some(({ msg }) => msg === text)) resolve();
    };
  });
}

const CA = [first.certificate, second.certificate];

/** Performs a handshake and returns the TLS socket. */
function shake(options: tls.ConnectionOptions, { port }: Server = server): Promise<tls.TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = tls.connect({ port, host: "127.0.0.1", ca: CA, ...options });
    socket.once("secureConnect", () => resolve(socket)).once("error", reject);
  });
}

function exchange(socket: tls.TLSSocket, text: string): Promise<string> {
  return new Promise((resolve) => {
    let received = "";
    socket.setEncoding("latin1").on("data", (chunk: string) => {
      received += chunk;
    });
    socket.on("error", () => undefined).on("close", () => resolve(received));
    socket.write(text);
  });
}

test.each([
  [
    "Connect, HTTP/1.1",
    () => createConnectTransport({ baseUrl: server.url, httpVersion: "1.1", nodeOptions: { ca: CA } }),
  ],
  [
    "Connect, HTTP/2",
    () => createConnectTransport({ baseUrl: server.url, httpVersion: "2", nodeOptions: { ca: CA } }),
  ],
  ["gRPC", () => createGrpcTransport({ baseUrl: server.url, nodeOptions: { ca: CA } })],
])("over TLS, %s is served", async (_name, transport) => {
  expect(server.url).toMatch(/^https:/);
  const before = LINES.length;
  expect((await createClient(EchoService, transport()).echo({ text: "safe" })).text).toBe("safe");
  // the log line is written when the connection has accepted the response, possibly after the client has read
  // it
  await expect.poll(() => LINES.slice(before)).toMatchObject([{ code: "ok", client: "127.0.0.1" }]);
});

test("over TLS, a long response arrives complete with HTTP/1.1 and HTTP/2", async () => {
  const text = "x".repeat(1_000_000);
  for (const httpVersion of ["1.1", "2"] as const) {
    const transport = createConnectTransport({ baseUrl: server.url, httpVersion, nodeOptions: { ca: CA } });
    expect((await createClient(EchoService, transport).echo({ text })).text.length).toBe(text.length);
  }
});

test.each([
  [["h2", "http/1.1"], "h2"],
  [["http/1.1", "h2"], "h2"],
  [["http/1.1"], "http/1.1"],
  [undefined, false],
])("a TLS client that offers the ALPN protocols %j gets %j", async (ALPNProtocols, agreed) => {
  const socket = await shake(ALPNProtocols === undefined ? {} : { ALPNProtocols });
  expect(socket.alpnProtocol).toBe(agreed);
  socket.destroy();
});

test("a TLS client that offers only unsupported ALPN protocols is rejected", async () => {
  await expect(shake({ ALPNProtocols: ["spdy/3"] })).rejects.toThrow(/no.application.protocol/i);
});

test("TLS 1.1 is rejected", async () => {
  await expect(
    shake({ maxVersion: "TLSv1.1", minVersion: "TLSv1.1", ciphers: "ALL:@SECLEVEL=0" }),
  ).rejects.toThrow();
});

test("over TLS, a malformed host is rejected as in cleartext", async () => {
  const answer = parseAnswer(await exchange(await shake({}), "GET / HTTP/1.1\r\nHost: [\r\n\r\n"));
  expect(answer.status).toBe(400);
  const session = http2.connect(server.url, { ca: CA });
  const stream = session.request({ ":path": "/healthz", ":authority": "[" });
  const status = await new Promise((resolve) => stream.once("response", (head) => resolve(head[":status"])));
  expect(status).toBe(400);
  session.destroy();
});

test("over TLS, slow headers get 408", async () => {
  const socket = await shake({}, impatient);
  expect(parseAnswer(await exchange(socket, "GET / HTTP/1.1\r\nHost: a\r\nX: ")).status).toBe(408);
});

test.each([
  ["nothing", ""],
  ["cleartext", "GET / HTTP/1.1\r\nHost: a\r\n\r\n"],
  ["half a hello", "\x16\x03\x01\x02\x00\x01\x00"],
  ["garbage", "\x00".repeat(1000)],
])("a client that sends %s in place of a TLS handshake is disconnected", async (_name, text) => {
  const socket = net.connect(impatient.port, "127.0.0.1");
  const closed = new Promise((resolve) => socket.on("error", () => undefined).once("close", resolve));
  socket.write(text, "latin1");
  socket.resume();
  await closed;
});

test("an invalid TLS record closes the connection", async () => {
  const raw = net.connect(server.port, "127.0.0.1");
  const socket = await new Promise<tls.TLSSocket>((resolve) => {
    const secured = tls.connect({ socket: raw, ca: CA, servername: "localhost" }, () => resolve(secured));
  });
  const closed = new Promise((resolve) => socket.on("error", () => undefined).once("close", resolve));
  raw.write(Buffer.alloc(100, 0x17));
  await closed;
});

test("after a certificate reload, new connections use the new certificate, and open connections stay open", async () => {
  const session = http2.connect(server.url, { ca: CA });
  const ask = () =>
    new Promise((resolve, reject) => {
      const stream = session.request({ ":path": "/healthz" });
      stream
        .once("response", (head) => resolve(head[":status"]))
        .once("error", reject)
        .resume();
    });
  expect(await ask()).toBe(200);
  const reloaded = logged("certificate reloaded");
  use(second);
  await reloaded;
  expect(await ask()).toBe(200);
  session.destroy();
  const socket = await shake({});
  expect(socket.getPeerCertificate().subject.CN).toBe("second");
  socket.destroy();
});

test("a new certificate that does not match its key is not used, and the failure is logged", async () => {
  const kept = logged("certificate not reloaded, the one before is kept");
  put(files.key, first.key);
  await kept;
  expect(LINES.at(-1)).toMatchObject({
    level: "error",
    cause: expect.stringContaining("are no certificate and its key: "),
  });
  const socket = await shake({});
  expect(socket.getPeerCertificate().subject.CN).toBe("second");
  socket.destroy();
});

test("missing and invalid certificate files are reported before the server listens", () => {
  const none = path.join(directory, "none");
  expect(() => readCertificate({ certificate: none, key: files.key })).toThrow(
    `the certificate ${none} cannot be read: ENOENT: no such file or directory, open '${none}'`,
  );
  writeFileSync(none, "-----BEGIN NOTHING-----");
  expect(() => readCertificate({ certificate: none, key: files.key })).toThrow(
    `${none} and ${files.key} are no certificate and its key: `,
  );
});
