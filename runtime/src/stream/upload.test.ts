import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { setImmediate } from "node:timers/promises";
import { Code, ConnectError, createClient, createRouterTransport } from "@connectrpc/connect";
import { afterEach, expect, test } from "vitest";
import type { UploadAdapter } from "../adapter/adapter.ts";
import type { MethodRules } from "../adapter/rules.ts";
import type { CallReport, RestOptions } from "../call/options.ts";
import type { Credentials } from "../credentials/credentials.ts";
import { reasonOf, restError } from "../errors/rest-error.ts";
import { retryDelayOf } from "../errors/retry-info.ts";
import { createRest, type Rest, restRoutes } from "../rest.ts";
import { failureOf } from "../testing/failure.ts";
import { FakeClock } from "../testing/fake-clock.ts";
import { httpUpstream, rawUpstream, sendJson, type TestServer, textOfRequest } from "../testing/servers.ts";
import {
  StreamService,
  streamService,
  type UploadRequest,
  uploadAdapter,
} from "../testing/stream-service.ts";

const OPEN: Array<{ close(): Promise<void> }> = [];
const SERVERS: TestServer[] = [];

afterEach(async () => {
  for (const server of SERVERS.splice(0)) await server[Symbol.asyncDispose]();
  for (const rest of OPEN.splice(0)) await rest.close();
});

const STALE: readonly (readonly [string, NonNullable<Credentials["rejected"]>, Code, string])[] = [
  [
    "has been replaced",
    async () => ({ oauth2: { accessToken: "new" } }),
    Code.Unavailable,
    "UPSTREAM_TOKEN_REPLACED",
  ],
  ["cannot be replaced", async () => undefined, Code.Unauthenticated, "UNAUTHORIZED"],
  [
    "has ended with its session",
    () => Promise.reject(restError("UPSTREAM_TOKEN_REFUSED", { upstream: "u", endpoint: "e", problem: "p" })),
    Code.Internal,
    "UPSTREAM_TOKEN_REFUSED",
  ],
  ["causes an exception", () => Promise.reject(new Error("x")), Code.Internal, "UPSTREAM_CREDENTIALS_FAILED"],
];

test.each(STALE)(
  "an upload whose rejected token %s gets the same error as other calls",
  async (_, rejected, code, reason) => {
    for (const reads of [true, false]) {
      const tokens: unknown[] = [];
      const server = httpUpstream(async (request, response) => {
        tokens.push(request.headers.authorization);
        if (reads) await textOfRequest(request);
        response.statusCode = 401;
        sendJson(response, {});
      });
      const { url } = await server;
      const credentials = () => ({ oauth2: { accessToken: "old" }, rejected });
      const upstreams = { things: { baseUrl: url, credentials } };
      const rest = await restTo(server, { rules: { credentials: ["oauth2"] }, options: { upstreams } });
      const error = await failureOf(upload(rest, sending({ chunk: "a" }, { chunk: "b" })));
      expect([error.code, reasonOf(error)]).toEqual([code, reason]);
      expect(retryDelayOf(error) !== undefined).toBe(code === Code.Unavailable);
      // not retried, since the messages of the stream were already consumed
      expect(tokens).toEqual(["Bearer old"]);
    }
  },
);

interface Setup {
  readonly rules?: Partial<MethodRules>;
  readonly parts?: Partial<UploadAdapter>;
  readonly options?: Partial<RestOptions>;
}

async function restTo(server: Promise<TestServer>, { rules, parts, options }: Setup = {}): Promise<Rest> {
  const started = await server;
  SERVERS.push(started);
  const rest = createRest({
    adapters: [streamService("upload", { ...uploadAdapter(rules), ...parts } as never)],
    upstreams: { things: { baseUrl: started.url } },
    ...options,
  });
  OPEN.push(rest);
  return rest;
}

type Message = Partial<Omit<UploadRequest, "$typeName" | "chunk">> & { readonly chunk?: string };

async function* sending(...messages: Message[]) {
  for (const { chunk, ...others } of messages) {
    yield { ...others, ...(chunk !== undefined && { chunk: Buffer.from(chunk) }) };
  }
}

function upload(rest: Rest, messages: AsyncIterable<object>, signal?: AbortSignal) {
  const client = createClient(StreamService, rest.transport);
  return client.upload(messages as never, signal === undefined ? {} : { signal });
}

/** Starts an upstream that reads request bodies completely, and reports each request. */
function reading(seen: (request: IncomingMessage, text: string) => void): Promise<TestServer> {
  return httpUpstream(async (request, response) => {
    seen(request, await textOfRequest(request));
    sendJson(response, { id: 7, name: "done" });
  });
}

