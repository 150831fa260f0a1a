import type { ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { Code, ConnectError } from "@connectrpc/connect";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createRest } from "../rest.ts";
import { httpUpstream, sendJson } from "../testing/servers.ts";
import { PLAIN_RULES, thingAdapter, thingRequest, thingService } from "../testing/thing-service.ts";
import type { CallOptions } from "./call-options.ts";
import type { RequestEnd } from "./options.ts";

type Respond = (response: ServerResponse) => void;

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Respond =>
  (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
  };

const compressed =
  (body: Buffer): Respond =>
  (response) => {
    response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" }).end(body);
  };

const ok: Respond = (response) => sendJson(response, { id: 5 });
const torn: Respond = (response) => void response.socket?.destroy();

/** The responses of the upstream to the requests of a call, in order. The last response repeats. */
const RESPONSES: Readonly<Record<string, readonly Respond[]>> = {
  "a success": [ok],
  "a success with headers for the caller": [
    json(200, { id: 5 }, { "x-request-id": "a", "retry-after": "9" }),
  ],
  "a compressed success": [compressed(gzipSync('{"id":5}'))],
  "a body that is not compressed as declared": [compressed(Buffer.from("no gzip"))],
  "a large success": [json(200, { id: 5, text: "x".repeat(400_000) })],
  "no content": [(response) => void response.writeHead(204).end()],
  "a body that is too large": [json(200, { id: 5, text: "x".repeat(2_000_000) })],
  "a body that is not JSON": [(response) => void response.end("<html>")],
  "a response with another shape": [json(200, [1, 2])],
  "an error": [json(404, { message: "no such thing" })],
  "a temporary error, then a success": [json(503, {}), ok],
  "an error with a delay, then another error, then a success": [
    json(429, {}, { "retry-after": "0" }),
    json(502, {}),
    ok,
  ],
  "an endless sequence of errors": [json(503, { message: "down" })],
  "rejected credentials": [json(401, {})],
  "a part that was not requested": [json(206, { id: 5 })],
  "a redirect that is not followed": [json(304, {})],
  "a connection that breaks, then a success": [torn, ok],
  "an endless sequence of broken connections": [torn],
  "a truncated body": [
    (response) => {
      response.writeHead(200, { "content-length": "100" }).write('{"id":');
      response.socket?.destroySoon();
    },
  ],
  "an error with a truncated body": [
    (response) => {
      response.writeHead(400, { "content-length": "100" }).write('{"message":');
      response.socket?.destroySoon();
    },
  ],
};

const never = new AbortController().signal;

/** The code paths on which a call can reach its upstream. */
const WAYS: Readonly<Record<string, { readonly redirects: boolean; readonly options: () => CallOptions }>> = {
  // if redirects are allowed, the call does not use the first-attempt path
  general: { redirects: true, options: () => ({ timeoutMs: 60_000 }) },
  "first attempt with a signal": { redirects: false, options: () => ({ timeoutMs: 60_000 }) },
  "first attempt with a listener": {
    redirects: false,
    options: () => ({
      header: () => new Headers(),
      signal: never,
      onCancel: () => undefined,
      expiresAt: performance.now() + 60_000,
      hasCallerDeadline: true,
    }),
  },
};

/**
 * Headers that an observer adds. A request without added headers can share its encoded headers with others.
 */
const ADDED = [{}, { "x-more": "1" }];

/** Records the behavior of a call as seen by callers, observers and the upstream. */
async function seen(
  responses: readonly Respond[],
  way: string,
  headers: Readonly<Record<string, string>>,
): Promise<unknown> {
  const { redirects, options } = WAYS[way] ?? WAYS.general ?? { redirects: true, options: () => ({}) };
  const requests: unknown[] = [];
  await using server = await httpUpstream(({ method, url, rawHeaders }, response) => {
    const respond = responses[Math.min(requests.length, responses.length - 1)];
    requests.push([method, url, rawHeaders]);
    respond?.(response);
  });
  const events: unknown[] = [];
  const rules = { ...PLAIN_RULES, idempotent: true, redirects: true, credentials: ["basic"] } as const;
  const rest = createRest({
    adapters: [thingService({ rules })],
    upstreams: {
      things: {
        baseUrl: server.url,
        credentials: { basic: { username: "user", password: "word" } },
        retry: { attempts: 3, baseDelayMs: 1, maxDelayMs: 1 },
        maxResponseBytes: 1_000_000,
        ...(redirects && { redirects: { hosts: [new URL(server.url).host] } }),
      },
    },
    onRequest: ({ verb, isRetry, upstream }) => {
      events.push({ verb, isRetry, upstream });
      return {
        headers,
        onEnd: ({ status, error }: RequestEnd) => events.push([status, text(error)]),
      };
    },
    onCall: ({ verb, upstreamStatus, attempts, bytes, differences, error }) =>
      events.push({ verb, upstreamStatus, attempts, bytes, differences, error: text(error) }),
  });
  const outcome = await rest.call(thingAdapter({ rules }), thingRequest({ name: "a" }), options()).then(
    ({ bytes, header }) => ({ bytes: Buffer.from(bytes).toString("hex"), header: [...header] }),
    (error: unknown) => text(error),
  );
  await rest.close();
  const port = new URL(server.url).port;
  return JSON.parse(JSON.stringify({ outcome, events, requests }).replaceAll(port, "PORT"));
}

