import { once } from "node:events";
import type { RequestListener } from "node:http";
import { createServer } from "node:https";
import { type AddressInfo, connect, type Socket } from "node:net";
import type { TLSSocket, TlsOptions } from "node:tls";
import { inspect } from "node:util";
import { Code, createClient } from "@connectrpc/connect";
import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import { reasonOf } from "./errors/rest-error.ts";
import { RequestWriter } from "./request/request-writer.ts";
import { createRest } from "./rest.ts";
import { authority } from "./testing/certificates.ts";
import { egressProxy } from "./testing/egress-proxy.ts";
import { failureOf } from "./testing/failure.ts";
import { closedPort, httpUpstream, rawUpstream, respondingWith, sendJson } from "./testing/servers.ts";
import { downloadAdapter, StreamService, streamService } from "./testing/stream-service.ts";
import {
  type ThingVariant,
  thingAdapter,
  thingOf,
  thingRequest,
  thingService,
} from "./testing/thing-service.ts";
import { Secret } from "./text/secret.ts";
import type { Network } from "./upstream/hop-pools.ts";
import type { UpstreamOptions } from "./upstream/options.ts";

const DISPOSE: AsyncDisposable[] = [];

afterEach(async () => {
  for (const each of DISPOSE.splice(0).toReversed()) await each[Symbol.asyncDispose]();
});

async function started<T extends AsyncDisposable>(server: Promise<T>): Promise<T> {
  const running = await server;
  DISPOSE.push(running);
  return running;
}

const good: RequestListener = (_request, response) => sendJson(response, { id: 7 });

/** Starts an upstream with TLS, and returns its port. */
async function tlsUpstream(options: TlsOptions, listener: RequestListener = good): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer(options, listener).listen(0, "127.0.0.1");
  server.on("connection", (socket: Socket) => sockets.add(socket)).on("tlsClientError", () => undefined);
  await once(server, "listening");
  DISPOSE.push({
    [Symbol.asyncDispose]: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, "close");
    },
  });
  return (server.address() as AddressInfo).port;
}

function callOf(
  things: UpstreamOptions,
  { variant, network }: { readonly variant?: ThingVariant; readonly network?: Network } = {},
) {
  const rest = createRest({
    adapters: [thingService(variant)],
    upstreams: { things: { retry: false, breaker: false, ...things } },
    ...(network !== undefined && { network }),
  });
  DISPOSE.push({ [Symbol.asyncDispose]: () => rest.close() });
  return async () => thingOf((await rest.call(thingAdapter(variant), thingRequest({ name: "a" }))).bytes).id;
}

const ours = authority();

test("only an upstream whose certificate authority is configured is trusted", async () => {
  const port = await tlsUpstream(ours.issue("localhost"));
  const baseUrl = `https://localhost:${port}`;
  expect(await callOf({ baseUrl, tls: { ca: ours.ca } })()).toBe(7n);
  expect(await callOf({ baseUrl, tls: { ca: [authority().ca, Buffer.from(ours.ca)] } })()).toBe(7n);
  for (const tls of [undefined, { ca: authority().ca }]) {
    const error = await failureOf(callOf({ baseUrl, tls })());
    expect([error.code, reasonOf(error)]).toEqual([Code.Unavailable, "UPSTREAM_UNREACHABLE"]);
  }
});

test("an upstream that requests a certificate gets the client certificate", async () => {
  const names: unknown[] = [];
  const port = await tlsUpstream(
    { ...ours.issue("localhost"), ca: ours.ca, requestCert: true, rejectUnauthorized: true },
    (request, response) => {
      names.push((request.socket as TLSSocket).getPeerCertificate().subject.CN);
      good(request, response);
    },
  );
  const baseUrl = `https://localhost:${port}`;
  const { cert, key } = ours.issue("client of a test");
  for (const given of [key, Buffer.from(key), new Secret(key)]) {
    expect(await callOf({ baseUrl, tls: { ca: ours.ca, cert, key: given } })()).toBe(7n);
  }
  expect(names).toEqual(Array(3).fill("client of a test"));
  const stranger = authority().issue("stranger");
  for (const tls of [{ ca: ours.ca }, { ca: ours.ca, ...stranger }]) {
    const error = await failureOf(callOf({ baseUrl, tls })());
    expect(error.code).toBe(Code.Unavailable);
    expect(names).toHaveLength(3);
  }
});