/** Starts an upstream that responds without reading request bodies. */
function respondingAtOnce(respond: (response: ServerResponse) => void): Promise<TestServer> {
  return httpUpstream((_request, response) => respond(response));
}

/** Returns an endless stream of requests. `left` resolves when the stream is closed. */
function endless(chunk: Uint8Array = Buffer.alloc(65_536)) {
  const left = Promise.withResolvers<void>();
  const state = { sent: 0, left: left.promise };
  const messages = (async function* () {
    try {
      for (;;) {
        state.sent += chunk.length;
        yield { chunk };
      }
    } finally {
      left.resolve();
    }
  })();
  return { state, messages };
}

test("an upload sends the chunks as the body, and returns the message", async () => {
  let headers: IncomingMessage["headers"] = {};
  let body = "";
  const rest = await restTo(
    reading((request, text) => {
      headers = request.headers;
      body = text;
    }),
  );
  const done = await upload(
    rest,
    sending({ type: "image/png", chunk: "one " }, {}, { chunk: "" }, { chunk: "two" }),
  );
  expect(done).toMatchObject({ id: 7n, name: "done" });
  expect(body).toBe("one two");
  expect(headers).toMatchObject({ "content-type": "image/png", "transfer-encoding": "chunked" });
});

test("an upload sends the chunks as the last part of a multipart body", async () => {
  let type = "";
  let body = "";
  const rest = await restTo(
    reading((request, text) => {
      type = request.headers["content-type"] ?? "";
      body = text;
    }),
    { options: { clock: new FakeClock() } },
  );
  await upload(
    rest,
    sending(
      { title: "Ä", part: 'data"\r\n', filename: "p.png", type: "image/png" },
      { chunk: "one " },
      { chunk: "two" },
    ),
  );
  const boundary = `----connect-rest-${"ab".repeat(16)}`;
  expect(type).toBe(`multipart/form-data; boundary=${boundary}`);
  expect(body.split("\r\n")).toEqual([
    `--${boundary}`,
    'content-disposition: form-data; name="title"',
    "",
    "Ä",
    `--${boundary}`,
    'content-disposition: form-data; name="data%22%0D%0A"; filename="p.png"',
    "content-type: image/png",
    "",
    "one two",
    `--${boundary}--`,
    "",
  ]);
});

test("an upload whose first message has no chunk sends an empty body", async () => {
  let length: string | undefined;
  const rest = await restTo(reading(({ headers }) => (length = headers["content-length"])));
  expect(await upload(rest, sending({ type: "image/png" }))).toMatchObject({ id: 7n });
  expect(length).toBe("0");
});

test("an upload sends chunks as they arrive", async () => {
  const arrived = Promise.withResolvers<void>();
  const rest = await restTo(
    httpUpstream(async (request, response) => {
      const [first] = (await once(request, "data")) as [Buffer];
      expect(first.toString()).toBe("one");
      arrived.resolve();
      await textOfRequest(request);
      sendJson(response, {});
    }),
  );
  await upload(
    rest,
    (async function* () {
      yield { chunk: Buffer.from("one") };
      // the next chunk is created only after the upstream has received the first
      await arrived.promise;
      yield { chunk: Buffer.from("two") };
    })(),
  );
});

test("an upload reads from its caller only as much as the upstream accepts", async () => {
  const total = 64 << 20;
  let sent = 0;
  let received = 0;
  let ahead = 0;
  const rest = await restTo(
    httpUpstream(async (request, response) => {
      for await (const chunk of request) {
        received += (chunk as Buffer).length;
        ahead = Math.max(ahead, sent - received);
        // gives the caller time to send messages ahead
        await setImmediate();
      }
      sendJson(response, {});
    }),
  );
  await upload(
    rest,
    (async function* () {
      const chunk = Buffer.alloc(65_536);
      for (; sent < total; sent += chunk.length) yield { chunk };
    })(),
  );
  expect(received).toBe(total);
  expect(ahead).toBeLessThan(16 << 20);
});

test("an upload without a message is rejected with INVALID_ARGUMENT", async () => {
  const rest = await restTo(reading(() => undefined));
  const error = await failureOf(upload(rest, sending()));
  expect(error.rawMessage).toBe(
    "test.v1.StreamService.Upload: the request stream ended before its first message",
  );
  expect([error.code, reasonOf(error)]).toEqual([Code.InvalidArgument, "REQUEST_STREAM_EMPTY"]);
});

test("an upload that the upstream rejects fails with the upstream's error, and closes the stream", async () => {
  const { state, messages } = endless();
  const rest = await restTo(
    respondingAtOnce((response) => {
      response.writeHead(413, { "content-type": "application/json" }).end('{"message":"too much"}');
    }),
  );
  const error = await failureOf(upload(rest, messages));
  expect(error.rawMessage).toContain("upstream things responded with 413");
  expect(error.rawMessage).toContain("too much");
  await state.left;
});

