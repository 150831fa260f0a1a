import type { RequestListener } from "node:http";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { afterEach, describe, expect, test } from "vitest";
import type { CallReport } from "./call/options.ts";
import { infoOf, reasonOf } from "./errors/rest-error.ts";
import { RequestWriter } from "./request/request-writer.ts";
import { createRest, type Rest } from "./rest.ts";
import { failureOf } from "./testing/failure.ts";
import type { FakeClock } from "./testing/fake-clock.ts";
import { HTTP_CLIENTS, type HttpClient } from "./testing/http-clients.ts";
import {
  closedPort,
  httpUpstream,
  rawUpstream,
  respondingWith,
  respondingWithJson,
  sendJson,
  type TestServer,
  textOfRequest,
} from "./testing/servers.ts";
import { downloadAdapter, StreamService, streamService, uploadAdapter } from "./testing/stream-service.ts";
import {
  type ThingVariant,
  thingAdapter,
  thingOf,
  thingRequest,
  thingService,
} from "./testing/thing-service.ts";
import type { UpstreamOptions } from "./upstream/options.ts";
import { VERSION } from "./version.ts";

const DISPOSE: AsyncDisposable[] = [];

afterEach(async () => {
  for (const each of DISPOSE.splice(0).toReversed()) await each[Symbol.asyncDispose]();
});

interface Setup {
  readonly variant?: ThingVariant;
  readonly upstream?: UpstreamOptions;
  readonly clock?: FakeClock;
}

type Post = Pick<ThingVariant, "request" | "rules">;

const POST: Post = {
  rules: { idempotent: false },
  request: ({ name }) => {
    const out = new RequestWriter("POST", "/things");
    out.json({ name });
    return out;
  },
};

interface Tested {
  readonly rest: Rest;
  readonly reports: CallReport[];
  readonly variant: ThingVariant | undefined;
}

const get = ({ rest, variant }: Tested, signal?: AbortSignal) =>
  rest.call(thingAdapter(variant), thingRequest({ name: "a" }), signal === undefined ? {} : { signal });

interface Failure {
  readonly server: () => Promise<TestServer>;
  readonly reason: string;
  readonly upstream?: UpstreamOptions;
}

