import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import http2 from "node:http2";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type Run, runCli } from "./testing/child.ts";
import { exchange } from "./testing/raw.ts";

/**
 * The planted secrets, by location. None of them may appear in any output, in full or in another encoding.
 */
const canaries = {
  apiKeyFile: "canary-01-key+from, a/file",
  consumerKeyEnv: "canary-02-consumer-key",
  consumerSecretEnv: "canary-03-consumer-secret",
  tokenFile: "canary-04-token",
  tokenSecretEnv: "canary-05-token-secret",
  accessTokenEnv: "canary-06-access-token",
  passedHeader: "canary-07-passed-key",
  foreignAuthorization: "canary-08-auth0rizat1on",
  cookie: "canary-09-cookie",
  requestBody: "canary-10-request-body",
  upstreamErrorBody: "canary-11-upstream-error",
  url: "canary-12-url-query",
  upstreamCookie: "canary-13-set-cookie",
  upstreamPage: "canary-14-error-page",
  traceBaggage: "canary-15-baggage",
  configPassword: "canary-16-config-password",
  configSecret: "canary-17-config-secret",
  basicUser: "canary-18-basic-user",
  basicPassword: "canary-19-basic-password",
} as const;

const directory = mkdtempSync(path.join(tmpdir(), "connect-rest-canary-"));
afterAll(() => rmSync(directory, { recursive: true }));

let upstream: http.Server;
let upstreamUrl = "";
let answer: (key: string, response: http.ServerResponse) => void = () => undefined;
beforeAll(async () => {
  upstream = http.createServer(({ headers }, response) => answer(secretIn(headers), response));
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  upstreamUrl = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
});
afterAll(() => {
  upstream.closeAllConnections();
  upstream.close();
});

/**
 * Returns the secret that authenticated a request: a key, or the user name of HTTP Basic, which some APIs use
 * for a token.
 */
function secretIn({ authorization = "", "x-api-key": key }: http.IncomingHttpHeaders): string {
  if (key !== undefined) return String(key);
  const [user = ""] = Buffer.from(authorization.replace("Basic ", ""), "base64").toString().split(":");
  return user;
}

const env = {
  BASIC_USER: canaries.basicUser,
  BASIC_PASSWORD: canaries.basicPassword,
  CONSUMER_KEY: canaries.consumerKeyEnv,
  CONSUMER_SECRET: canaries.consumerSecretEnv,
  TOKEN_SECRET: canaries.tokenSecretEnv,
  ACCESS_TOKEN: canaries.accessTokenEnv,
};

function writeConfig(apiKey: string): void {
  writeFileSync(path.join(directory, "key"), `${canaries.apiKeyFile}\n`);
  writeFileSync(path.join(directory, "token"), canaries.tokenFile);
  const text = `
adapters: [${path.resolve(import.meta.dirname, "testing/echo-rest.ts")}]
upstreams:
  echo:
    baseUrl: ${upstreamUrl}
    retry: false
    breaker: false
    credentials:
      ${apiKey}
      oauth1:
        consumerKey: { env: CONSUMER_KEY }
        consumerSecret: { env: CONSUMER_SECRET }
        token: { file: token }
        tokenSecret: { env: TOKEN_SECRET }
      oauth2: { accessToken: { env: ACCESS_TOKEN } }
server: { metrics: { port: 0 }, limits: { drainNoticeMs: 10, bodyIdleTimeoutMs: 100, unaryDeadlineMs: 2000 } }
log: { level: trace }
record: { file: recording.har }
`;
  writeFileSync(path.join(directory, "connect-rest.yaml"), text);
}

let run: Run | undefined;
afterEach(() => void run?.process.kill("SIGKILL"));

/** Upstream responses that repeat the request's secret or contain secrets of the upstream. */
const answers: Record<string, (key: string, response: http.ServerResponse) => void> = {
  "an answer": (_, response) => {
    response.setHeader("set-cookie", `session=${canaries.upstreamCookie}`);
    response.setHeader("content-type", "application/json").end('{"text":"fine"}');
  },
  drift: (_, response) => {
    response.setHeader("content-type", "application/json").end(`{"text":["${canaries.upstreamErrorBody}"]}`);
  },
  "the key in a text of 403": (key, response) => {
    response.writeHead(403, { "content-type": "text/plain" }).end(`the key ${key} may not do this`);
  },
  "the key in a text of 500": (key, response) => {
    response.writeHead(500, { "content-type": "text/plain" }).end(`crashed with ${key}`);
  },
  "a body of 500": (_, response) => {
    response.writeHead(500, { "content-type": "application/json" });
    response.end(`{"internal":{"password":"${canaries.upstreamErrorBody}"}}`);
  },
  "a page of 502": (_, response) => {
    response.writeHead(502, { "content-type": "text/html" }).end(`<h1>${canaries.upstreamPage}</h1>`);
  },
  "no JSON": (_, response) => {
    response.setHeader("content-type", "application/json").end(`<html>${canaries.upstreamPage}`);
  },
  "the key in a redirect": (key, response) => {
    response.writeHead(302, { location: `https://elsewhere.example/?key=${key}` }).end();
  },
  "its own rejection": (key, response) => {
    response.writeHead(401, { "content-type": "text/plain" }).end(`bad key ${key}`);
  },
  "a reset": (_, response) => void response.destroy(),
};

