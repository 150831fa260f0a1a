import { Agent, request } from "node:https";
import { connect } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Sandbox, selfSigned, startSandbox } from "../index.ts";
import { ask, KEY, signed } from "../testing/client.ts";

const tls = selfSigned();
let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ tls });
});
afterAll(() => sandbox.close());

/** Sends a GET over HTTPS, trusting only the certificate of the sandbox. */
function askSecurely(url: string, headers: Record<string, string>): Promise<number> {
  const agent = new Agent({ ca: tls.cert });
  return new Promise((resolve, reject) => {
    const options = { agent, headers: { "user-agent": "test", ...headers } };
    request(url, options, (response) => {
      response.resume().once("end", () => resolve(response.statusCode ?? 0));
    })
      .once("error", reject)
      .end();
  });
}

test("with a certificate, one port serves HTTP and HTTPS", async () => {
  const path = `/v2/blog/demo/info?${KEY}`;
  const { port } = new URL(sandbox.url);
  expect(sandbox.httpsUrl).toBe(`https://127.0.0.1:${port}`);
  expect(await askSecurely(sandbox.httpsUrl + path, {})).toBe(200);
  expect(await askSecurely(`https://localhost:${port}${path}`, {})).toBe(200);
  expect((await ask(sandbox.url + path)).status).toBe(200);
});

test("an OAuth 1.0a signature of a request over HTTPS covers the https address", async () => {
  const path = "/v2/blog/demo/info";
  const https = sandbox.httpsUrl + path;
  expect(await askSecurely(https, signed(https))).toBe(200);
  expect(await askSecurely(https, signed(sandbox.url + path))).toBe(401);
  expect((await ask(sandbox.url + path, { headers: signed(https) })).status).toBe(401);
});

test("endpoints that require HTTPS reject HTTP", async () => {
  const strict = await startSandbox({ tls, requireHttps: true });
  const path = `/v2/blog/demo/info?${KEY}`;
  expect((await ask(strict.url + path)).status).toBe(404);
  expect(await askSecurely(strict.httpsUrl + path, {})).toBe(200);
  await strict.close();
});

test("silent or disconnected connections do not delay closing", async () => {
  const other = await startSandbox({ tls });
  const { port } = new URL(other.url);
  const silent = connect(Number(port), "127.0.0.1");
  await new Promise((resolve) => silent.once("connect", resolve));
  const closed = new Promise((resolve) => silent.once("close", resolve));
  silent.resume();
  const leaving = connect(Number(port), "127.0.0.1", () => leaving.end());
  await new Promise((resolve) => leaving.resume().once("close", resolve));
  await other.close();
  await closed;
});
