import { Code, type ConnectError } from "@connectrpc/connect";
import fc from "fast-check";
import { expect, test } from "vitest";
import { reasonOf } from "../errors/rest-error.ts";
import { retryDelayOf } from "../errors/retry-info.ts";
import { failureOf } from "../testing/failure.ts";
import { FakeClock } from "../testing/fake-clock.ts";
import { Secret } from "../text/secret.ts";
import type { EndpointRequest, EndpointResponse, Tokens } from "../token-endpoint/tokens.ts";
import type { OAuth2Grant, TokenStore } from "./oauth2-grant.ts";
import { type TokenFailure, TokenSource } from "./token-source.ts";
import { upstreamTokenError } from "./token-sources.ts";

const GRANT: OAuth2Grant = {
  tokenUrl: "https://id.example/token",
  clientId: "me",
  clientSecret: "hush-hush-1",
};

/** A token endpoint that sends the responses of a test and records requests. */
class Endpoint {
  readonly requests: EndpointRequest[] = [];
  readonly forms: Array<Record<string, string>> = [];
  answer: (count: number) => { status?: number; body: unknown; retryAfter?: string } | Error = (count) => ({
    body: { access_token: `token-${count}`, token_type: "Bearer", expires_in: 3600 },
  });
  /** The promise for which responses wait. */
  held: Promise<void> | undefined;

  readonly send = async (request: EndpointRequest): Promise<EndpointResponse> => {
    this.requests.push(request);
    this.forms.push(Object.fromEntries(new URLSearchParams(request.body)));
    const answer = this.answer(this.requests.length);
    await this.held;
    if (answer instanceof Error) throw answer;
    const { status = 200, body, retryAfter } = answer;
    const text = typeof body === "string" ? body : JSON.stringify(body);
    return {
      status,
      body: Buffer.from(text),
      header: (name) => (name === "retry-after" ? retryAfter : undefined),
    };
  };
}

function setUp(grant: OAuth2Grant = GRANT) {
  const [endpoint, clock] = [new Endpoint(), new FakeClock()];
  return { endpoint, clock, source: sourceOf(grant, endpoint, clock) };
}

function sourceOf(grant: OAuth2Grant, { send }: Endpoint, clock: FakeClock): TokenSource {
  const errorOf = (failure: TokenFailure) => upstreamTokenError("blog", grant.tokenUrl, failure);
  return new TokenSource({ grant, send, clock, errorOf });
}

const get = async (source: TokenSource) => (await source.get()).reveal();

test("a token is fetched with the client's credentials, once for all waiting calls, and then cached", async () => {
  const { endpoint, source } = setUp({ ...GRANT, scope: "a b", parameters: { audience: "x" } });
  const tokens = await Promise.all(Array.from({ length: 50 }, () => get(source)));
  expect(new Set(tokens)).toEqual(new Set(["token-1"]));
  expect(await get(source)).toBe("token-1");
  expect(endpoint.requests).toHaveLength(1);
  expect(endpoint.forms[0]).toEqual({ grant_type: "client_credentials", scope: "a b", audience: "x" });
  expect(endpoint.requests[0]?.headers.authorization).toBe(
    `Basic ${btoa("me:hush-hush-1".replaceAll("-", "%2D"))}`,
  );
});

test("the client secret is sent in the body if the server expects it there", async () => {
  const { endpoint, source } = setUp({ ...GRANT, clientAuthentication: "body" });
  await source.get();
  expect(endpoint.requests[0]?.headers.authorization).toBeUndefined();
  expect(endpoint.forms[0]).toMatchObject({ client_id: "me", client_secret: "hush-hush-1" });
});

test("a token is refreshed in the background before it expires, and calls wait for the refresh only after it has expired", async () => {
  const { endpoint, clock, source } = setUp();
  await get(source);
  clock.advance(3600_000 - 70_000);
  expect(await get(source)).toBe("token-1");
  expect(endpoint.requests).toHaveLength(1);
  clock.advance(20_000);
  expect(await get(source)).toBe("token-1");
  await settled();
  expect(endpoint.requests).toHaveLength(2);
  expect(await get(source)).toBe("token-2");
  clock.advance(3600_000 - 4_000);
  expect(await get(source)).toBe("token-3");
});