/** Encodings in which an upstream may repeat a request's secret. */
const SPELLINGS: Readonly<Record<string, (text: string) => string>> = {
  "as it is": (text) => text,
  "in upper case": (text) => text.toUpperCase(),
  "percent-encoded": encodeURIComponent,
  "percent-encoded throughout": (text) => Buffer.from(text).toString("hex").replace(/../g, "%$&"),
  "as JSON of ASCII": (text) =>
    text.replace(/[^a-z0-9]/g, (char) => `\\u00${Buffer.from(char).toString("hex")}`),
  "as base64": (text) => Buffer.from(text).toString("base64"),
  "as base64 behind a name": (text) => Buffer.from(`me:${text}`).toString("base64").slice(4),
  "as base64url": (text) => Buffer.from(text).toString("base64url"),
  "as hexadecimal": (text) => Buffer.from(text).toString("hex"),
  "without its beginning": (text) => text.slice(-12),
  "without its end": (text) => text.slice(0, 13),
  "without its middle": (text) => `${text.slice(0, 12)}...${text.slice(-12)}`,
  "between broken escapes": (text) => `%2${text.slice(1, 14)}\\u00${text.slice(-12)}&#`,
};

/**
 * Places where an upstream may repeat the secret. In some places, other text follows the secret, and the
 * whole exceeds the length at which the gateway truncates.
 */
const PLACES: Readonly<Record<string, (key: string, response: http.ServerResponse) => void>> = {
  "a header that is passed on": (key, response) => {
    response.setHeader("x-ratelimit-policy", `for ${key}`).setHeader("x-request-id", key);
    response.setHeader("content-type", "application/json").end('{"text":"fine"}');
  },
  "a header that is passed on with an error": (key, response) => {
    response.writeHead(429, { "retry-after": "0", "x-rate-limit-user": key }).end();
  },
  "the type of a body": (key, response) => {
    response.writeHead(200, { "content-type": `text/plain; for=${key}` }).end("no JSON");
  },
  "the encoding of a body": (key, response) => {
    response.writeHead(200, { "content-type": "application/json", "content-encoding": key }).end("{}");
  },
  "one of the encodings of a body": (key, response) => {
    response
      .writeHead(200, { "content-type": "application/json", "content-encoding": `gzip,${key},br` })
      .end("{}");
  },
  "a key of an object": (key, response) => {
    response
      .setHeader("content-type", "application/json")
      .end(JSON.stringify({ [key]: 1, text: { [key]: 2 } }));
  },
  "a key that is cut": (key, response) => {
    const long = "x".repeat(90) + key;
    response.setHeader("content-type", "application/json").end(JSON.stringify({ [long]: 1, text: "fine" }));
  },
  "a text that is cut": (key, response) => {
    response
      .writeHead(500, { "content-type": "text/plain" })
      .end(`${"y".repeat(280)} ${key} ${"z".repeat(300)}`);
  },
  "a type that is cut": (key, response) => {
    response.writeHead(200, { "content-type": `text/plain; a=${"y".repeat(470)}${key}` }).end("no JSON");
  },
  "where JSON breaks": (key, response) => {
    response.setHeader("content-type", "application/json").end(`{"text":${key}}`);
  },
  "an error in JSON": (key, response) => {
    response.writeHead(400, { "content-type": "application/json" });
    response.end(JSON.stringify({ error: { message: `no ${key}`, [key]: key } }));
  },
  "a redirect": (key, response) => {
    response.writeHead(307, { location: `https://elsewhere.example/${key}?k=${key}` }).end();
  },
  "a phrase": (key, response) => {
    response.writeHead(503, `no ${key}`).end();
  },
};

const headers = {
  authorization: `Bearer ${canaries.foreignAuthorization}`,
  cookie: `session=${canaries.cookie}`,
  baggage: `user=${canaries.traceBaggage}`,
  "x-echo-key": canaries.passedHeader,
};