test("a configured server name is sent, and checked in place of the host", async () => {
  const seen: unknown[] = [];
  const port = await tlsUpstream(ours.issue("api.internal"), (request, response) => {
    seen.push([(request.socket as TLSSocket & { servername: string }).servername, request.headers.host]);
    good(request, response);
  });
  const baseUrl = `https://localhost:${port}`;
  expect(await callOf({ baseUrl, tls: { ca: ours.ca, serverName: "api.internal" } })()).toBe(7n);
  expect(seen).toEqual([["api.internal", `localhost:${port}`]]);
  for (const serverName of [undefined, "other.internal"]) {
    const error = await failureOf(callOf({ baseUrl, tls: { ca: ours.ca, serverName } })());
    expect(error.rawMessage).toContain("ERR_TLS_CERT_ALTNAME_INVALID");
  }
});

test("a redirect to another origin uses neither the client certificate nor the configured authorities", async () => {
  const peers: unknown[] = [];
  const asking = { ca: ours.ca, requestCert: true, rejectUnauthorized: false };
  const record = (request: { readonly socket: unknown }) =>
    peers.push((request.socket as TLSSocket).getPeerCertificate()?.subject?.CN);
  const other = await tlsUpstream({ ...ours.issue("localhost"), ...asking }, (request, response) => {
    record(request);
    good(request, response);
  });
  const port = await tlsUpstream({ ...ours.issue("localhost"), ...asking }, (request, response) => {
    record(request);
    const away = request.url?.startsWith("/things") ? "/same" : `https://localhost:${other}/`;
    response.writeHead(302, { location: away }).end();
  });
  const call = callOf(
    {
      baseUrl: `https://localhost:${port}`,
      redirects: { hosts: [`localhost:${other}`] },
      tls: { ca: ours.ca, ...ours.issue("client") },
    },
    { variant: { rules: { redirects: true } } },
  );
  const error = await failureOf(call());
  // the default authorities do not trust the certificate of the other origin
  expect(reasonOf(error)).toBe("UPSTREAM_UNREACHABLE");
  expect(peers).toEqual(["client", "client"]);
});

const { cert, key } = ours.issue("a");
test.each<[UpstreamOptions["tls"], string]>([
  [{ cert }, "option tls.key: expected PEM, since there is a `cert`, got none"],
  [{ key }, "option tls.cert: expected PEM, since there is a `key`, got none"],
  [
    { ca: "nonsense" },
    "option tls: expected certificates in PEM, and a key that belongs to them, got no certificate in `ca`",
  ],
  [
    { cert, key: ours.issue("b").key },
    "option tls: expected certificates in PEM, and a key that belongs to them, got error:",
  ],
  [
    { cert: "nonsense", key },
    "option tls: expected certificates in PEM, and a key that belongs to them, got error:",
  ],
  [{ serverName: "a b" }, 'option tls.serverName: expected the name of a host, got "a b"'],
  [{ serverName: "127.0.0.1" }, 'option tls.serverName: expected the name of a host, got "127.0.0.1"'],
  [1 as never, "option tls: expected an object, got 1"],
])("invalid TLS options are rejected: %#", async (tls, text) => {
  const error = await failureOf(() => callOf({ baseUrl: "https://api.example", tls }));
  expect(error.rawMessage).toContain(`upstream things: ${text}`);
  expect(error.rawMessage).not.toContain("BEGIN");
});

test("an https request uses a tunnel of the proxy, which sees only the host and the port", async () => {
  const port = await tlsUpstream(ours.issue("api.example"));
  const proxy = await started(egressProxy({ ports: { 443: `http://x:${port}` } }));
  const credentials = { username: "me", password: new Secret("pass:word") };
  const call = callOf({
    baseUrl: "https://api.example/v1",
    tls: { ca: ours.ca },
    proxy: { url: proxy.url, ...credentials },
    connections: 1,
  });
  expect(await call()).toBe(7n);
  expect(await call()).toBe(7n);
  const authorization = `Basic ${Buffer.from("me:pass:word").toString("base64")}`;
  expect(proxy.requests).toMatchObject([{ line: "CONNECT api.example:443", authorization }]);
  expect(JSON.stringify(proxy.requests[0]?.headers)).not.toMatch(/things|user-agent/);
});

