/** Compares the explanations of calls with the requests that an upstream receives. */
import { once } from "node:events";
import { globSync } from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import {
  type DescMessage,
  type DescMethod,
  fromJson,
  type JsonValue,
  type MessageShape,
  toJsonString,
} from "@bufbuild/protobuf";
import { ConnectError, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { createRest, type Rest, type ServiceAdapter } from "connect-rest-runtime";
import type { ExplainedRequest, Explanation } from "connect-rest-runtime/explain";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { methodPath } from "../../gateway/src/call/method-path.ts";
import { type Gateway, startGateway } from "../../gateway/src/gateway.ts";
import {
  type ExplainResponse,
  ExplainService,
} from "../../gateway/src/gen/connectrest/explain/v1/explain_pb.ts";
import { readJson } from "../../gateway/src/protocol/read-json.ts";
import { createValidation } from "../../gateway/src/protocol/validate.ts";
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
  response.sendDate = false;
  response.writeHead(404, { "content-type": "application/json", "set-cookie": "session=1" }).end("{}");
});

let rest: Rest;
let gateway: Gateway;
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
  const upstreams = {
    blog: { bases: { api: url, web: url }, ...options, credentials: { apiKey: "key-secret-1", oauth1 } },
    events: { bases: { api: url }, ...options, credentials: { oauth2: { accessToken: "token-secret-1" } } },
  };
  rest = createRest({ adapters, upstreams });
  gateway = await startGateway({ adapters, upstreams, explain: true });
});

afterAll(async () => {
  await gateway.close({ skipNotice: true });
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

/** Returns the message of the service that has the same content as an explanation. */
function inService(explanation: Explanation, method: DescMethod): unknown {
  const isStream = method.methodKind === "server_streaming" || method.methodKind === "bidi_streaming";
  return {
    method: methodPath(method),
    upstream: explanation.upstream,
    sent: explanation.isSent,
    firstMessageOnly: isStream,
    requests: explanation.requests.map(({ verb, url, headers, body, credentials, isRetry, response }) => ({
      verb,
      url,
      headers: headers.map(({ name, value }) => ({ name, value })),
      body: body && { bytes: body.bytes, text: body.text, incomplete: body.isCut },
      credentials,
      retry: isRetry,
      response: response && { status: response.status, bytes: response.bytes },
    })),
    text: explanation.toString(),
    curl: explanation.toCurl(),
  };
}

/** Returns the parts of a message of the service that `inService` contains. */
function ofService({ requests, ...response }: ExplainResponse): unknown {
  const { method, upstream, sent, firstMessageOnly, text, curl } = response;
  return {
    ...{ method, upstream, sent, firstMessageOnly, text, curl },
    requests: requests.map(({ verb, url, headers, body, credentials, retry, response: answer }) => ({
      verb,
      url,
      headers: headers.map(({ name, value }) => ({ name, value })),
      body: body && {
        bytes: body.bytes === undefined ? undefined : Number(body.bytes),
        text: body.text,
        incomplete: body.incomplete,
      },
      credentials,
      retry,
      response: answer && { status: answer.status, bytes: Number(answer.bytes) },
    })),
  };
}

/** Returns a comparable value, with fixed times and a fixed boundary of a multipart body. */
function timeless(value: unknown): unknown {
  const text = JSON.stringify(value).replaceAll(/[\d.]+ ms/g, "0 ms");
  const boundary = /multipart\/form-data; boundary=([^\\"']+)/.exec(text)?.[1];
  return JSON.parse(boundary === undefined ? text : text.replaceAll(boundary, "boundary"));
}

/** Messages that satisfy the constraints of methods for which no drawn message does. */
const VALID: Readonly<Record<string, JsonValue>> = {
  "user.v1.UserService/FollowBlog": { email: "ada@example.org" },
  "user.v1.UserService/UnfollowBlog": { url: "https://reader-24.blog.example/" },
  "blog.v1.EmbedService/GetEmbed": { url: "https://demo.blog.example/post/1" },
};

/** Returns messages that satisfy the constraints, and the violations of other messages. */
async function drawnMessages(method: DescMethod) {
  const valid = Object.entries(VALID).flatMap(([path, json]) =>
    path === methodPath(method) ? [fromJson(method.input, json)] : [],
  );
  const violations = new Map<MessageShape<DescMessage>, string>();
  const { check } = createValidation();
  for (const message of fc.sample(edgeMessage(method.input), 300)) {
    try {
      await check(method.input, message);
      valid.push(message);
    } catch (violation) {
      violations.set(message, ConnectError.from(violation).rawMessage);
    }
  }
  return { valid: valid.slice(0, 5), violations: [...violations].slice(0, 2) };
}

test("the service of a gateway explains every method like the runtime, and rejects invalid messages", async () => {
  const client = createClient(ExplainService, createGrpcTransport({ baseUrl: gateway.url }));
  for (const { method } of adapters.flatMap((adapter) => Object.values(adapter.methods))) {
    const explain = (message: string, send: boolean) =>
      client.explain({ method: methodPath(method), message, send, confirm: true });
    const { valid, violations } = await drawnMessages(method);
    let explained = 0;
    for (const json of valid.flatMap((message) => jsonOf(method.input, message) ?? [])) {
      // in JSON, the entries of a map may have another order
      const message = readJson(method.input, json, { registry: rest.types });
      const dry = await rest.explain(method, message);
      expect(timeless(ofService(await explain(json, false)))).toEqual(timeless(inService(dry, method)));
      const sent = dry.error === undefined ? await rest.explain(method, message, { send: true }) : dry;
      expect(timeless(ofService(await explain(json, true)))).toEqual(timeless(inService(sent, method)));
      explained += 1;
    }
    expect(explained, methodPath(method)).toBeGreaterThan(0);
    for (const [message, rawMessage] of violations) {
      const json = jsonOf(method.input, message);
      if (json === undefined) continue;
      await expect(explain(json, true)).rejects.toMatchObject({ rawMessage });
    }
  }
});

/** Returns a message as JSON; undefined if it cannot be written as JSON. */
function jsonOf(desc: DescMessage, message: MessageShape<DescMessage>): string | undefined {
  try {
    return toJsonString(desc, message, { registry: rest.types });
  } catch {
    return undefined;
  }
}
