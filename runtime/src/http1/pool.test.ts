import { channel } from "node:diagnostics_channel";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { Readable } from "node:stream";
import { buildConnector, Pool } from "undici";
import { afterEach, expect, test } from "vitest";
import type { DispatchController, DispatchOptions, Requester } from "../http/requester.ts";
import { ON_READ } from "./connection.ts";
import { Http1Pool } from "./pool.ts";

const CLEAN_UPS: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanUp of CLEAN_UPS.splice(0).toReversed()) await cleanUp();
});

const LIMITS = { connections: 2, headersTimeoutMs: 60_000, bodyTimeoutMs: 60_000, maxHeaderBytes: 16_384 };

interface Counted {
  readonly pool: Http1Pool;
  /** The numbers of connections that the pool and undici have opened. */
  readonly made: { ours: number; others: number };
  /** Returns the maximum number of concurrent connections so far. */
  readonly most: () => number;
}

function poolTo(origin: string, limits: Partial<typeof LIMITS> = {}): Counted {
  const made = { ours: 0, others: 0 };
  let open: Socket[] = [];
  let most = 0;
  const used = { ...LIMITS, ...limits };
  const counting =
    (kind: keyof typeof made, connect: buildConnector.connector): buildConnector.connector =>
    (options, done) => {
      made[kind]++;
      open = open.filter((socket) => !socket.destroyed);
      most = Math.max(most, open.length + 1);
      connect(options, (...result) => {
        if (result[1]) open.push(result[1]);
        done(...result);
      });
    };
  const pool = new Http1Pool(origin, {
    ...used,
    connect: counting("ours", buildConnector({ onread: ON_READ, allowH2: false } as object)),
    others: (counted) =>
      new Pool(origin, {
        connections: used.connections,
        pipelining: 1,
        connect: counted(counting("others", buildConnector({ allowH2: false }))),
      }),
  });
  CLEAN_UPS.push(() => pool.close().catch(() => undefined));
  return { pool, made, most: () => most };
}

async function started(server: Server | ReturnType<typeof createTcpServer>): Promise<string> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => sockets.add(socket));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  CLEAN_UPS.push(async () => {
    server.close();
    for (const socket of sockets) socket.destroy();
    await once(server, "close");
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

interface Ended {
  readonly status: number;
  readonly body: string;
}

function send(
  pool: Requester,
  more: Partial<DispatchOptions> = {},
  onStart: (controller: DispatchController) => void = () => undefined,
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    let status = 0;
    let body = "";
    const options = { origin: "", method: "GET", path: "/", headers: [], body: null, ...more };
    pool.dispatch(options as DispatchOptions, {
      onRequestStart: onStart,
      onResponseStart: (_controller, code) => {
        status = code;
      },
      onResponseData: (_controller, chunk) => {
        body += chunk;
      },
      onResponseEnd: () => resolve({ status, body }),
      onResponseError: (_controller, error) => reject(error),
    });
  });
}

const echo = () =>
  createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    response.end(`${request.method} ${request.rawHeaders.join("|")} ${Buffer.concat(chunks)}`);
  });

const REQUESTS: Readonly<Record<string, Partial<DispatchOptions>>> = {
  GET: { method: "GET", headers: ["accept", "*/*", "x-a", "\xe4"] },
  DELETE: { method: "DELETE", headers: [] },
  "POST without a body": { method: "POST", headers: [] },
  "POST with text": { method: "POST", headers: ["content-type", "text/plain"], body: "h\u00e4\u{1f600}" },
  "PUT with bytes": { method: "PUT", headers: [], body: Buffer.from("bytes") },
  "PATCH with many bytes": { method: "PATCH", headers: [], body: Buffer.alloc(300_000, "x") },
};

test.each(Object.entries(REQUESTS))("%s is sent exactly as undici sends it", async (_, request) => {
  const origin = await started(echo());
  const { pool, made } = poolTo(origin);
  const undici = new Pool(origin);
  CLEAN_UPS.push(() => undici.close());
  expect(await send(pool, request)).toEqual(await send(undici, { ...request, origin }));
  expect(made).toEqual({ ours: 1, others: 0 });
});

const UNUSUAL: Readonly<Record<string, () => Partial<DispatchOptions>>> = {
  HEAD: () => ({ method: "HEAD" }),
  "a body in pieces": () => ({ method: "POST", body: Readable.from(["a", "b"]) }),
  "a body for GET": () => ({ method: "GET", body: "a" }),
  "a separate time limit": () => ({ bodyTimeout: 5 }),
  "a connection header": () => ({ headers: ["host", "other"] }),
};

test.each(Object.entries(UNUSUAL))("a request with %s is passed to undici", async (_, request) => {
  const { pool, made } = poolTo(await started(echo()));
  expect((await send(pool, request())).status).toBe(200);
  expect(made).toEqual({ ours: 0, others: 1 });
});