test("an http request is forwarded by the proxy, with all repeated headers", async () => {
  const seen: unknown[] = [];
  const server = await started(
    httpUpstream((request, response) => {
      seen.push([request.method, request.url, request.headers.host, request.headers["x-tag"]]);
      good(request, response);
    }),
  );
  const proxy = await started(egressProxy({ ports: { 80: server.url } }));
  const variant: ThingVariant = {
    request: () => {
      const out = new RequestWriter("GET", "/things");
      out.query("q", "a b");
      out.header("x-tag", "one");
      out.header("x-tag", "two");
      return out;
    },
  };
  const call = callOf({ baseUrl: "http://api.example", proxy: { url: proxy.url } }, { variant });
  expect(await call()).toBe(7n);
  expect(seen).toEqual([["GET", "/things?q=a%20b", "api.example", "one, two"]]);
  expect(proxy.requests).toMatchObject([
    { line: "GET http://api.example/things?q=a%20b", authorization: undefined },
  ]);
});

test("the connection to the proxy may use TLS with separate certificate authorities", async () => {
  const port = await tlsUpstream(ours.issue("api.example"));
  const plain = await started(httpUpstream(good));
  const theirs = authority();
  const ports = { 443: `http://x:${port}`, 80: plain.url };
  const proxy = await started(egressProxy({ ports, tls: theirs.issue("proxy.example") }));
  const options = { url: proxy.url, ca: theirs.ca };
  for (const baseUrl of ["https://api.example", "http://api.example"]) {
    expect(await callOf({ baseUrl, tls: { ca: ours.ca }, proxy: options })()).toBe(7n);
    const error = await failureOf(callOf({ baseUrl, tls: { ca: ours.ca }, proxy: { url: proxy.url } })());
    expect(reasonOf(error)).toBe("UPSTREAM_UNREACHABLE");
  }
});

test.each(["https://api.example", "http://api.example"])(
  "the error for a proxy that rejects %s names the proxy",
  async (baseUrl) => {
    const credentials = { username: "me", password: "hunter2-hunter2" };
    const token = Buffer.from("me:hunter2-hunter2").toString("base64");
    for (const [status, reason, code] of [
      [407, "UPSTREAM_PROXY_REFUSED", Code.Internal],
      [403, baseUrl.startsWith("https") ? "UPSTREAM_PROXY_REFUSED" : "FORBIDDEN", undefined],
      [502, baseUrl.startsWith("https") ? "UPSTREAM_UNREACHABLE" : "BAD_GATEWAY", Code.Unavailable],
    ] as const) {
      const proxy = await started(egressProxy({ status }));
      const error = await failureOf(callOf({ baseUrl, proxy: { url: proxy.url, ...credentials } })());
      expect(reasonOf(error)).toBe(reason);
      if (code !== undefined) expect(error.code).toBe(code);
      for (const secret of ["hunter2", token]) expect(inspect(error, { depth: 9 })).not.toContain(secret);
    }
  },
);

test("the error for a download that a proxy rejects names the proxy, and a 407 of the upstream is an error of the upstream", async () => {
  const proxy = await started(egressProxy({ status: 407 }));
  const plain = await started(respondingWith(407, {}, "mine"));
  const reasons = {
    "http://api.example": "UPSTREAM_PROXY_REFUSED",
    [plain.url]: "PROXY_AUTHENTICATION_REQUIRED",
  };
  for (const [baseUrl, reason] of Object.entries(reasons)) {
    const rest = createRest({
      adapters: [streamService("download", downloadAdapter() as never)],
      upstreams: { things: { baseUrl, proxy: { url: proxy.url } } },
    });
    DISPOSE.push({ [Symbol.asyncDispose]: () => rest.close() });
    const chunks = createClient(StreamService, rest.transport).download({});
    const error = await failureOf(chunks[Symbol.asyncIterator]().next());
    expect(reasonOf(error)).toBe(reason);
  }
});

test("an upstream is unreachable if its proxy is unreachable or silent", async () => {
  const baseUrl = "https://api.example";
  const absent = await failureOf(callOf({ baseUrl, proxy: { url: await closedPort() } })());
  expect(absent.rawMessage).toBe("upstream things: no connection was established: the proxy: ECONNREFUSED");
  const silent = await started(egressProxy({ silent: true }));
  const late = await failureOf(callOf({ baseUrl, proxy: { url: silent.url }, connectTimeoutMs: 50 })());
  expect(late.rawMessage).toBe("upstream things: timed out after 50 ms waiting for the proxy");
  const odd = await started(rawUpstream((socket) => socket.end("220 smtp ready\r\n")));
  const strange = await failureOf(callOf({ baseUrl, proxy: { url: odd.url } })());
  expect(strange.rawMessage).toContain("no connection was established: the proxy: RESPONSE_MALFORMED");
  const reset = await started(rawUpstream((socket) => socket.resetAndDestroy()));
  const broken = await failureOf(callOf({ baseUrl, proxy: { url: reset.url } })());
  expect(reasonOf(broken)).toBe("UPSTREAM_UNREACHABLE");
});

