/** Compares the explanations of calls with the requests that an upstream receives. */
import { once } from "node:events";
import { globSync } from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { createRest, type Rest, type ServiceAdapter } from "connect-rest-runtime";
import type { ExplainedRequest, Explanation } from "connect-rest-runtime/explain";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { edgeMessage } from "./edge-messages.ts";

const GEN = join(import.meta.dirname, "../../gen");
const DRAWS = 10;

interface Received {
  readonly verb: string;
  readonly url: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

let received: Received[] = [];
const server = http.createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const pairs = request.rawHeaders.flatMap((name, index, all) =>
    index % 2 === 0 ? [[name.toLowerCase(), all[index + 1] ?? ""] as const] : [],
  );
  received.push({
    verb: request.method ?? "",
    url: `http://${request.headers.host}${request.url}`,
    headers: new Map(pairs),
    body: Buffer.concat(chunks).toString(),
  });
  response.writeHead(404, { "content-type": "application/json", "set-cookie": "session=1" }).end("{}");
});

let rest: Rest;
const adapters: ServiceAdapter[] = [];

beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const file of globSync("*/v1/*_rest.ts", { cwd: GEN })) {
    const module = (await import(join(GEN, file))) as Record<string, unknown>;
    const found = Object.values(module).filter((each) => Object(each).methods !== undefined);
    adapters.push(...(found as ServiceAdapter[]));
  }
  const options = { retry: false, breaker: false, rateLimits: false } as const;
  const oauth1 = {
    consumerKey: "ck",
    consumerSecret: "cs-secret-1",
    token: "tk",
    tokenSecret: "ts-secret-1",
  };
  rest = createRest({
    adapters,
    upstreams: {
      blog: { bases: { api: url, web: url }, ...options, credentials: { apiKey: "key-secret-1", oauth1 } },
      events: { bases: { api: url }, ...options, credentials: { oauth2: { accessToken: "token-secret-1" } } },
    },
  });
});

afterAll(async () => {
  await rest.close();
  server.close();
});

/** Expects that the explained requests equal the received requests, except for hidden and redacted parts. */
function expectReceived({ requests }: Explanation, got: readonly Received[]): void {
  expect(requests.map(({ verb }) => verb)).toEqual(got.map(({ verb }) => verb));
  for (const [index, request] of got.entries()) {
    const { url, headers, body, response } = requests[index] as ExplainedRequest;
    expect(request.url).toMatch(patternOf(url));
    for (const { name, value = "[secret]" } of headers) {
      expect(request.headers.get(name), name).toMatch(patternOf(value));
    }
    expect(request.body).toMatch(patternOf(body === undefined ? "" : (body.text ?? "[secret]")));
    expect(response).toMatchObject({ status: 404, bytes: 2 });
    expect(response?.headers).toContainEqual({ name: "set-cookie", value: undefined });
  }
}

/** Returns a pattern that matches every text whose redacted form is `text`. */
function patternOf(text: string): RegExp {
  const parts = text.split("[secret]").map((part) => part.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&"));
  return new RegExp(`^${parts.join("[^]*")}$`);
}

/** Returns a request in the form of its dry run, with a fixed boundary of a multipart body. */
function common({ response: _, ...request }: ExplainedRequest): unknown {
  const text = JSON.stringify(request);
  const boundary = /multipart\/form-data; boundary=([^"]+)"/.exec(text)?.[1];
  return JSON.parse(boundary === undefined ? text : text.replaceAll(boundary, "boundary"));
}

test("an explanation contains the requests that the upstream receives, and a dry run contains the first one", async () => {
  const methods = adapters.flatMap((adapter) => Object.values(adapter.methods));
  expect(methods.length).toBeGreaterThan(90);
  let sent = 0;
  for (const { method } of methods) {
    const messages = edgeMessage(method.input) as fc.Arbitrary<MessageShape<DescMessage>>;
    const property = fc.asyncProperty(messages, async (message) => {
      received = [];
      const dry = await rest.explain(method, message);
      expect(received).toEqual([]);
      const explanation = await rest.explain(method, message, { send: true });
      expectReceived(explanation, received);
      sent += received.length;
      expect(dry.requests.map(common)).toEqual(explanation.requests.slice(0, 1).map(common));
      expect(dry.error?.message).toBe(received.length === 0 ? explanation.error?.message : undefined);
      expect(`${explanation}${explanation.toCurl()}${JSON.stringify(explanation)}`).not.toMatch(/-secret-1/);
    });
    await fc.assert(property, { numRuns: DRAWS });
  }
  expect(sent).toBeGreaterThan(methods.length);
});
