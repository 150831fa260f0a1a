import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import https from "node:https";
import { tmpdir } from "node:os";
import path from "node:path";
import tls from "node:tls";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { EchoService } from "../gen/echo/v1/echo_pb.ts";
import { Metrics } from "../metrics/metrics.ts";
import { type Server, startServer } from "../server.ts";
import { echoService } from "../testing/echo.ts";
import { type SelfSigned, selfSigned } from "../testing/self-signed.ts";
import { readCertificate } from "./certificate.ts";

const directory = mkdtempSync(path.join(tmpdir(), "connect-rest-mutual-tls-"));
const fileOf = (name: string, text: string) => {
  const file = path.join(directory, name);
  writeFileSync(file, text);
  return file;
};

const own = selfSigned("own");
const alice = selfSigned("alice");
const bob = selfSigned("bob");
const mallory = selfSigned("mallory");
const files = {
  certificate: fileOf("own.crt", own.certificate),
  key: fileOf("own.key", own.key),
  clientCa: fileOf("alice-and-bob.crt", `Ours:\n${alice.certificate}\n${bob.certificate}`),
};

let server: Server;
beforeAll(async () => {
  server = await startServer({ ...echoService, tls: files });
});
afterEach(() => server.reload({ tls: files }));
afterAll(async () => {
  await server.close();
  rmSync(directory, { recursive: true });
});

test("the metrics count failed handshakes and show the expiry time of the certificate", async () => {
  const metrics = new Metrics();
  const other = await startServer({ ...echoService, tls: files, metrics });
  await statusFor(undefined, other);
  await statusFor(alice, other);
  const { body } = await metrics.render();
  expect(body).toContain("\nconnect_rest_tls_failures_total 1\n");
  expect(body).toContain(
    `\nconnect_rest_certificate_expiry_timestamp_seconds ${Date.UTC(2049, 11, 31, 23, 59, 59) / 1000}\n`,
  );
  await other.close();
});

/** Returns the response status for a client with this certificate, or "rejected" if its handshake fails. */
function statusFor(client?: SelfSigned, { url }: Server = server): Promise<number | "rejected"> {
  return new Promise((resolve) => {
    const identity = client && { cert: client.certificate, key: client.key };
    const options = { ca: own.certificate, agent: false, ...identity };
    https
      .get(`${url}/healthz`, options, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      })
      .on("error", () => resolve("rejected"));
  });
}

test("only clients with a certificate of the configured authorities are served", async () => {
  expect(await statusFor(alice)).toBe(200);
  expect(await statusFor(bob)).toBe(200);
  expect(await statusFor(mallory)).toBe("rejected");
  expect(await statusFor()).toBe("rejected");
});

test("a client certificate that has expired is rejected", async () => {
  const old = selfSigned("old", "200102000000Z");
  const withOld = { ...files, clientCa: fileOf("old-and-alice.crt", old.certificate + alice.certificate) };
  const other = await startServer({ ...echoService, tls: withOld });
  expect(await statusFor(old, other)).toBe("rejected");
  expect(await statusFor(alice, other)).toBe(200);
  await other.close();
});

test("a chain of a thousand certificates is rejected and counted, and other clients are served", async () => {
  const metrics = new Metrics();
  const other = await startServer({ ...echoService, tls: files, metrics });
  const filler = selfSigned("filler").certificate;
  const long = { certificate: mallory.certificate + filler.repeat(1000), key: mallory.key };
  const attacks = Array.from({ length: 20 }, () => statusFor(long, other));
  for (let call = 0; call < 5; call++) expect(await statusFor(alice, other)).toBe(200);
  expect(new Set(await Promise.all(attacks))).toEqual(new Set(["rejected"]));
  expect((await metrics.render()).body).toContain("\nconnect_rest_tls_failures_total 20\n");
  await other.close();
});

test("renegotiation is rejected", async () => {
  const socket = tls.connect({
    port: server.port,
    host: "127.0.0.1",
    ca: own.certificate,
    cert: alice.certificate,
    key: alice.key,
    maxVersion: "TLSv1.2",
    ALPNProtocols: ["http/1.1"],
  });
  await new Promise((resolve) => socket.once("secureConnect", resolve));
  const rejected = new Promise((resolve) => {
    socket.on("error", resolve);
    socket.renegotiate({ rejectUnauthorized: false }, resolve);
  });
  expect(await rejected).toBeInstanceOf(Error);
  socket.destroy();
  expect(await statusFor(alice)).toBe(200);
});

test("a certificate without the matching key is rejected", async () => {
  expect(await statusFor({ certificate: alice.certificate, key: mallory.key }).catch(() => "rejected")).toBe(
    "rejected",
  );
});

test("a client with a certificate of the configured authorities may call over HTTP/2", async () => {
  const nodeOptions = { ca: own.certificate, cert: alice.certificate, key: alice.key };
  const transport = createGrpcTransport({ baseUrl: server.url, nodeOptions });
  expect((await createClient(EchoService, transport).echo({ text: "a" })).text).toBe("a");
});

test("after a reload, new connections need a certificate of the new authorities", async () => {
  server.reload({ tls: { ...files, clientCa: fileOf("mallory.crt", mallory.certificate) } });
  expect(await statusFor(mallory)).toBe(200);
  expect(await statusFor(alice)).toBe("rejected");
});

/** Returns the response status on a TLS connection, and the session for resumption. */
async function connectAs({ certificate: cert, key }: SelfSigned, session?: Buffer) {
  const options = { port: server.port, host: "127.0.0.1", ca: own.certificate, cert, key };
  const socket = tls.connect({ ...options, ...(session === undefined ? {} : { session }) });
  let ticket: Buffer | undefined;
  let text = "";
  socket.on("session", (given) => {
    ticket = given;
  });
  socket.on("data", (chunk) => {
    text += String(chunk);
  });
  socket.on("error", () => undefined);
  socket.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  await new Promise((resolve) => socket.once("close", resolve));
  return {
    status: /^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? "rejected",
    ticket,
    isReused: socket.isSessionReused(),
  };
}

test("after a reload with new authorities, an earlier TLS session cannot be resumed without their certificate", async () => {
  const { status, ticket } = await connectAs(alice);
  expect(status).toBe("200");
  expect(await connectAs(alice, ticket)).toMatchObject({ status: "200" });
  server.reload({ tls: { ...files, clientCa: fileOf("mallory.crt", mallory.certificate) } });
  expect(await connectAs(alice, ticket)).toMatchObject({ status: "rejected" });
});

test.each([
  ["no content", ""],
  ["a private key", alice.key],
  ["a truncated certificate", alice.certificate.replace(/\n.*\n/, "\n")],
])("a client CA file with %s is rejected before the server listens", (_, text) => {
  const clientCa = fileOf("wrong.crt", text);
  expect(() => readCertificate({ ...files, clientCa })).toThrow(/^the client CA .*wrong\.crt has /);
});
