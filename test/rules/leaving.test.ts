/** Tests that a client that stops reading a stream ends the call and the exchange with the upstream. */
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Code, createClient, type Transport } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { startGateway } from "connect-rest-gateway";
import { createRestTransport } from "connect-rest-runtime";
import { afterEach, describe, expect, test } from "vitest";
import { createLogger } from "../../gateway/src/log/logger.ts";
import { AnyService } from "../gen/rules/v1/any_pb.ts";
import { AnyServiceRest } from "../gen/rules/v1/any_rest.ts";
import { StreamService } from "../gen/rules/v1/streams_pb.ts";
import { StreamServiceRest } from "../gen/rules/v1/streams_rest.ts";

const ADAPTERS = [StreamServiceRest, AnyServiceRest];

const cleanups: Array<() => unknown> = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

/** Starts an upstream with endless streams, and counts its open exchanges. */
async function endless(begin: (response: ServerResponse, index: number) => void) {
  let index = 0;
  let open = 0;
  let onClose = () => {};
  const server = createServer((_request, response) => {
    open++;
    response.once("close", () => {
      open--;
      onClose();
    });
    begin(response, index++);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  cleanups.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const idle = async () => {
    while (open > 0) await new Promise<void>((resolve) => (onClose = resolve));
  };
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, idle };
}

interface Way {
  readonly transport: Transport;
  /** Resolves with the code of the only call once the call has been reported. */
  readonly reported: Promise<string>;
}

function inProcess(baseUrl: string): Way {
  const { promise: reported, resolve } = Promise.withResolvers<string>();
  const transport = createRestTransport({
    adapters: ADAPTERS,
    upstreams: { rules: { baseUrl, retry: false } },
    onCall: ({ error }) => resolve(error?.code === Code.Canceled ? "canceled" : String(error)),
  });
  cleanups.push(() => transport.close());
  return { transport, reported };
}

const byGateway = (open: (baseUrl: string) => Transport) => async (baseUrl: string) => {
  const { promise: reported, resolve } = Promise.withResolvers<string>();
  const write = (line: string) => {
    const { code } = JSON.parse(line) as { readonly code?: string };
    if (code !== undefined) resolve(code);
  };
  const gateway = await startGateway({
    adapters: ADAPTERS,
    upstreams: { rules: { baseUrl, retry: false } },
    limits: { drainNoticeMs: 1 },
    log: createLogger("info", { write }),
  });
  cleanups.push(() => gateway.close());
  return { transport: open(gateway.url), reported };
};

const WAYS: readonly (readonly [string, (baseUrl: string) => Way | Promise<Way>])[] = [
  ["in-process", inProcess],
  ["Connect over HTTP/1.1", byGateway((baseUrl) => createConnectTransport({ baseUrl, httpVersion: "1.1" }))],
  ["Connect over HTTP/2", byGateway((baseUrl) => createConnectTransport({ baseUrl, httpVersion: "2" }))],
  ["gRPC", byGateway((baseUrl) => createGrpcTransport({ baseUrl }))],
  ["gRPC-Web over HTTP/1.1", byGateway((baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: "1.1" }))],
  ["gRPC-Web over HTTP/2", byGateway((baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: "2" }))],
];

type Read = (transport: Transport, signal: AbortSignal) => AsyncIterable<unknown>;

const json = (response: ServerResponse, value: object, headers = {}) =>
  response.writeHead(200, { "content-type": "application/json", ...headers }).end(JSON.stringify(value));

const KINDS: readonly (readonly [string, (response: ServerResponse, index: number) => void, Read])[] = [
  [
    "pages",
    (response, index) => {
      // The second page never arrives.
      if (index === 0) json(response, { entries: [{ id: 1 }, { id: 2 }] });
    },
    (transport, signal) => createClient(StreamService, transport).byPage({}, { signal }),
  ],
  [
    "polls",
    (response, index) => json(response, { entries: [{ id: index }] }, { "x-poll-interval": "1" }),
    (transport, signal) => createClient(StreamService, transport).watchEntries({ name: "a" }, { signal }),
  ],
  [
    "records",
    (response) => response.writeHead(200).write('{"name":"a"}\n'),
    (transport, signal) => createClient(AnyService, transport).watch({}, { signal }),
  ],
  [
    "downloads",
    (response) => response.writeHead(200).write("chunk"),
    (transport, signal) => createClient(StreamService, transport).downloadFile({ name: "a" }, { signal }),
  ],
];

describe.each(WAYS)("%s", (_, way) => {
  test.each(KINDS)(
    "the upstream's response for %s ends if the client leaves the loop and then aborts the signal",
    async (_, begin, read) => {
      const upstream = await endless(begin);
      const { transport, reported } = await way(upstream.baseUrl);
      const call = new AbortController();
      try {
        for await (const _ of read(transport, call.signal)) break;
      } finally {
        call.abort();
      }
      expect(await reported).toBe("canceled");
      await upstream.idle();
    },
  );
});

test("Connect clients do not notify a transport when the caller leaves a loop", async () => {
  const upstream = await endless((response) => response.writeHead(200).write('{"name":"a"}\n'));
  const { transport } = inProcess(upstream.baseUrl);
  const call = new AbortController();
  const messages = createClient(AnyService, transport).watch({}, { signal: call.signal });
  const iterator = messages[Symbol.asyncIterator]();
  await iterator.next();
  // If connect adds this method, the documentation of streams must change.
  expect(iterator.return).toBeUndefined();
  call.abort();
});