/** Makes a call over each protocol, and returns everything that the client receives. */
async function callInEveryWay(url: string): Promise<string[]> {
  const target = `${url}/echo.v1.EchoService/Echo`;
  const body = JSON.stringify({ text: canaries.requestBody });
  const json = { ...headers, "content-type": "application/json" };
  const query = `?connect=v1&encoding=json&message=${encodeURIComponent(body)}&token=${canaries.url}`;
  const requests: [string, RequestInit][] = [
    [target, { method: "POST", headers: json, body }],
    [target, { method: "POST", headers: json, body: `{"text":"${canaries.requestBody}",` }],
    [target, { method: "POST", headers: json, body: `{"txt":"${canaries.requestBody}"}` }],
    [target, { method: "POST", headers: json, body: `{"count":-1,"text":"${canaries.requestBody}"}` }],
    [`${target}${query}`, { headers }],
    [`${url}/?token=${canaries.url}`, { headers }],
    [`${url}/healthz?token=${canaries.url}`, { method: "PUT", headers }],
    [target, { method: "PUT", headers: json, body }],
  ];
  const texts = await Promise.all(
    requests.map(async ([address, init]) => {
      const got = await fetch(address, init);
      return JSON.stringify([...got.headers]) + (await got.text());
    }),
  );
  return [...texts, await grpc(url, body)];
}

/** Makes one call, and returns everything that the client receives. */
async function echoOnce(url: string): Promise<string> {
  const body = JSON.stringify({ text: "a" });
  const got = await fetch(`${url}/echo.v1.EchoService/Echo`, {
    method: "POST",
    headers: { "x-echo-key": canaries.passedHeader, "content-type": "application/json" },
    body,
  });
  return JSON.stringify([...got.headers]) + (await got.text());
}

function grpc(url: string, body: string): Promise<string> {
  return new Promise((resolve) => {
    const session = http2.connect(url);
    const stream = session.request({
      ...headers,
      ":method": "POST",
      ":path": "/echo.v1.EchoService/Echo",
      "content-type": "application/grpc+json",
      te: "trailers",
    });
    let text = "";
    stream.on("response", (got) => {
      text += JSON.stringify(got);
    });
    stream.on("trailers", (got) => {
      text += decodeURIComponent(JSON.stringify(got));
    });
    stream.setEncoding("latin1").on("data", (chunk: string) => {
      text += chunk;
    });
    stream
      .on("error", () => undefined)
      .on("close", () => {
        session.close();
        resolve(text);
      });
    const prefix = Buffer.alloc(5);
    prefix.writeUInt32BE(body.length, 1);
    stream.end(Buffer.concat([prefix, Buffer.from(body)]));
  });
}

/** Expects that a string contains no canary in any encoding. */
function expectNone(where: string, text: string): void {
  const lower = text.toLowerCase();
  for (const [name, canary] of Object.entries(canaries)) {
    for (let at = 0; at + 12 <= canary.length; at++) {
      expect(lower.indexOf(canary.slice(at, at + 12)), `a part of ${name} in ${where}`).toBe(-1);
    }
    for (const [spelling, encode] of Object.entries(SPELLINGS)) {
      // the last base64 characters depend on the bytes that follow
      const at = lower.indexOf(encode(canary).replace(/=+$/, "").slice(0, -1).toLowerCase());
      if (at >= 0) {
        throw new Error(
          `${name}, ${spelling}, is in ${where}: ${text.slice(Math.max(0, at - 200), at + 60)}`,
        );
      }
    }
  }
}

/** Expects that the recording contains no canary except the texts that a declared field has. */
function expectNoneRecorded(): void {
  const { log } = JSON.parse(readFileSync(path.join(directory, "recording.har"), "utf8")) as Har;
  expect(log.entries.length).toBeGreaterThan(20);
  for (const entry of log.entries) {
    const text = JSON.stringify(entry).replaceAll(canaries.requestBody, "");
    expectNone("the recording", withoutOwn(entry.response.status === 200 ? "drift" : "", text));
  }
}

interface Har {
  readonly log: { readonly entries: ReadonlyArray<{ readonly response: { readonly status: number } }> };
}

const sources = {
  "the gateway's key": "apiKey: { file: key }",
  "the callers' keys": "passThrough: { apiKey: { header: x-echo-key } }",
  "a token as the user name of HTTP Basic": "basic: { username: { env: BASIC_USER } }",
  "a user name and a password": "basic: { username: { env: BASIC_USER }, password: { env: BASIC_PASSWORD } }",
};