const WRONG: Readonly<Record<string, Partial<DispatchOptions>>> = {
  "a line break in a header": { headers: ["x-a", "b\r\nx-c: d"] },
  "a line break in a header name": { headers: ["x\r\ny", "b"] },
  "a line break in the path": { path: "/a\r\nb" },
  "a space in the path": { path: "/ HTTP/1.1" },
  "a header with a character outside Latin-1": { headers: ["x-a", "\u0100"] },
  "another length": { method: "POST", headers: ["content-length", "1"], body: "abc" },
};

test.each(Object.entries(WRONG))("a request with %s is rejected, and never sent", async (_, request) => {
  let connected = 0;
  const server = echo().on("request", () => connected++);
  const { pool } = poolTo(await started(server));
  await expect(send(pool, request)).rejects.toHaveProperty("name", expect.stringMatching(/Error$/));
  expect(connected).toBe(0);
});

test("a connection is reused by one request at a time, and the number of connections is limited", async () => {
  const { pool, made, most } = poolTo(await started(echo()));
  await send(pool);
  await send(pool);
  expect(made.ours).toBe(1);
  await Promise.all(Array.from({ length: 20 }, () => send(pool)));
  expect(made.ours).toBe(2);
  // requests that undici sends count towards the limit, and replace idle connections
  await Promise.all(
    Array.from({ length: 20 }, (_, index) => send(pool, index % 2 ? { method: "HEAD" } : {})),
  );
  expect(most()).toBe(2);
});

test("an unsolicited response closes the connection", async () => {
  const sockets: Socket[] = [];
  const server = createTcpServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => undefined);
    socket.on("data", () => socket.write("HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\n1"));
  });
  const { pool, made } = poolTo(await started(server));
  await send(pool);
  const [socket] = sockets;
  socket?.write("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nwrong");
  await once(socket as Socket, "close");
  expect((await send(pool)).body).toBe("1");
  expect(made.ours).toBe(2);
});

test("a server that sends data before the request causes an error", async () => {
  const server = createTcpServer((socket) => {
    socket.on("error", () => undefined).write("220 smtp\r\n");
  });
  const { pool } = poolTo(await started(server));
  await expect(send(pool)).rejects.toThrow();
});

test("a head or a body that arrives too late causes an error, and the connection is closed", async () => {
  const HEAD = "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n";
  for (const [begin, code] of [
    ["", "UND_ERR_HEADERS_TIMEOUT"],
    [HEAD.slice(0, 20), "UND_ERR_HEADERS_TIMEOUT"],
    [HEAD, "UND_ERR_BODY_TIMEOUT"],
    [`${HEAD}1`, "UND_ERR_BODY_TIMEOUT"],
  ]) {
    const closed: Promise<unknown>[] = [];
    const server = createTcpServer((socket) => {
      closed.push(once(socket, "close"));
      socket.on("error", () => undefined).once("data", () => socket.write(begin as string));
    });
    const { pool } = poolTo(await started(server), { headersTimeoutMs: 20, bodyTimeoutMs: 20 });
    await expect(send(pool)).rejects.toHaveProperty("code", code);
    await Promise.all(closed);
  }
});

test("an aborted request closes its connection, unless the request has not been sent yet", async () => {
  const server = createServer((request, response) => {
    if (request.url === "/") response.end("good");
  });
  const { pool, made } = poolTo(await started(server), { connections: 1 });
  await send(pool);
  const abort = (controller: DispatchController) => controller.abort(new Error("enough"));
  await expect(send(pool, { path: "/wait" }, abort)).rejects.toThrow("enough");
  expect((await send(pool)).body).toBe("good");
  expect(made.ours).toBe(1);
  const { promise, resolve } = Promise.withResolvers<DispatchController>();
  const waiting = send(pool, { path: "/wait" }, resolve);
  setImmediate(async () => (await promise).abort(new Error("enough")));
  await expect(waiting).rejects.toThrow("enough");
  expect((await send(pool)).body).toBe("good");
  expect(made.ours).toBe(2);
});

test("the controller of a completed exchange cannot affect the next exchange on the connection", async () => {
  const { pool, made } = poolTo(await started(echo()), { connections: 1 });
  const { promise, resolve } = Promise.withResolvers<DispatchController>();
  await send(pool, {}, resolve);
  const old = await promise;
  const next = send(pool, {}, () => {
    old.pause();
    old.abort(new Error("late"));
  });
  expect((await next).status).toBe(200);
  expect(made.ours).toBe(1);
});