function text(error: unknown): unknown {
  if (!(error instanceof ConnectError)) return error === undefined ? undefined : String(error);
  return { code: Code[error.code], message: error.rawMessage, details: error.details.length };
}

test.each(Object.keys(RESPONSES))("the result of %s is the same on every code path", async (name) => {
  const responses = RESPONSES[name] ?? [];
  for (const added of ADDED) {
    const general = await seen(responses, "general", added);
    for (const way of Object.keys(WAYS)) {
      expect({ way, seen: await seen(responses, way, added) }).toEqual({ way, seen: general });
    }
  }
});

const [OK = ok] = RESPONSES["a success"] ?? [];
const drawn = fc.array(fc.constantFrom(OK, ...Object.values(RESPONSES).flat()), {
  minLength: 1,
  maxLength: 4,
});

test("for any sequence of responses, a call ends once, with one request per attempt", async () => {
  await fc.assert(
    fc.asyncProperty(drawn, fc.constantFrom(...ADDED), async (responses, added) => {
      const general = await seen(responses, "general", added);
      for (const way of Object.keys(WAYS)) {
        const one = await seen(responses, way, added);
        expect({ way, seen: one }).toEqual({ way, seen: general });
        const { events, requests } = one as {
          readonly events: readonly unknown[];
          readonly requests: unknown[];
        };
        const ends = events.filter(
          (event) => typeof event === "object" && event !== null && "attempts" in event,
        );
        const starts = events.filter(
          (event) => typeof event === "object" && event !== null && "isRetry" in event,
        );
        expect(ends).toHaveLength(1);
        expect(ends).toMatchObject([{ attempts: starts.length }]);
        expect(starts).toHaveLength(requests.length);
      }
    }),
    { numRuns: 40 },
  );
});

test("if a program modifies its credentials object, the next request uses the new values", async () => {
  const authorizations: unknown[] = [];
  await using server = await httpUpstream(({ headers }, response) => {
    authorizations.push(headers.authorization);
    ok(response);
  });
  const basic = { username: "user", password: "a" };
  const oauth2 = { accessToken: "a" };
  for (const [kind, credentials, change] of [
    ["basic", { basic }, () => Object.assign(basic, { password: "b" })],
    ["oauth2", { oauth2 }, () => Object.assign(oauth2, { accessToken: "b" })],
  ] as const) {
    const rules = { ...PLAIN_RULES, credentials: [kind] };
    const rest = createRest({
      adapters: [thingService({ rules })],
      upstreams: { things: { baseUrl: server.url, credentials } },
    });
    const call = () => rest.call(thingAdapter({ rules }), thingRequest({ name: "a" }));
    await call();
    await call();
    change();
    await call();
    await rest.close();
  }
  const basicOf = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`;
  expect(authorizations).toEqual([
    basicOf("user:a"),
    basicOf("user:a"),
    basicOf("user:b"),
    "Bearer a",
    "Bearer a",
    "Bearer b",
  ]);
});

test.each(["first attempt with a listener", "first attempt with a signal"])(
  "%s: when the call ends, its request is aborted with the same reason",
  async (way) => {
    const closed = Promise.withResolvers<void>();
    const arrived = Promise.withResolvers<void>();
    await using server = await httpUpstream((_request, response) => {
      response.once("close", closed.resolve);
      arrived.resolve();
    });
    const rest = createRest({ adapters: [thingService()], upstreams: { things: { baseUrl: server.url } } });
    const abort = new AbortController();
    let listener: ((reason: unknown) => void) | undefined;
    const lazily: CallOptions = {
      header: () => new Headers(),
      signal: abort.signal,
      onCancel: (given) => {
        listener = given;
      },
      expiresAt: performance.now() + 60_000,
      hasCallerDeadline: true,
    };
    const isLazy = way.endsWith("listener");
    const call = rest.call(
      thingAdapter(),
      thingRequest({ name: "a" }),
      isLazy ? lazily : { signal: abort.signal },
    );
    const failed = call.catch((error: unknown) => error);
    await arrived.promise;
    const reason = new ConnectError("enough", Code.Aborted);
    abort.abort(reason);
    listener?.(reason);
    expect(await failed).toMatchObject({ code: Code.Aborted, rawMessage: "enough" });
    await closed.promise;
    expect(listener).toBeUndefined();
    await rest.close();
  },
);