test("after a failed background refresh the token is used until it expires, and the next calls do not retry immediately", async () => {
  const { endpoint, clock, source } = setUp();
  await get(source);
  endpoint.answer = () => new Error("down");
  clock.advance(3600_000 - 40_000);
  for (let call = 0; call < 20; call++) {
    expect(await get(source)).toBe("token-1");
    await settled();
  }
  expect(endpoint.requests).toHaveLength(2);
  clock.advance(36_000);
  const error = await failureOf(source.get());
  expect([error.code, reasonOf(error)]).toEqual([Code.Unavailable, "UPSTREAM_TOKEN_FAILED"]);
});

test("while the token endpoint is unavailable, requests to it become less frequent, and calls fail immediately and state the delay", async () => {
  const { endpoint, clock, source } = setUp();
  endpoint.answer = () => ({ status: 503, body: "down" });
  for (let second = 0; second < 600; second++) {
    for (let call = 0; call < 10; call++) {
      const error = await failureOf(source.get());
      expect(reasonOf(error)).toBe("UPSTREAM_TOKEN_FAILED");
      expect(retryDelayOf(error)).toBeGreaterThan(0);
    }
    clock.advance(1000);
  }
  expect(endpoint.requests.length).toBeLessThan(25);
  expect(endpoint.requests.length).toBeGreaterThan(8);
  endpoint.answer = () => ({ body: { access_token: "back", token_type: "bearer" } });
  clock.advance(60_000);
  expect(await get(source)).toBe("back");
});

test("the retry delay of the token endpoint is respected up to five minutes", async () => {
  const { endpoint, clock, source } = setUp();
  endpoint.answer = () => ({ status: 429, body: {}, retryAfter: "120" });
  await failureOf(source.get());
  clock.advance(119_000);
  await failureOf(source.get());
  expect(endpoint.requests).toHaveLength(1);
  endpoint.answer = () => ({ status: 429, body: {}, retryAfter: "999999" });
  clock.advance(1_000);
  const error = await failureOf(source.get());
  expect(retryDelayOf(error)).toBe(300_000);
});

const REFUSALS: ReadonlyArray<readonly [string, number, unknown, string]> = [
  [
    "in the format of RFC 6749",
    400,
    { error: "invalid_client", error_description: "who?" },
    "invalid_client: who?",
  ],
  ["with 401", 401, { error: "invalid_grant" }, "invalid_grant"],
  ["with 200", 200, { error: "invalid_scope" }, "invalid_scope"],
];

test.each(REFUSALS)(
  "a rejection by the token endpoint is reported as a configuration error and remembered: %s",
  async (_, status, body, text) => {
    const { endpoint, source } = setUp();
    endpoint.answer = () => ({ status, body });
    for (let call = 0; call < 5; call++) {
      const error = await failureOf(source.get());
      expect([error.code, reasonOf(error)]).toEqual([Code.Internal, "UPSTREAM_TOKEN_REFUSED"]);
      expect(error.rawMessage).toBe(
        `upstream blog: the token endpoint https://id.example/token rejected the configured client or refresh token: ${text}`,
      );
    }
    expect(endpoint.requests).toHaveLength(1);
  },
);

const ODD: ReadonlyArray<readonly [string, number, unknown]> = [
  ["a response that is not JSON", 200, "<html>"],
  ["an array", 200, []],
  ["no token", 200, { token_type: "bearer" }],
  ["a token that is a number", 200, { access_token: 7, token_type: "bearer" }],
  ["a token with a line break", 200, { access_token: "a\r\nx: y", token_type: "bearer" }],
  ["a token of another type", 200, { access_token: "a", token_type: "mac" }],
  ["an invalid lifetime", 200, { access_token: "a", token_type: "bearer", expires_in: "soon" }],
  ["a redirect", 302, ""],
  ["a server error", 500, { error: "server_error" }],
  [
    "an error in the format of an API",
    403,
    { meta: { status: 403, msg: "Forbidden" }, errors: [{ detail: "no" }] },
  ],
];

test.each(ODD)("a response without a token is reported as a failure: %s", async (_, status, body) => {
  const { endpoint, source } = setUp();
  endpoint.answer = () => ({ status, body });
  expect(reasonOf(await failureOf(source.get()))).toBe("UPSTREAM_TOKEN_FAILED");
});

