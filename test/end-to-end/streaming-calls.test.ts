import http from "node:http";
import type { AddressInfo } from "node:net";
import { type Client, createClient } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { type Gateway, startGateway } from "connect-rest-gateway";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createLogger } from "../../gateway/src/log/logger.ts";
import { PostService } from "../../gen/blog/v1/post_pb.ts";
import { PostServiceRest } from "../../gen/blog/v1/post_rest.ts";
import { failureOf } from "../../runtime/src/testing/failure.ts";

const page = (links: object) =>
  JSON.stringify({
    meta: { status: 200 },
    response: { posts: [{ id_string: "1" }, { id_string: "2" }], ...links },
  });
const next = { _links: { next: { href: "/v2/blog/demo/posts?page=2", query_params: { offset: "2" } } } };

let answer: (request: http.IncomingMessage, response: http.ServerResponse) => void;
let upstream: http.Server;
let gateway: Gateway;
let lines: Record<string, unknown>[] = [];
let onLine = () => {};

beforeAll(async () => {
  upstream = http.createServer((request, response) => answer(request, response));
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  const write = (line: string) => {
    lines.push(JSON.parse(line));
    onLine();
  };
  const baseUrl = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  gateway = await startGateway({
    adapters: [PostServiceRest],
    upstreams: { blog: { baseUrl, retry: false, breaker: false, credentials: { apiKey: "k" } } },
    limits: { drainNoticeMs: 1 },
    log: createLogger("info", { write }),
  });
});
beforeEach(() => {
  lines = [];
});
afterAll(async () => {
  await gateway.close();
  upstream.closeAllConnections();
  upstream.close();
});

/** Returns the log line of the only call. The line is written after the response. */
async function line(): Promise<Record<string, unknown> | undefined> {
  while (lines.length === 0) await new Promise<void>((resolve) => (onLine = resolve));
  return lines[0];
}

async function read(client: Client<typeof PostService>, take: number): Promise<void> {
  const call = new AbortController();
  let taken = 0;
  for await (const _ of client.streamPosts({ blogIdentifier: "demo" }, { signal: call.signal })) {
    if (++taken === take) call.abort();
  }
}

describe.each([
  ["Connect", () => createConnectTransport({ baseUrl: gateway.url, httpVersion: "1.1" })],
  ["gRPC", () => createGrpcTransport({ baseUrl: gateway.url })],
  ["gRPC-Web", () => createGrpcWebTransport({ baseUrl: gateway.url, httpVersion: "1.1" })],
])("a stream by %s", (_, transport) => {
  const client = () => createClient(PostService, transport());

  test("is logged with the number of its requests and the status of the last request", async () => {
    // Matched by address: an aborted call of another test may still send a request.
    answer = ({ url = "" }, response) => {
      const links = url.includes("offset=2") ? {} : next;
      response.setHeader("content-type", "application/json").end(page(links));
    };
    await read(client(), Number.POSITIVE_INFINITY);
    expect(await line()).toMatchObject({ code: "ok", attempts: 1, requests: 2, upstreamStatus: 200 });
  });

  test("is logged with the page's status if a later page fails", async () => {
    let requests = 0;
    answer = (_request, response) => {
      if (++requests === 1) {
        response.setHeader("content-type", "application/json").end(page(next));
      } else {
        response.writeHead(404).end();
      }
    };
    await failureOf(read(client(), Number.POSITIVE_INFINITY));
    expect(await line()).toMatchObject({ code: "not_found", attempts: 1, requests: 2, upstreamStatus: 404 });
  });

  test("ends at the upstream if its client aborts, and is logged with the last status", async () => {
    let requests = 0;
    const ended = new Promise((resolve) => {
      answer = (request, response) => {
        // The second page never arrives.
        if (++requests === 2) {
          request.once("close", resolve);
        } else {
          response.setHeader("content-type", "application/json").end(page(next));
        }
      };
    });
    await failureOf(read(client(), 2));
    expect(await line()).toMatchObject({ code: "canceled", upstreamStatus: 200 });
    if (requests === 2) await ended;
  });
});

test("a stream that exceeds its deadline has the same error text on both sides", async () => {
  answer = () => undefined;
  const headers = { "content-type": "application/connect+json", "connect-timeout-ms": "40" };
  const json = '{"blogIdentifier":"demo"}';
  const body = Buffer.from(`\0\0\0\0${String.fromCharCode(json.length)}${json}`, "latin1");
  const ask = async () => {
    const url = `${gateway.url}/blog.v1.PostService/StreamPosts`;
    const text = await (await fetch(url, { method: "POST", headers, body })).text();
    // The JSON follows the five bytes of the envelope.
    return JSON.parse(text.slice(5)).error.message;
  };
  const texts = await Promise.all(Array.from({ length: 20 }, ask));
  expect([...new Set(texts)]).toEqual(["no response within 40 ms, the deadline set by the client"]);
});