test("an upload can be rejected by the upstream while the stream is idle", async () => {
  const left = Promise.withResolvers<void>();
  const rest = await restTo(respondingAtOnce((response) => response.writeHead(401).end()));
  const messages = {
    [Symbol.asyncIterator]: () => {
      const first = [{ chunk: Buffer.from("a") }];
      return {
        next: () => {
          const value = first.shift();
          return value === undefined ? new Promise<never>(() => undefined) : Promise.resolve({ value });
        },
        return: async () => {
          left.resolve();
          return { done: true, value: undefined };
        },
      };
    },
  };
  expect((await failureOf(upload(rest, messages as never))).code).toBe(Code.Unauthenticated);
  await left.promise;
});

test("an upload succeeds if the upstream responds with success before the end of the stream", async () => {
  const { state, messages } = endless();
  const rest = await restTo(respondingAtOnce((response) => sendJson(response, { id: 3 })));
  expect(await upload(rest, messages)).toMatchObject({ id: 3n });
  await state.left;
});

test("an upload fails if the upstream disconnects", async () => {
  const { messages } = endless();
  const rest = await restTo(rawUpstream((socket) => socket.resetAndDestroy()));
  const error = await failureOf(upload(rest, messages));
  expect(error.rawMessage).toBe("upstream things: the connection was closed before the response");
  expect(error.code).toBe(Code.Unavailable);
});

test("an upload that the caller cancels never looks complete to the upstream", async () => {
  const aborted = Promise.withResolvers<boolean>();
  const controller = new AbortController();
  const rest = await restTo(
    httpUpstream((request) => {
      request.once("data", () => controller.abort());
      request.on("error", () => undefined);
      request.on("close", () => aborted.resolve(request.complete));
      request.resume();
    }),
  );
  const { messages } = endless(Buffer.alloc(1000));
  const error = await failureOf(upload(rest, messages, controller.signal));
  expect([error.code, reasonOf(error)]).toEqual([Code.Canceled, "CANCELED"]);
  expect(await aborted.promise).toBe(false);
});

test("an upload whose message stream fails has the error of the stream, and never looks complete to the upstream", async () => {
  const complete = Promise.withResolvers<boolean>();
  const calls: CallReport[] = [];
  const rest = await restTo(
    httpUpstream((request) => {
      request.on("error", () => undefined);
      request.on("close", () => complete.resolve(request.complete));
      request.resume();
    }),
    { options: { onCall: (report) => calls.push(report) } },
  );
  const { upload: method } = StreamService.method;
  const failing = (async function* () {
    yield { chunk: Buffer.from("one") };
    throw new ConnectError("my own", Code.DataLoss);
  })();
  const error = await failureOf(
    rest.transport.stream(method, undefined, undefined, undefined, failing as never),
  );
  expect([error.rawMessage, error.code]).toEqual(["my own", Code.DataLoss]);
  expect(await complete.promise).toBe(false);
  expect(calls).toHaveLength(1);
  expect(calls[0]?.error?.code).toBe(Code.DataLoss);
});

test("an upload whose first message cannot be sent is rejected", async () => {
  const rest = await restTo(reading(() => undefined));
  const error = await failureOf(upload(rest, sending({ type: "image/png\r\nx-evil: 1" })));
  expect(error.rawMessage).toContain("content-type: contains a line break");
  expect(error.code).toBe(Code.InvalidArgument);
});

test("an upload ends if the adapter fails", async () => {
  const chunk = () => {
    throw new TypeError("x");
  };
  const rest = await restTo(
    reading(() => undefined),
    { parts: { chunk } },
  );
  const error = await failureOf(upload(rest, sending({ chunk: "a" })));
  expect(error.rawMessage).toBe(
    "upstream things: the adapter of test.v1.StreamService.Upload failed while reading a chunk",
  );
});

test("an upload ends if its deadline passes while it waits for the first message", async () => {
  const clock = new FakeClock();
  const rest = await restTo(
    reading(() => undefined),
    { options: { clock }, rules: { timeoutMs: 100 } },
  );
  const waiting = failureOf(
    upload(
      rest,
      (async function* () {
        clock.advance(100);
        await new Promise<never>(() => undefined);
        yield {};
      })(),
    ),
  );
  expect((await waiting).code).toBe(Code.DeadlineExceeded);
});

test("routes serve an upload", async () => {
  let body = "";
  const rest = await restTo(
    reading((_request, text) => {
      body = text;
    }),
  );
  const client = createClient(StreamService, createRouterTransport(restRoutes(rest)));
  expect(await client.upload(sending({ chunk: "a" }, { chunk: "b" }))).toMatchObject({ id: 7n });
  expect(body).toBe("ab");
});