const AFTER = (text: string) => `HTTP/1.1 200 Connection established\r\n\r\n${text}`;

const PROXIES_THAT_MISBEHAVE: Readonly<Record<string, string>> = {
  "another protocol": "SSH-2.0-OpenSSH_9\r\n",
  "an endless head": "HTTP/1.1 200 OK\r\n",
  "a head that is too large": `HTTP/1.1 200 OK\r\nx: ${"x".repeat(100_000)}\r\n\r\n`,
  "an interim response": "HTTP/1.1 100 Continue\r\n\r\n",
  "many interim responses": "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n".repeat(1000),
  "a body in place of a tunnel": AFTER("<html>sign in</html>"),
  "a redirect": "HTTP/1.1 302 Found\r\nlocation: http://portal.example/\r\n\r\n",
  "an odd status": "HTTP/1.1 999 Odd\r\n\r\n",
  "two lengths": "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n",
  nothing: "",
};

const INTERIM = fc.constantFrom(
  "HTTP/1.1 100 Continue\r\n\r\n",
  "HTTP/1.1 102\r\n\r\n",
  "HTTP/1.1 103 Early Hints\r\nlink: </a>; rel=preload\r\nx-empty:\r\n\r\n",
  "HTTP/1.0 199 Other\r\n\r\n",
);

/**
 * Starts a proxy that responds to CONNECT with the given pieces. After a 2xx response, the proxy is a tunnel
 * to `port`.
 */
function scriptedProxy(pieces: readonly string[], port: number) {
  return rawUpstream(async (client) => {
    client.on("error", () => undefined);
    for (const piece of pieces) {
      client.write(piece);
      await new Promise(setImmediate);
    }
    const upstream = connect(port, "127.0.0.1").on("error", () => client.destroy());
    client.on("close", () => upstream.destroy());
    client.pipe(upstream).pipe(client);
  });
}

/** Cuts a string at the given positions. */
function cutAt(text: string, places: readonly number[]): string[] {
  const ends = [...new Set(places.map((place) => place % text.length)), text.length].toSorted(
    (a, b) => a - b,
  );
  return ends.map((end, index) => text.slice(index === 0 ? 0 : ends[index - 1], end));
}

const FINALS = [
  ["HTTP/1.1 200 Connection established\r\n\r\n", "connected"],
  ["HTTP/1.1 204 No\r\nvia: a\r\n\r\n", "connected"],
  ["HTTP/1.1 407 No\r\ncontent-length: 0\r\n\r\n", "UPSTREAM_PROXY_REFUSED"],
  ["HTTP/1.1 101 Switching Protocols\r\n\r\n", "UPSTREAM_PROXY_REFUSED"],
  ["HTTP/1.1 502 No\r\n\r\n", "UPSTREAM_UNREACHABLE"],
  ["SSH-2.0-OpenSSH_9\r\n\r\n", "UPSTREAM_UNREACHABLE"],
  ["HTTP/1.1 200 OK\r\n folded\r\n\r\n", "UPSTREAM_UNREACHABLE"],
] as const;

test("up to 32 interim responses of a proxy are skipped, even if they arrive in pieces", async () => {
  const port = await tlsUpstream(ours.issue("api.example"));
  const finals = fc.constantFrom(...FINALS);
  const counts = fc.oneof(fc.integer({ min: 1, max: 4 }), fc.constantFrom(31, 32, 33));
  const cases = counts.chain((count) =>
    fc.record({
      interim: fc.array(INTERIM, { minLength: count, maxLength: count }),
      final: finals,
      places: fc.array(fc.nat(), { maxLength: 5 }),
    }),
  );
  await fc.assert(
    fc.asyncProperty(cases, async ({ interim, final: [final, expected], places }) => {
      const text = interim.join("") + final;
      const proxy = await scriptedProxy(cutAt(text, places), port);
      const call = callOf({
        baseUrl: "https://api.example",
        tls: { ca: ours.ca },
        proxy: { url: proxy.url },
      });
      const outcome = await call().then(() => "connected", reasonOf);
      expect(outcome).toBe(interim.length > 32 ? "UPSTREAM_UNREACHABLE" : expected);
      await proxy[Symbol.asyncDispose]();
    }),
    { numRuns: 40 },
  );
});