const FAILURES: Readonly<Record<string, Failure>> = {
  "is reset": { server: () => rawUpstream((socket) => socket.resetAndDestroy()), reason: "UPSTREAM_RESET" },
  "is closed": { server: () => rawUpstream((socket) => socket.destroy()), reason: "UPSTREAM_RESET" },
  "is not HTTP": {
    server: () => rawUpstream((socket) => socket.end("220 smtp ready\r\n")),
    reason: "UPSTREAM_NOT_HTTP",
  },
  "ends within the body": {
    server: () => rawUpstream((socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n{")),
    reason: "UPSTREAM_TRUNCATED",
  },
  "is too large": {
    server: () => respondingWithJson({ a: "x".repeat(2000) }),
    reason: "UPSTREAM_BODY_TOO_LARGE",
    upstream: { maxResponseBytes: 1000 },
  },
  "is too large after decompression": {
    server: () => respondingWith(200, { "content-encoding": "gzip" }, gzipSync(Buffer.alloc(1 << 20))),
    reason: "UPSTREAM_BODY_TOO_LARGE",
    upstream: { maxResponseBytes: 64 << 10 },
  },
  "has a head that is too large": {
    server: () => respondingWith(200, { "x-large": "x".repeat(3000) }),
    reason: "UPSTREAM_HEADERS_TOO_LARGE",
    upstream: { maxHeaderBytes: 2000 },
  },
  "does not arrive": {
    server: () => httpUpstream(() => undefined),
    reason: "UPSTREAM_TIMEOUT",
    upstream: { headersTimeoutMs: 50 },
  },
  pauses: {
    server: () => httpUpstream((_request, response) => response.writeHead(200).write("{")),
    reason: "UPSTREAM_TIMEOUT",
    upstream: { bodyTimeoutMs: 50 },
  },
  redirects: { server: () => respondingWith(302, { location: "/elsewhere" }), reason: "MOVED" },
  "is an error": { server: () => respondingWith(503, {}, "busy"), reason: "SERVICE_UNAVAILABLE" },
};

async function started(server: Promise<TestServer>): Promise<TestServer> {
  const running = await server;
  DISPOSE.push(running);
  return running;
}

describe.each(Object.entries(HTTP_CLIENTS))("by %s", (_name, create) => {
  function client(): HttpClient {
    const made = create();
    DISPOSE.push(made);
    return made;
  }

  function restTo(baseUrl: string, { variant, upstream, clock }: Setup = {}): Tested {
    const reports: CallReport[] = [];
    const rest = createRest({
      adapters: [thingService(variant)],
      upstreams: { things: { baseUrl, retry: false, ...upstream, ...client().options } },
      onCall: (report) => reports.push(report),
      ...(clock !== undefined && { clock }),
    });
    DISPOSE.push({ [Symbol.asyncDispose]: () => rest.close() });
    return { rest, reports, variant };
  }

  /** Returns a client of StreamService with a separate transport. */
  function streamsTo(baseUrl: string, upstream: UpstreamOptions = {}) {
    const rest = createRest({
      adapters: [
        {
          service: StreamService,
          methods: {
            ...streamService("download", downloadAdapter() as never).methods,
            ...streamService("upload", uploadAdapter() as never).methods,
          },
        },
      ],
      upstreams: { things: { baseUrl, ...upstream } },
      ...client().options,
    });
    DISPOSE.push({ [Symbol.asyncDispose]: () => rest.close() });
    return createClient(StreamService, rest.transport);
  }

  test("a response is decoded exactly in every encoding", async () => {
    const json = '{"id":9007199254740993,"name":"é"}';
    const bodies = {
      identity: json,
      gzip: gzipSync(json),
      br: brotliCompressSync(json),
    };
    for (const [encoding, body] of Object.entries(bodies)) {
      const headers = { "content-type": "application/json", "content-encoding": encoding };
      const server = await started(respondingWith(200, headers, body));
      const thing = thingOf((await get(restTo(server.url))).bytes);
      expect([encoding, thing.id, thing.name]).toEqual([encoding, 9_007_199_254_740_993n, "é"]);
    }
  });

  test("a body is sent once, with the correct length and content type", async () => {
    const seen: unknown[] = [];
    const server = await started(
      httpUpstream(async (request, response) => {
        const { "content-type": type, "content-length": length, "user-agent": agent } = request.headers;
        seen.push([request.method, request.url, type, length, agent, request.headers["transfer-encoding"]]);
        seen.push(await textOfRequest(request));
        sendJson(response, { id: 7 });
      }),
    );
    for (const idempotent of [false, true]) {
      seen.length = 0;
      const variant = { ...POST, rules: { idempotent } };
      expect(thingOf((await get(restTo(server.url, { variant }))).bytes).id).toBe(7n);
      expect(seen).toEqual([
        ["POST", "/things", "application/json", "12", `connect-rest-runtime/${VERSION}`, undefined],
        '{"name":"a"}',
      ]);
    }
  });

  test("all values of repeated headers arrive, in requests and in responses", async () => {
    const seen: unknown[] = [];
    const server = await started(
      httpUpstream((request, response) => {
        seen.push(request.headers["x-tag"]);
        response.setHeader("set-cookie", ["a=1", "b=2"]);
        response.writeHead(404, { "x-request-id": "r1" }).end("gone");
      }),
    );
    const variant: ThingVariant = {
      request: () => {
        const out = new RequestWriter("GET", "/things");
        out.header("x-tag", "one");
        out.header("x-tag", "two");
        return out;
      },
    };
    const error = await failureOf(get(restTo(server.url, { variant })));
    expect([error.code, error.rawMessage]).toEqual([
      Code.NotFound,
      "upstream things responded with 404 Not Found",
    ]);
    expect(seen).toEqual(["one, two"]);
  });

  test.each(Object.entries(FAILURES))(
    "the error for a response that %s does not depend on the client",
    async (_what, { server, reason, upstream = {} }) => {
      const tested = restTo((await started(server())).url, { upstream });
      const error = await failureOf(get(tested));
      expect(reasonOf(error) ?? "none", error.rawMessage).toBe(reason);
      expect(tested.reports).toMatchObject([{ attempts: 1 }]);
    },
  );

  test("an upstream to which no connection can be established is reported as unreachable", async () => {
    const untrusted = await started(httpUpstream(() => undefined));
    for (const [url, problem] of [
      [await closedPort(), "ECONNREFUSED"],
      ["http://nobody.invalid", ""],
      [untrusted.url.replace("http:", "https:"), ""],
    ] as const) {
      const error = await failureOf(get(restTo(url)));
      expect([url, error.code, reasonOf(error)]).toEqual([url, Code.Unavailable, "UPSTREAM_UNREACHABLE"]);
      expect(error.rawMessage).toContain(`no connection was established: ${problem}`);
    }
  });

  test("only requests that may be retried are retried", async () => {
    let requests = 0;
    const failing: RequestListener = (request, response) => {
      request.resume();
      if (++requests > 1) {
        response.destroy();
      } else {
        sendJson(response, { id: 1 });
      }
    };
    const server = await started(httpUpstream(failing));
    const retry = { baseDelayMs: 1, maxDelayMs: 1, budget: 1 };
    // the first call leaves an idle connection, on which the other calls fail
    const repeated = restTo(server.url, { upstream: { retry } });
    await get(repeated);
    await failureOf(get(repeated));
    expect(repeated.reports.map(({ attempts }) => attempts)).toEqual([1, 3]);
    requests = 0;
    const once = restTo(server.url, { variant: POST, upstream: { retry } });
    await get(once);
    const error = await failureOf(get(once));
    expect([reasonOf(error), requests]).toEqual(["UPSTREAM_RESET", 2]);
  });

  test("the circuit opens after repeated failures", async () => {
    const tested = restTo(await closedPort(), { upstream: { breaker: { failures: 2 } } });
    for (let count = 0; count < 2; count++) await failureOf(get(tested));
    expect(reasonOf(await failureOf(get(tested)))).toBe("UPSTREAM_CIRCUIT_OPEN");
  });

  test("the exchange ends when the deadline passes or the caller cancels", async () => {
    const arrived = Promise.withResolvers<void>();
    const server = await started(httpUpstream(() => arrived.resolve()));
    const caller = new AbortController();
    const tested = restTo(server.url);
    const call = failureOf(get(tested, caller.signal));
    await arrived.promise;
    const closed = server.socketClosed();
    caller.abort();
    expect((await call).code).toBe(Code.Canceled);
    await closed;
    const late = tested.rest.call(thingAdapter(), thingRequest({ name: "a" }), { timeoutMs: 30 });
    expect((await failureOf(late)).code).toBe(Code.DeadlineExceeded);
  });

  test("redirects follow the rules, and do not disclose credentials", async () => {
    const seen: unknown[] = [];
    const other = await started(
      httpUpstream((request, response) => {
        seen.push([request.url, request.headers.authorization]);
        sendJson(response, { id: 5 });
      }),
    );
    const server = await started(
      httpUpstream((request, response) => {
        seen.push([request.url, request.headers.authorization]);
        response.writeHead(302, { location: `${other.url.replace("127.0.0.1", "localhost")}/file` }).end();
      }),
    );
    const setup: Setup = {
      variant: { rules: { redirects: true, credentials: ["oauth2"] } },
      upstream: {
        credentials: { oauth2: { accessToken: "token" } },
        redirects: { hosts: [`localhost:${new URL(other.url).port}`] },
      },
    };
    expect(thingOf((await get(restTo(server.url, setup))).bytes).id).toBe(5n);
    expect(seen).toEqual([
      ["/things/a", "Bearer token"],
      ["/file", undefined],
    ]);
  });

  test("a download reads the body on demand, and ends when its reader stops early", async () => {
    const server = await started(
      httpUpstream((_request, response) => {
        response.writeHead(200, { "content-type": "application/x-thing" });
        const write = () => {
          while (!response.destroyed && response.write(Buffer.alloc(64 << 10)));
        };
        response.on("drain", write);
        write();
      }),
    );
    let size = 0;
    const closed = server.socketClosed();
    const leaving = new AbortController();
    const reading = async () => {
      for await (const { data } of streamsTo(server.url).download({}, { signal: leaving.signal })) {
        size += data.length;
        if (size > 1 << 20) leaving.abort();
      }
    };
    expect(ConnectError.from(await failureOf(reading())).code).toBe(Code.Canceled);
    await closed;
    const limited = streamsTo(server.url, { maxDownloadBytes: 1 << 20 }).download({});
    const error = await failureOf(async () => {
      for await (const _chunk of limited);
    });
    expect(reasonOf(error)).toBe("UPSTREAM_BODY_TOO_LARGE");
  });

  test("an upload sends messages as they arrive, and is never retried", async () => {
    const arrived = new Set<string>();
    const first = Promise.withResolvers<void>();
    const server = await started(
      httpUpstream(async (request, response) => {
        for await (const chunk of request) {
          arrived.add(String(chunk));
          first.resolve();
        }
        sendJson(response, { id: 3, name: [...arrived].join("") });
      }),
    );
    async function* messages() {
      yield { chunk: Buffer.from("one,") };
      await first.promise;
      yield { chunk: Buffer.from("two") };
    }
    const item = await streamsTo(server.url).upload(messages() as never);
    expect([item.id, item.name]).toEqual([3n, "one,two"]);
  });

  test("an upload ends when the upstream responds early", async () => {
    const server = await started(
      httpUpstream((request, response) => {
        request.once("data", () => {
          response.writeHead(413, { connection: "close" }).end("enough");
        });
      }),
    );
    const left = Promise.withResolvers<void>();
    async function* messages() {
      try {
        for (;;) yield { chunk: Buffer.alloc(64 << 10) };
      } finally {
        left.resolve();
      }
    }
    const error = await failureOf(streamsTo(server.url).upload(messages() as never));
    // the connection may break before the client has read the response
    expect(["CONTENT_TOO_LARGE", "PAYLOAD_TOO_LARGE", "UPSTREAM_RESET"]).toContain(reasonOf(error));
    await left.promise;
  });

  test("an error in the message stream of an upload is the error of the call", async () => {
    const server = await started(httpUpstream((request) => void request.resume()));
    async function* messages() {
      yield { chunk: Buffer.from("one") };
      throw new ConnectError("mine", Code.DataLoss);
    }
    const error = await failureOf(streamsTo(server.url).upload(messages() as never));
    expect([error.code, error.rawMessage]).toEqual([Code.DataLoss, "mine"]);
  });

  test("close waits for running calls, and rejects new calls", async () => {
    const request = Promise.withResolvers<() => void>();
    const server = await started(
      httpUpstream((_request, response) => request.resolve(() => sendJson(response, { id: 1 }))),
    );
    const tested = restTo(server.url);
    const call = get(tested);
    const respond = await request.promise;
    let closed = false;
    const closing = tested.rest.close().then(() => {
      closed = true;
    });
    expect(closed).toBe(false);
    respond();
    expect(thingOf((await call).bytes).id).toBe(1n);
    await closing;
    expect(reasonOf(await failureOf(get(tested)))).toBe("UPSTREAM_CLOSED");
    await tested.rest.close();
    expect(infoOf(await failureOf(get(tested)))?.domain).toBe("things");
  });
});