test("a paused body arrives completely after it is resumed, and does not time out while paused", async () => {
  const body = "x".repeat(3_000_000);
  const server = createServer((_request, response) => response.end(body));
  const { pool } = poolTo(await started(server), { bodyTimeoutMs: 1_000 });
  let pauses = 0;
  const size = await new Promise<number>((resolve, reject) => {
    let length = 0;
    pool.dispatch({ origin: "", method: "GET", path: "/", headers: [], body: null } as DispatchOptions, {
      onRequestStart: () => undefined,
      onResponseStart: () => undefined,
      onResponseData: (controller, chunk) => {
        length += chunk.length;
        controller.pause();
        pauses++;
        setImmediate(() => controller.resume());
      },
      onResponseEnd: () => resolve(length),
      onResponseError: (_controller, error) => reject(error),
    });
  });
  expect(size).toBe(body.length);
  expect(pauses).toBeGreaterThan(1);
});

test("a handler that throws receives an error, and the process continues", async () => {
  const { pool } = poolTo(await started(echo()));
  for (const step of ["onRequestStart", "onResponseStart", "onResponseData", "onResponseEnd"]) {
    const error = await new Promise((resolve) => {
      const handler = {
        onRequestStart: () => undefined,
        onResponseStart: () => undefined,
        onResponseData: () => undefined,
        onResponseEnd: () => undefined,
        onResponseError: (_controller: unknown, error: Error) => resolve(error),
        [step]: () => {
          throw new Error("broken");
        },
      };
      pool.dispatch(
        { origin: "", method: "GET", path: "/", headers: [], body: null } as DispatchOptions,
        handler,
      );
    });
    expect(error).toEqual(new Error("broken"));
  }
  expect((await send(pool)).status).toBe(200);
});

test("closing the pool waits for running requests, and rejects new requests", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const server = createServer(async (_request, response) => {
    await promise;
    response.end("good");
  });
  const { pool } = poolTo(await started(server), { connections: 1 });
  const sent = Promise.all([send(pool), send(pool), send(pool, { method: "HEAD" })]);
  const closed = pool.close();
  resolve();
  expect((await sent).map(({ status }) => status)).toEqual([200, 200, 200]);
  await closed;
  await expect(send(pool)).rejects.toHaveProperty("code", expect.stringMatching(/CLOSED|DESTROYED/));
});

test("requests to a server that always sends unusual responses go to undici, which keeps its connections", async () => {
  const server = createServer((_request, response) => {
    response.writeEarlyHints({ link: "</a>; rel=preload" });
    response.end("good");
  });
  const { pool, made } = poolTo(await started(server));
  for (let count = 0; count < 8; count++) expect((await send(pool)).body).toBe("good");
  expect(made).toEqual({ ours: 3, others: 1 });
});

test("undici handles requests to an unusual server, which is tested again at growing intervals until its responses are typical", async () => {
  let isUsual = false;
  const server = createServer((_request, response) => {
    if (!isUsual) response.writeEarlyHints({ link: "</a>; rel=preload" });
    response.end("good");
  });
  const { pool, made } = poolTo(await started(server));
  const tried: number[] = [];
  for (let count = 1; count <= 250; count++) {
    const before = made.ours;
    await send(pool);
    if (made.ours > before) tried.push(count);
  }
  // 16 requests go to undici before the next test, then 32, 64 and 128
  expect(tried).toEqual([1, 2, 3, 20, 53, 118, 247]);
  isUsual = true;
  const before = made.ours;
  for (let count = 0; count < 256 + 10; count++) await send(pool);
  expect(made.ours - before).toBe(1);
  isUsual = false;
  const again = made.ours;
  for (let count = 0; count < 3 + 16; count++) await send(pool);
  // the open connection and two new ones are tried; then the first interval applies again
  expect(made.ours - again).toBe(2);
  await send(pool);
  expect(made.ours - again).toBe(3);
});

test("only one of many concurrent requests tests whether the responses of a server are typical", async () => {
  const server = createServer((_request, response) => {
    response.writeEarlyHints({ link: "</a>; rel=preload" });
    response.end("good");
  });
  const { pool, made } = poolTo(await started(server));
  for (let count = 0; count < 3 + 16; count++) await send(pool);
  const before = made.ours;
  await Promise.all(Array.from({ length: 30 }, () => send(pool)));
  expect(made.ours - before).toBe(1);
});

test("subscribers of undici's diagnostics channels see all requests", async () => {
  const { pool, made } = poolTo(await started(echo()));
  const seen: unknown[] = [];
  const listener = (message: unknown) => seen.push(message);
  channel("undici:request:create").subscribe(listener);
  try {
    await send(pool);
  } finally {
    channel("undici:request:create").unsubscribe(listener);
  }
  expect(seen).toHaveLength(1);
  expect(made).toEqual({ ours: 0, others: 1 });
});