async function outcomeOf(bytes: string | Uint8Array, isClosed: boolean): Promise<string | undefined> {
  const proxy = await rawUpstream((socket) => {
    if (isClosed) {
      socket.end(bytes);
    } else {
      socket.write(bytes);
    }
  });
  try {
    const call = callOf({ baseUrl: "https://api.example", proxy: { url: proxy.url }, connectTimeoutMs: 30 });
    return reasonOf(await failureOf(call()));
  } finally {
    await proxy[Symbol.asyncDispose]();
  }
}

const NOT_CONNECTED = ["UPSTREAM_UNREACHABLE", "UPSTREAM_TIMEOUT", "UPSTREAM_PROXY_REFUSED"];

test.each(Object.entries(PROXIES_THAT_MISBEHAVE))(
  "a proxy that sends %s causes a failed connection, and has no other effect",
  async (_what, text) => {
    for (const isClosed of [true, false]) expect(NOT_CONNECTED).toContain(await outcomeOf(text, isClosed));
  },
);

test("a proxy that sends arbitrary bytes causes a failed connection, and has no other effect", async () => {
  const beginnings = fc.constantFrom(
    "",
    "HTTP/1.1 ",
    "HTTP/1.1 200 OK\r\n",
    AFTER(""),
    AFTER("\x16\x03\x03"),
  );
  await fc.assert(
    fc.asyncProperty(
      beginnings,
      fc.uint8Array({ maxLength: 200 }),
      fc.boolean(),
      async (start, rest, isClosed) => {
        expect(NOT_CONNECTED).toContain(
          await outcomeOf(Buffer.concat([Buffer.from(start, "latin1"), rest]), isClosed),
        );
      },
    ),
    { numRuns: 40, interruptAfterTimeLimit: 20_000 },
  );
}, 60_000);

test("this machine is reached without the proxy, under any of its names", async () => {
  const server = await started(httpUpstream(good));
  const { port } = new URL(server.url);
  const asked: string[] = [];
  for (const host of ["127.0.0.1", "localhost", "LOCALHOST", "127.1"]) {
    const baseUrl = `http://${host}:${port}`;
    expect(await callOf({ baseUrl, proxy: { url: "http://nobody.invalid" } })()).toBe(7n);
    const proxy = (origin: string) => {
      asked.push(origin);
      return undefined;
    };
    expect(await callOf({ baseUrl, proxy })()).toBe(7n);
  }
  expect(asked).toEqual([]);
});

/** A network in which 127.0.0.1 counts as the public internet, and all other addresses are private. */
const publicLoopback: Network = {
  isPrivate: (address) => address !== "127.0.0.1",
  lookup: (_host, _options, done) => done(null, [{ address: "127.0.0.1", family: 4 }]),
};

test("with a proxy, a redirect to an address that is evidently private is also rejected", async () => {
  const hosts: string[] = [];
  const server = await started(
    httpUpstream((request, response) => {
      const { host = "" } = request.headers;
      hosts.push(host);
      if (host !== "api.example") {
        good(request, response);
        return;
      }
      response.writeHead(302, { location: targets[0] ?? "" }).end();
    }),
  );
  const proxy = await started(egressProxy({ ports: { 80: server.url } }));
  const targets: string[] = [];
  for (const [target, isFollowed] of [
    ["files.example", true],
    ["10.0.0.1", false],
    ["[fd00::1]", false],
  ] as const) {
    targets[0] = `http://${target}/x`;
    hosts.length = 0;
    const call = callOf(
      { baseUrl: "http://api.example", proxy: { url: proxy.url }, redirects: { hosts: [target] } },
      { variant: { rules: { redirects: true } }, network: publicLoopback },
    );
    if (isFollowed) {
      expect(await call()).toBe(7n);
    } else {
      const error = await failureOf(call());
      expect([target, reasonOf(error)]).toEqual([target, "REDIRECT_REFUSED"]);
    }
    expect(hosts).toEqual(isFollowed ? ["api.example", target] : ["api.example"]);
  }
});

test.each<[UpstreamOptions["proxy"], string]>([
  [{ url: "socks5://proxy.example:1080" }, "the scheme socks5:"],
  [{ url: "proxy.example" }, "something else"],
  [{ url: "http://me:hunter2@proxy.example" }, "a user or a password in it"],
  [{ url: "http://proxy.example/path" }, "more than an address"],
])("an invalid proxy address is rejected: %#", async (proxy, got) => {
  const error = await failureOf(() => callOf({ baseUrl: "https://api.example", proxy }));
  const expected = "option proxy.url: expected an http or https URL without path and credentials";
  expect(error.rawMessage).toBe(`upstream things: ${expected}, got ${got}`);
});