test("a token response may have empty members, and a lifetime as a string of digits", async () => {
  const { endpoint, clock, source } = setUp();
  endpoint.answer = (count) => ({
    body: { access_token: `t${count}`, id_token: false, refresh_token: null, scope: "", expires_in: "60" },
  });
  expect(await get(source)).toBe("t1");
  clock.advance(56_000);
  expect(await get(source)).toBe("t2");
});

test("errors never contain a secret, even if the server repeats it", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.stringMatching(/^[A-Za-z0-9._~+/-]{8,40}$/),
      fc.stringMatching(/^[A-Za-z0-9._~+/-]{8,40}$/),
      fc.constantFrom("error_description", "error", "message"),
      async (clientSecret, refreshToken, key) => {
        const { endpoint, source } = setUp({ ...GRANT, clientSecret, refreshToken });
        const echo = `${clientSecret} ${refreshToken} ${encodeURIComponent(refreshToken)}`;
        endpoint.answer = () => ({ status: 400, body: { error: "invalid_grant", [key]: echo } });
        const error: ConnectError = await failureOf(source.get());
        expect(error.message).not.toContain(clientSecret);
        expect(error.message).not.toContain(refreshToken);
      },
    ),
    { numRuns: 50, interruptAfterTimeLimit: 5000 },
  );
});

test("a token that the upstream rejected is refreshed once for all calls, and then not again for some time", async () => {
  const { endpoint, clock, source } = setUp();
  const first = await source.get();
  const others = await Promise.all(Array.from({ length: 20 }, () => source.another(first)));
  expect(new Set(others.map((other) => other?.token.reveal()))).toEqual(new Set(["token-2"]));
  expect(await source.another(first)).toMatchObject({});
  expect(endpoint.requests).toHaveLength(2);
  for (let call = 0; call < 20; call++) {
    expect(await source.another(new Secret("token-2"))).toBeUndefined();
    const error = source.rejectedError();
    expect([error.code, reasonOf(error)]).toEqual([Code.Unavailable, "UPSTREAM_TOKEN_FAILED"]);
    expect(retryDelayOf(error)).toBeGreaterThan(0);
    expect(retryDelayOf(error)).toBeLessThanOrEqual(15_000);
  }
  expect(endpoint.requests).toHaveLength(2);
  clock.advance(15_000);
  expect((await source.another(new Secret("token-2")))?.token.reveal()).toBe("token-3");
});

/** Events that affect the only valid token of an upstream, or its token endpoint. */
const EVENTS = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("call" as const), at: fc.nat(2) }) },
  fc.record({ kind: fc.constant("invalidate" as const) }),
  fc.record({ kind: fc.constant("endpoint" as const), isUp: fc.boolean() }),
  fc.record({ kind: fc.constant("pass" as const), ms: fc.nat(20_000) }),
);

test("when the upstream invalidates tokens, each call gets another token, or UNAVAILABLE with a delay, and each process requests at most one token per 10 s", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(EVENTS, { maxLength: 60 }), fc.boolean(), async (events, isShared) => {
      const [endpoint, clock] = [new Endpoint(), new FakeClock()];
      let isUp = true;
      let good = "";
      const store = isShared ? new MemoryStore() : undefined;
      const askedAt: number[][] = [[], [], []];
      endpoint.answer = (count) => {
        if (!isUp) return new Error("rejected");
        good = `token-${count}`;
        return { body: { access_token: good, expires_in: 1e9, refresh_token: `refresh-${count}` } };
      };
      const grant = { ...GRANT, refreshToken: "refresh-0", store };
      const sources = [0, 1, 2].map(() => sourceOf(grant, endpoint, clock));
      /** as in the gateway, a rejected request is retried once with another token. */
      const call = async (at: number) => {
        const source = sources[at];
        if (source === undefined) throw new Error("no source");
        const first = await source.get();
        if (first.reveal() === good) return;
        const before = endpoint.requests.length;
        try {
          let other = await source.another(first);
          if (other === undefined) throw source.rejectedError();
          // this token may be as old as the first and also be rejected, so its own `rejected` is called
          if (other.token.reveal() !== good) {
            expect(other.isNew).toBe(false);
            other = await source.another(other.token);
            if (other === undefined) throw source.rejectedError();
          }
          expect(other.token.reveal()).toBe(good);
        } finally {
          if (endpoint.requests.length > before && isUp) askedAt[at]?.push(clock.monotonic());
        }
      };
      for (const event of events) {
        if (event.kind === "invalidate") good = "";
        if (event.kind === "endpoint") isUp = event.isUp;
        if (event.kind === "pass") clock.advance(event.ms);
        if (event.kind !== "call") continue;
        const error = await call(event.at).then(
          () => undefined,
          (cause: unknown) => cause as ConnectError,
        );
        if (error === undefined) continue;
        expect([error.code, reasonOf(error)]).toEqual([Code.Unavailable, "UPSTREAM_TOKEN_FAILED"]);
        expect(retryDelayOf(error)).toBeGreaterThan(0);
      }
      for (const times of askedAt) {
        for (const [index, time] of times.slice(1).entries()) {
          expect(time - (times[index] ?? 0)).toBeGreaterThanOrEqual(10_000);
        }
      }
      // after the endpoint recovers, calls succeed again
      isUp = true;
      clock.advance(300_000);
      for (const at of [0, 1, 2]) {
        await call(at);
        clock.advance(15_000);
      }
    }),
    { numRuns: 100, interruptAfterTimeLimit: 10_000 },
  );
});

