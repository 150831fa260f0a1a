/**
 * Tests bare 64-bit integers in Connect's GET requests and in streams, and the integers in their responses.
 */

import { startGateway } from "connect-rest-gateway";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { httpUpstream } from "../../runtime/src/testing/servers.ts";
import { IntegerServiceRest } from "../gen/rules/v1/integers_rest.ts";

const PATH = "/rules.v1.IntegerService";

interface Counter {
  readonly id: bigint;
  readonly step: bigint;
}

const counters = fc.record({
  id: fc.bigInt({ min: 2n ** 53n, max: 2n ** 64n - 1n }),
  step: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).filter((step) => step !== 0n),
});
const EXAMPLES: [Counter][] = [
  [{ id: 9007199254740993n, step: -9007199254740993n }],
  [{ id: 2n ** 64n - 1n, step: -(2n ** 63n) }],
];

/** Returns the JSON of a client that writes 64-bit integers as numbers. */
const bare = ({ id, step }: Counter) => `{"id":${id},"steps":[${step},${step}e0]}`;

/** Returns the expected JSON of a response: integers in ProtoJSON notation. */
const printed = ({ id, step }: Counter) => ({
  id: `${id}`,
  value: `${step}`,
  steps: [`${id}`, `${id}`],
  named: { a: `${step}` },
});

let upstream: Awaited<ReturnType<typeof httpUpstream>>;
const lines: string[] = [];

beforeAll(async () => {
  upstream = await httpUpstream((request, response) => {
    lines.push(request.url ?? "");
    const url = new URL(request.url ?? "", "http://upstream");
    const [, , id] = url.pathname.split("/");
    const step = url.searchParams.get("steps");
    const counter = `{"id":${id},"value":${step},"steps":[${id},"${id}"],"named":{"a":${step}}}`;
    response.writeHead(200, { "content-type": "application/json" });
    response.end(url.pathname.endsWith("/history") ? `${counter}\n${counter}\n` : counter);
  });
});
afterAll(() => upstream[Symbol.asyncDispose]());

type Send = (url: string, text: string) => Promise<unknown>;

const get = (parameters: (text: string) => Record<string, string>): Send => {
  return async (url, text) => {
    const query = new URLSearchParams({ connect: "v1", encoding: "json", ...parameters(text) });
    return (await fetch(`${url}${PATH}/GetCounter?${query}`)).json();
  };
};

const post = (type: string): Send => {
  return async (url, text) => {
    const request = { method: "POST", headers: { "content-type": type }, body: text };
    return (await fetch(`${url}${PATH}/GetCounter`, request)).json();
  };
};

const stream = (type: string, method: string): Send => {
  return async (url, text) => {
    const request = { method: "POST", headers: { "content-type": type }, body: enveloped(text) };
    const response = await fetch(`${url}${PATH}/${method}`, request);
    return messagesOf(Buffer.from(await response.arrayBuffer()));
  };
};

/** Ways to call, with the number of messages in each response; undefined for a unary response. */
const WAYS: readonly (readonly [string, Send, number | undefined])[] = [
  ["Connect, by POST", post("application/json"), undefined],
  ["Connect, by GET", get((message) => ({ message })), undefined],
  [
    "Connect, by GET in base64",
    get((text) => ({ base64: "1", message: Buffer.from(text).toString("base64url") })),
    undefined,
  ],
  ["a Connect stream", stream("application/connect+json", "StreamCounters"), 2],
  ["gRPC-Web", stream("application/grpc-web+json", "GetCounter"), 1],
  ["a gRPC-Web stream", stream("application/grpc-web+json", "StreamCounters"), 2],
];

describe.each([
  ["with the fast path", true],
  ["without the fast path", false],
])("%s", (_, fastPath) => {
  let gateway: Awaited<ReturnType<typeof startGateway>>;
  beforeAll(async () => {
    gateway = await startGateway({
      adapters: [IntegerServiceRest],
      upstreams: { rules: { baseUrl: upstream.url, retry: false } },
      limits: { drainNoticeMs: 1 },
      fastPath,
    });
  });
  afterAll(() => gateway.close());

  test.each(WAYS)("integers are exact in both directions over %s", async (_, send, count) => {
    await fc.assert(
      fc.asyncProperty(counters, async (counter) => {
        const { id, step } = counter;
        lines.length = 0;
        const response = await send(gateway.url, bare(counter));
        const message = printed(counter);
        expect(response).toEqual(count === undefined ? message : Array(count).fill(message));
        const end = count === 2 ? "/history" : "";
        expect(lines).toEqual([`/counters/${id}${end}?steps=${step}&steps=${step}`]);
      }),
      { numRuns: 10, examples: EXAMPLES },
    );
  });
});

function enveloped(text: string): Buffer<ArrayBuffer> {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(Buffer.byteLength(text), 1);
  return Buffer.concat([head, Buffer.from(text)]);
}

/** Returns the messages of a stream, without the end frame, which has a flag. */
function messagesOf(bytes: Buffer): unknown[] {
  const messages: unknown[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = at + 5 + bytes.readUInt32BE(at + 1);
    if (bytes[at] === 0) messages.push(JSON.parse(bytes.subarray(at + 5, end).toString()));
    at = end;
  }
  return messages;
}