describe.each(Object.keys(sources))("with %s as credentials", (source) => {
  test("the gateway leaks no secret while it serves calls, fails calls and drains", async () => {
    writeConfig(sources[source as keyof typeof sources]);
    run = runCli(["serve"], directory, env);
    const url = (await run.line(/^gateway ready on /)).replace("gateway ready on ", "");
    const metrics = (await run.line(/^metrics ready on /)).replace("metrics ready on ", "");
    for (const [name, next] of Object.entries(answers)) {
      answer = next;
      const texts = (await callInEveryWay(url)).map((text) => withoutOwn(name, text));
      // The upstream received its key, and repeated it.
      if (name === "the key in a text of 403") expect(texts[0]).toContain("the key [secret] may not do this");
      for (const [index, text] of texts.entries()) expectNone(`answer ${index} to "${name}"`, text);
    }
    const port = Number(new URL(url).port);
    const bad = `GET /x?${canaries.url} HTTP/1.1\r\nHost: ok\r\nAuthorization: ${canaries.foreignAuthorization}\r\n`;
    expectNone("a rejection", await exchange(port, `${bad}X-Bad\x01: 1\r\n\r\n`));
    expectNone("a rejection", await exchange(port, `${bad}X: ${"x".repeat(20_000)}\r\n\r\n`));
    expectNone("the metrics", await (await fetch(metrics)).text());
    for (const page of ["/", "/healthz", "/readyz"]) expectNone(page, await (await fetch(url + page)).text());
    run.process.kill("SIGTERM");
    expect(await run.exit).toBe(0);
    const { stdout, stderr } = run.output();
    expect(stderr.split("\n").length).toBeGreaterThan(50);
    expectNone("standard output", stdout);
    expectNone("standard error", stderr);
    expectNoneRecorded();
  });

  test("the gateway leaks no secret if its upstream repeats the request's secret in any place and encoding", async () => {
    writeConfig(sources[source as keyof typeof sources]);
    run = runCli(["serve"], directory, env);
    const url = (await run.line(/^gateway ready on /)).replace("gateway ready on ", "");
    const metrics = (await run.line(/^metrics ready on /)).replace("metrics ready on ", "");
    let taken = 0;
    for (const [place, give] of Object.entries(PLACES)) {
      for (const [spelling, encode] of Object.entries(SPELLINGS)) {
        answer = (key, response) => give(encode(key), response);
        const texts = await Promise.all([echoOnce(url), grpc(url, "{}")]);
        for (const text of texts) expectNone(`${spelling}, in ${place}`, text);
        if (texts.join().includes("[secret]")) taken++;
      }
    }
    expect(taken).toBeGreaterThan(30);
    expectNone("the metrics", await (await fetch(metrics)).text());
    run.process.kill("SIGTERM");
    expect(await run.exit).toBe(0);
    const { stdout, stderr } = run.output();
    expect(stderr.split("\n").length).toBeGreaterThan(100);
    expectNone("standard output", stdout);
    expectNone("standard error", stderr);
    expectNoneRecorded();
  });

  test.each(["print-config", "check-config"])("%s leaks no secret", async (command) => {
    writeConfig(sources[source as keyof typeof sources]);
    run = runCli([command], directory, env);
    expect(await run.exit).toBe(0);
    const { stdout, stderr } = run.output();
    expect(stdout.length).toBeGreaterThan(20);
    expectNone(command, stdout + stderr);
  });
});

/** Removes the values that the caller's own response may contain. */
function withoutOwn(answered: string, text: string): string {
  return answered === "drift" ? text.replaceAll(canaries.upstreamErrorBody, "") : text;
}

test.each(["serve", "check-config", "print-config"])(
  "%s explains an invalid configuration without printing its values",
  async (command) => {
    const wrong = `
adapters: [${path.resolve(import.meta.dirname, "testing/echo-rest.ts")}]
upstreams:
  echo: { baseUrl: "https://me:${canaries.configPassword}@echo.example/?key=${canaries.configSecret}", credentials: { apiKey: ${canaries.configSecret} } }
  slash: { baseUrl: "https://me:a/${canaries.configPassword}@echo.example/", redirects: { hosts: ["me:${canaries.configPassword}@a.example"] } }
server: { origins: ["https://me:${canaries.configPassword}@echo.example"] }
`;
    writeFileSync(path.join(directory, "connect-rest.yaml"), wrong);
    run = runCli([command], directory, env);
    expect(await run.exit).toBe(2);
    const { stdout, stderr } = run.output();
    expect(stderr).toContain("upstreams.echo.credentials.apiKey");
    expectNone(command, stdout + stderr);
  },
);