test("a refresh token is used until the server sends a new one", async () => {
  const { endpoint, clock, source } = setUp({ ...GRANT, refreshToken: "refresh-0" });
  const rotating = [true, false, true];
  endpoint.answer = (count) => ({
    body: {
      access_token: `t${count}`,
      expires_in: 60,
      ...(rotating[count - 1] ? { refresh_token: `refresh-${count}` } : {}),
    },
  });
  for (let count = 0; count < 4; count++) {
    await source.get();
    clock.advance(60_000);
  }
  const sent = endpoint.forms.map(({ refresh_token }) => refresh_token);
  expect(sent).toEqual(["refresh-0", "refresh-1", "refresh-1", "refresh-3"]);
  expect(endpoint.forms[0]).toMatchObject({ grant_type: "refresh_token" });
});

/** An in-memory store that several processes share. It runs one refresh at a time. */
class MemoryStore implements TokenStore {
  readonly name = "memory";
  kept: Tokens | undefined;
  private last: Promise<unknown> = Promise.resolve();

  update(refresh: (kept: Tokens | undefined) => Promise<Tokens>): Promise<Tokens> {
    const turn = this.last.then(async () => {
      this.kept = await refresh(this.kept);
      return this.kept;
    });
    this.last = turn.catch(() => undefined);
    return turn;
  }
}

test("processes that share a store refresh a token once, and never use a refresh token twice", async () => {
  const store = new MemoryStore();
  const [endpoint, clock] = [new Endpoint(), new FakeClock()];
  const used = new Set<string>();
  endpoint.answer = (count) => {
    const { refresh_token: token = "" } = endpoint.forms[count - 1] ?? {};
    if (used.has(token)) return { status: 400, body: { error: "invalid_grant" } };
    used.add(token);
    return { body: { access_token: `t${count}`, expires_in: 60, refresh_token: `refresh-${count}` } };
  };
  const grant = { ...GRANT, refreshToken: "refresh-0", store };
  const sources = Array.from({ length: 5 }, () => sourceOf(grant, endpoint, clock));
  for (let round = 1; round <= 4; round++) {
    const tokens = await Promise.all(sources.flatMap((source) => [get(source), get(source)]));
    expect(new Set(tokens)).toEqual(new Set([`t${round}`]));
    clock.advance(60_000);
  }
  expect(endpoint.requests).toHaveLength(4);
  expect(store.kept?.refreshToken?.reveal()).toBe("refresh-4");
});

test("the error for a store that fails, or has no refresh token, names the problem", async () => {
  const none = setUp({ ...GRANT, store: new MemoryStore() });
  const error = await failureOf(none.source.get());
  expect([reasonOf(error), none.endpoint.requests]).toEqual(["UPSTREAM_TOKENS_UNREADABLE", []]);
  const failing = { name: "disk", update: () => Promise.reject(new Error("no space left")) };
  const full = await failureOf(setUp({ ...GRANT, store: failing }).source.get());
  expect(full.rawMessage).toBe(
    "upstream blog: the tokens of its credentials cannot be read or stored: no space left",
  );
});

/** Waits for all pending work, which does no I/O. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
  await new Promise((resolve) => setImmediate(resolve));
}
