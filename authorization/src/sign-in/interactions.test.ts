import { once } from "node:events";
import type { ServerResponse } from "node:http";
import net from "node:net";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  type OAuth1TestProvider,
  type OAuth2TestProvider,
  send,
  startOAuth1Provider,
  startOAuth2Provider,
} from "../testing/provider-server.ts";
import {
  browse,
  decide,
  newKey,
  providerSettings,
  type Shown,
  type SignInWorld,
  type SignInWorldOptions,
  startSignIn,
  type TestFlow,
} from "../testing/sign-in-world.ts";

let blog: OAuth2TestProvider;
let photos: OAuth1TestProvider;
let world: SignInWorld;

beforeEach(async () => {
  blog = await startOAuth2Provider();
  photos = await startOAuth1Provider();
});
afterEach(async () => {
  await world.stop();
  await Promise.all([blog.close(), photos.close()]);
});

async function start(options: Partial<SignInWorldOptions> = {}): Promise<void> {
  world = await startSignIn({ providers: [providerSettings("blog", blog)], ...options });
}

function open({ flow }: TestFlow, path = ""): Promise<Shown> {
  return browse(world.url + flow.path + path);
}

/**
 * Signs in up to the redirect from the upstream back to the gateway, and returns the address of that
 * redirect.
 */
async function returnAddress({ flow }: TestFlow): Promise<URL> {
  const departure = await fetch(world.url + flow.path, { redirect: "manual" });
  const back = await fetch(departure.headers.get("location") ?? "", { redirect: "manual" });
  return new URL(back.headers.get("location") ?? "");
}

test("a person signs in at the upstream, consents, and gets a session, whose calls carry the person's tokens", async () => {
  await start();
  const flow = world.start({}, ["read", "write"]);
  const page = await open(flow);
  expect(page.text).toContain("Allow access");
  expect(page.url).toBe(world.url + flow.flow.path);
  expect(page.text).toContain("Your account at The blog");
  expect(page.text).toContain("do read");
  await decide(page, "allow");
  const ending = await flow.ended;
  expect(ending).toMatchObject({ subject: "blog:demo", scopes: ["read", "write"] });
  const { sessionId } = ending as { sessionId: string };
  expect(await world.sessions.isAlive(sessionId)).toBe(true);
  const { oauth2 } = await world.sessions.credentials(sessionId, "blog");
  const token = oauth2?.accessToken as { reveal(): string };
  expect(blog.accountOf(token.reveal())).toBe("demo");
});

test("a person signs in with OAuth 1.0a, consents, and gets a session", async () => {
  await start({ providers: [providerSettings("photos", photos)] });
  const flow = world.start();
  await decide(await open(flow), "allow");
  const ending = await flow.ended;
  expect(ending).toMatchObject({ subject: "photos:ada" });
  const { oauth1 } = await world.sessions.credentials((ending as { sessionId: string }).sessionId, "photos");
  expect(Object.keys(oauth1 ?? {})).toEqual(expect.arrayContaining(["consumerKey", "token", "tokenSecret"]));
});

test("a person signs in at several upstreams in turn, and the first upstream identifies the person", async () => {
  await start({ providers: [providerSettings("photos", photos), providerSettings("blog", blog)] });
  const flow = world.start();
  const page = await open(flow);
  expect(page.text).toMatch(/Your account at The photos.*ada.*Your account at The blog.*demo/s);
  await decide(page, "allow");
  const { sessionId, subject } = (await flow.ended) as { sessionId: string; subject: string };
  expect(subject).toBe("photos:ada");
  for (const provider of ["photos", "blog"]) await world.sessions.credentials(sessionId, provider);
});

test("each request to the upstream has a new state and a new code challenge", async () => {
  await start();
  const flow = world.start();
  const departures = await Promise.all(
    [1, 2, 3].map(() => fetch(world.url + flow.flow.path, { redirect: "manual" })),
  );
  const queries = departures.map(({ headers }) => new URL(headers.get("location") ?? "").searchParams);
  for (const query of queries) {
    expect(Object.fromEntries(query)).toEqual({
      response_type: "code",
      client_id: "gateway",
      redirect_uri: flow.flow.returnUrl,
      scope: "read write",
      state: expect.stringMatching(/^[0-9a-f]{32}~[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: "S256",
    });
  }
  expect(new Set(queries.map((query) => query.get("state"))).size).toBe(3);
  expect(new Set(queries.map((query) => query.get("code_challenge"))).size).toBe(3);
});

test("without PKCE, the authorization request has the configured parameters but no code challenge", async () => {
  const settings = { ...blog.settings, pkce: false, parameters: { prompt: "login" } };
  const provider = providerSettings("blog", blog, { server: { kind: "oauth2", settings } });
  await start({ providers: [provider] });
  const flow = world.start();
  const departure = await fetch(world.url + flow.flow.path, { redirect: "manual" });
  const query = new URL(departure.headers.get("location") ?? "").searchParams;
  expect([query.get("code_challenge"), query.get("prompt")]).toEqual([null, "login"]);
  expect((await open(flow)).text).toContain("Allow access");
});

/** Ways to tamper with the address to which the upstream redirects back. */
const TAMPERED: Readonly<Record<string, (address: URL) => void>> = {
  "another state": ({ searchParams }) => searchParams.set("state", `${searchParams.get("state")}x`),
  "a shortened state": ({ searchParams }) =>
    searchParams.set("state", (searchParams.get("state") ?? "").slice(0, -1)),
  "a state with a line break": ({ searchParams }) =>
    searchParams.set("state", `${searchParams.get("state")}\r\nset-cookie: a=b`),
  "two states": ({ searchParams }) => searchParams.append("state", searchParams.get("state") ?? ""),
  "two codes": ({ searchParams }) => searchParams.append("code", searchParams.get("code") ?? ""),
  "no code": ({ searchParams }) => searchParams.delete("code"),
  "an empty code": ({ searchParams }) => searchParams.set("code", ""),
  "an unexpected issuer": ({ searchParams }) => searchParams.set("iss", "https://evil.example"),
  "an ID token in the redirect": ({ searchParams }) => searchParams.set("id_token", "a.b.c"),
  "a signed response in the redirect": ({ searchParams }) => searchParams.set("response", "a.b.c"),
};

test.each(Object.keys(TAMPERED))("a return with %s gets no token, and shows an error page", async (name) => {
  await start();
  const flow = world.start();
  const address = await returnAddress(flow);
  TAMPERED[name]?.(address);
  const page = await browse(address.href);
  expect([page.status, page.text]).toEqual([
    502,
    expect.stringContaining("The blog sent something unexpected"),
  ]);
  expect(blog.counts.get("/token code")).toBeUndefined();
  expect([...page.headers].join()).not.toMatch(/set-cookie/i);
  const again = await browse(world.url + flow.flow.path);
  expect(again.text).toContain("Allow access");
});

test("a state is accepted once: reloading the return address has no effect", async () => {
  await start();
  const address = await returnAddress(world.start());
  expect((await browse(address.href)).text).toContain("Allow access");
  const again = await browse(address.href);
  expect([again.status, again.text]).toEqual([400, expect.stringContaining("used before, or is too old")]);
  expect(blog.counts.get("/token code")).toBe(1);
});

test("if a person returns several times concurrently, only one return is accepted", async () => {
  await start();
  const address = await returnAddress(world.start());
  const pages = await Promise.all(Array.from({ length: 8 }, () => browse(address.href)));
  expect(pages.filter(({ status }) => status === 400)).toHaveLength(7);
  expect(blog.counts.get("/token code")).toBe(1);
});

test("a return from a superseded redirect to the upstream is rejected", async () => {
  await start();
  const flow = world.start();
  const first = await returnAddress(flow);
  const second = await returnAddress(flow);
  expect((await browse(first.href)).status).toBe(502);
  expect(blog.counts.get("/token code")).toBeUndefined();
  expect((await browse(second.href)).status).toBe(400);
});

test("a return that belongs to one flow is rejected in another flow", async () => {
  await start();
  const [mine, other] = [world.start(), world.start()];
  await returnAddress(mine);
  const foreign = await returnAddress(other);
  const page = await browse(`${world.url}${mine.flow.path}/return${foreign.search}`);
  expect(page.status).toBe(502);
  expect(blog.counts.get("/token code")).toBeUndefined();
});

test("a response with an unexpected issuer is rejected, and so is a response without the issuer if the configuration requires it", async () => {
  const settings = { ...blog.settings, issuer: "https://issuer.example", requireIssuer: true };
  const provider = providerSettings("blog", blog, { server: { kind: "oauth2", settings } });
  await start({ providers: [provider] });
  const pages: number[] = [];
  for (const issuer of [
    undefined,
    "https://evil.example",
    "https://issuer.example/",
    "https://issuer.example",
  ]) {
    const address = await returnAddress(world.start());
    if (issuer !== undefined) address.searchParams.set("iss", issuer);
    pages.push((await browse(address.href)).status);
  }
  expect(pages).toEqual([502, 502, 502, 200]);
});

/** Failures of an upstream, with the status, page and client error that they cause. */
const FAILURES: ReadonlyArray<
  readonly [
    name: string,
    endpoint: string,
    fault: (response: ServerResponse) => void,
    status: number,
    title: string,
    error: string,
  ]
> = [
  [
    "is unavailable",
    "/token code",
    (response) => send(response, 503, {}),
    503,
    "does not respond",
    "temporarily_unavailable",
  ],
  [
    "hangs up",
    "/token code",
    (response) => response.destroy(),
    503,
    "does not respond",
    "temporarily_unavailable",
  ],
  [
    "responds with HTML",
    "/token code",
    (response) => response.setHeader("content-type", "text/html").end("<p>hi"),
    502,
    "sent something unexpected",
    "server_error",
  ],
  [
    "responds with arbitrary bytes",
    "/token code",
    (response) => response.end(Buffer.alloc(1000, 0xff)),
    502,
    "sent something unexpected",
    "server_error",
  ],
  [
    "sends no token",
    "/token code",
    (response) => send(response, 200, { token_type: "bearer" }),
    502,
    "sent something unexpected",
    "server_error",
  ],
  [
    "sends a token of another type",
    "/token code",
    (response) => send(response, 200, { access_token: "a", token_type: "mac" }),
    502,
    "sent something unexpected",
    "server_error",
  ],
  [
    "sends a token that is invalid in a header",
    "/token code",
    (response) => send(response, 200, { access_token: "a\r\nb: c", token_type: "bearer" }),
    502,
    "sent something unexpected",
    "server_error",
  ],
  [
    "rejects the code",
    "/token code",
    (response) => send(response, 400, { error: "invalid_grant" }),
    400,
    "took too long",
    "access_denied",
  ],
  [
    "rejects the code with status 200",
    "/token code",
    (response) => send(response, 200, { error: "invalid_grant" }),
    400,
    "took too long",
    "access_denied",
  ],
  [
    "rejects the code with status 401",
    "/token code",
    (response) => send(response, 401, { error: "invalid_grant" }),
    400,
    "took too long",
    "access_denied",
  ],
  [
    "rejects the credentials of the gateway",
    "/token code",
    (response) => send(response, 401, { error: "invalid_client" }),
    502,
    "is not set up correctly",
    "server_error",
  ],
  [
    "requests the gateway's credentials again",
    "/token code",
    (response) => response.writeHead(401, { "www-authenticate": "Basic" }).end(),
    502,
    "is not set up correctly",
    "server_error",
  ],
  [
    "redirects the token request",
    "/token code",
    (response) => response.writeHead(302, { location: "http://127.0.0.1:1/" }).end(),
    502,
    "sent something unexpected",
    "server_error",
  ],
  [
    "rejects the token that it has issued",
    "/me",
    (response) => send(response, 401, {}),
    502,
    "sent something unexpected",
    "server_error",
  ],
  [
    "does not identify the person",
    "/me",
    (response) => send(response, 200, { user: {} }),
    502,
    "is not set up correctly",
    "server_error",
  ],
  [
    "identifies the person with an invalid name",
    "/me",
    (response) => send(response, 200, { user: { name: "a\nb" } }),
    502,
    "is not set up correctly",
    "server_error",
  ],
  [
    "temporarily cannot identify the person",
    "/me",
    (response) => send(response, 500, {}),
    503,
    "does not respond",
    "temporarily_unavailable",
  ],
];

test.each(FAILURES)(
  "if the upstream %s, a page shows the cause, and the client gets an error",
  async (_name, endpoint, fault, status, title, error) => {
    await start();
    blog.faults.set(endpoint, (_request, response) => {
      fault(response);
      return true;
    });
    const flow = world.start();
    const page = await open(flow);
    expect([page.status, /<h1>(.*)<\/h1>/.exec(page.text)?.[1]]).toEqual([
      status,
      expect.stringContaining(title),
    ]);
    blog.faults.clear();
    expect((await open(flow)).text).toContain("Allow access");
    blog.faults.set(endpoint, (_request, response) => {
      fault(response);
      return true;
    });
    await decide(await openAnew(flow), "leave");
    expect(await flow.ended).toMatchObject({ error });
  },
);

/** Opens a flow whose progress was lost, so that the sign-in begins again. */
async function openAnew({ flow }: TestFlow): Promise<Shown> {
  const { hashOf } = await import("connect-rest-runtime/internal");
  await world.store.delete("sign-in", hashOf(flow.id));
  return await browse(world.url + flow.path);
}

test.each(["/token code", "/me"])(
  "a sign-in at an upstream that does not respond at %s fails within its time limits",
  async (endpoint) => {
    await start({ upstreams: { blog: { headersTimeoutMs: 50 } } });
    blog.faults.set(endpoint, () => true);
    const flow = world.start();
    const page = await open(flow);
    expect([page.status, page.text]).toEqual([503, expect.stringContaining("The blog does not respond")]);
    await decide(page, "leave");
    expect(await flow.ended).toEqual({
      error: "temporarily_unavailable",
      description: "blog does not respond",
    });
  },
);

test("a sign-in at an upstream that sends an oversized response fails", async () => {
  await start();
  blog.faults.set("/token code", (_request, response) => {
    response.end(Buffer.alloc(2 * 1024 * 1024, " "));
    return true;
  });
  expect((await open(world.start())).status).toBe(503);
});

test.each(["/request", "/access"])(
  "a sign-in at an OAuth 1.0a server that does not respond at %s fails",
  async (endpoint) => {
    await start({
      providers: [providerSettings("photos", photos)],
      upstreams: { photos: { headersTimeoutMs: 50 } },
    });
    photos.faults.set(endpoint, () => true);
    expect((await open(world.start())).status).toBe(503);
  },
);

test.each<readonly [string, string, number]>([
  ["no token", "a=b", 502],
  ["a token without a secret", "oauth_token=a", 502],
  ["a token that is invalid in a header", "oauth_token=a%0D%0Ab&oauth_token_secret=c", 502],
  ["an unconfirmed callback", "oauth_token=a&oauth_token_secret=c&oauth_callback_confirmed=false", 502],
  ["fields in another order, without a confirmation", "oauth_token_secret=c&oauth_token=a", 404],
])("the temporary credentials of an OAuth 1.0a upstream are validated: %s", async (_name, body, status) => {
  await start({ providers: [providerSettings("photos", photos)] });
  photos.faults.set("/request", (_request, response) => {
    response.end(body);
    return true;
  });
  // the simulated provider rejects credentials that it has not issued
  expect((await open(world.start())).status).toBe(status);
});

test("tokens are revoked if the person cannot be identified", async () => {
  await start();
  blog.faults.set("/me", (_request, response) => {
    send(response, 200, {});
    return true;
  });
  await open(world.start());
  expect(blog.revoked).toHaveLength(2);
});

const REFUSALS: ReadonlyArray<readonly [error: string, status: number, title: string, sent: string]> = [
  ["access_denied", 403, "You did not sign in", "access_denied"],
  ["temporarily_unavailable", 503, "does not respond", "temporarily_unavailable"],
  ["server_error", 503, "does not respond", "temporarily_unavailable"],
  ["invalid_scope", 502, "is not set up correctly", "server_error"],
  ["unauthorized_client", 502, "is not set up correctly", "server_error"],
  ["something_else", 400, "took too long", "access_denied"],
];

test.each(REFUSALS)(
  "if the upstream returns the error %s, a page shows the cause",
  async (error, status, title, sent) => {
    await start();
    const flow = world.start();
    const address = await returnAddress(flow);
    address.searchParams.delete("code");
    address.searchParams.set("error", error);
    address.searchParams.set("error_description", "<script>alert(1)</script>");
    const page = await browse(address.href);
    expect([page.status, page.text]).toEqual([status, expect.stringContaining(title)]);
    expect(page.text).not.toContain("alert");
    await decide(page, "leave");
    expect(await flow.ended).toMatchObject({ error: sent });
  },
);

test.each(["", "?denied=token", "?oauth_token="])(
  "an OAuth 1.0a return without a verifier counts as a rejection: %j",
  async (query) => {
    await start({ providers: [providerSettings("photos", photos)] });
    const flow = world.start();
    await returnAddress(flow);
    const page = await open(flow, `/return${query}`);
    expect(page.status).toBe(query === "?oauth_token=" ? 502 : 403);
    await decide(page, "leave");
    await flow.ended;
  },
);

test.each([
  ["for other temporary credentials", "oauth_token=other&oauth_verifier=v", 502],
  ["with two verifiers", "oauth_token=other&oauth_verifier=v&oauth_verifier=w", 502],
])("an OAuth 1.0a return %s gets no token", async (_name, query, status) => {
  await start({ providers: [providerSettings("photos", photos)] });
  const flow = world.start();
  await returnAddress(flow);
  expect((await open(flow, `/return?${query}`)).status).toBe(status);
  expect(photos.counts.get("/access")).toBeUndefined();
});

test("an OAuth 1.0a upstream rejects a wrong verifier", async () => {
  await start({ providers: [providerSettings("photos", photos)] });
  const flow = world.start();
  const address = await returnAddress(flow);
  address.searchParams.set("oauth_verifier", "wrong");
  const page = await browse(address.href);
  expect([page.status, page.text]).toEqual([400, expect.stringContaining("took too long")]);
});

test("a person can decline optional upstreams, but must sign in at one upstream", async () => {
  const optional = { required: false };
  await start({
    providers: [providerSettings("blog", blog, optional), providerSettings("photos", photos, optional)],
  });
  const flow = world.start();
  const address = await returnAddress(flow);
  address.searchParams.delete("code");
  address.searchParams.set("error", "access_denied");
  const page = await browse(address.href);
  expect(page.text).toContain("Your account at The photos");
  expect(page.text).not.toContain("Your account at The blog");
  await decide(page, "allow");
  expect(await flow.ended).toMatchObject({ subject: "photos:ada" });
});

test("if a person does not consent, the tokens are revoked and the client gets an error", async () => {
  await start();
  const flow = world.start();
  await decide(await open(flow), "deny");
  expect(await flow.ended).toEqual({ error: "access_denied", description: "the person did not consent" });
  expect(blog.revoked).toHaveLength(2);
});

test("a decision is accepted only with the proof from its page, and not from another site", async () => {
  await start();
  const [flow, other] = [world.start(), world.start()];
  const [page, foreign] = [await open(flow), await open(other)];
  const action = `${world.url}${flow.flow.path}/decision`;
  const proofOf = ({ text }: Shown) => /name="proof" value="([^"]+)"/.exec(text)?.[1] ?? "";
  const post = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
    browse(action, { method: "POST", body: new URLSearchParams(fields), headers });
  const mine = proofOf(page);
  const seen = [
    await post({ decision: "allow" }),
    await post({ decision: "allow", proof: "" }),
    await post({ decision: "allow", proof: proofOf(foreign) }),
    await post({ decision: "allow", proof: mine.slice(0, -1) }),
    await post({ decision: "allow", proof: mine }, { "sec-fetch-site": "cross-site" }),
    await post({ decision: "allow", proof: mine }, { "sec-fetch-site": "same-site" }),
  ];
  expect(seen.map(({ status }) => status)).toEqual(Array(6).fill(403));
  expect((await post({ proof: mine })).status).toBe(400);
  expect((await post({ proof: mine, decision: "perhaps" })).status).toBe(400);
  await decide(page, "allow");
  expect(await flow.ended).toMatchObject({ subject: "blog:demo" });
});

test("a form that is too large, has another type, or repeats a field is rejected", async () => {
  await start();
  const { flow } = world.start();
  const action = `${world.url}${flow.path}/decision`;
  const type = "application/x-www-form-urlencoded";
  const post = async (body: string, contentType: string) =>
    (await browse(action, { method: "POST", body, headers: { "content-type": contentType } })).status;
  expect(await post("a=b", "text/plain")).toBe(415);
  expect(await post("{}", "application/json")).toBe(415);
  expect(await post("decision=allow&decision=deny", type)).toBe(400);
  expect(await post(`a=${"x".repeat(1024 * 1024)}`, type).catch(() => 413)).toBe(413);
});

test("sign-ins are counted by outcome", async () => {
  await start();
  await decide(await open(world.start()), "allow");
  blog.faults.set("/token code", (_request, response) => {
    send(response, 500, {});
    return true;
  });
  await open(world.start());
  const stray = world.start();
  await returnAddress(stray);
  await browse(`${world.url}${stray.flow.path}/return?error=access_denied&state=made-up`);
  expect(world.reports).toEqual(["sign-in blog ok", "sign-in blog unavailable", "sign-in blog invalid"]);
});

test("a form that stalls or ends early is rejected, and is not reported as a failure of the gateway", async () => {
  await start({ bodyIdleTimeoutMs: 20 });
  const { flow } = world.start();
  const { port } = new URL(world.url);
  const head = `POST ${flow.path}/decision HTTP/1.1\r\nhost: a\r\ncontent-type: application/x-www-form-urlencoded\r\ncontent-length: 100\r\n\r\n`;
  const stalled = net.connect(Number(port), "127.0.0.1");
  stalled.write(`${head}decision=`);
  const [first] = (await once(stalled, "data")) as [Buffer];
  expect(first.toString()).toMatch(/^HTTP\/1\.1 408 /);
  stalled.destroy();
  const ended = net.connect(Number(port), "127.0.0.1");
  ended.end(`${head}decision=`);
  ended.resume();
  await once(ended, "close");
  expect((await browse(world.url + flow.path)).text).toContain("Allow access");
  expect(world.lines.filter((line) => line.startsWith("failed"))).toEqual([]);
});

test("if the client cannot get its code, the session is ended and its tokens are revoked", async () => {
  let isFailing = true;
  await start({ failing: () => isFailing });
  const flow = world.start();
  const failed = await decide(await open(flow), "allow");
  expect(failed.status).toBe(500);
  expect(blog.revoked).toHaveLength(2);
  isFailing = false;
  expect((await decide(await open(flow), "allow")).status).toBe(0);
  const { sessionId } = (await flow.ended) as { sessionId: string };
  expect(await world.sessions.isAlive(sessionId)).toBe(true);
});

test("unknown paths get 404, and unsupported HTTP methods get 405", async () => {
  await start();
  const { flow } = world.start();
  const status = async (path: string, method: string) =>
    (await browse(world.url + flow.path + path, { method })).status;
  expect(await status("/other", "GET")).toBe(404);
  expect(await status("/return/more", "GET")).toBe(404);
  expect([
    await status("", "POST"),
    await status("/return", "POST"),
    await status("/decision", "GET"),
  ]).toEqual([405, 405, 405]);
});

test("a consent from an outdated page starts the sign-in again", async () => {
  await start();
  const flow = world.start();
  const page = await open(flow);
  await openAnew(flow);
  const { hashOf } = await import("connect-rest-runtime/internal");
  await world.store.delete("sign-in", hashOf(flow.flow.id));
  const again = await decide(page, "allow");
  expect(again.text).toContain("Allow access");
});

test("a consent is remembered for its client, scopes and host, for a limited time", async () => {
  let now = Date.now();
  await start({ settings: { consentMs: 60_000 }, now: () => now });
  const isAsked = async (...[client, scopes]: Parameters<SignInWorld["start"]>) => {
    const flow = world.start(client, scopes);
    const page = await open(flow);
    const asked = page.text.includes("Allow access");
    if (asked) await decide(page, "allow");
    await flow.ended;
    return asked;
  };
  expect(await isAsked({}, ["read"])).toBe(true);
  expect(await isAsked({}, ["read"])).toBe(false);
  expect(await isAsked({ name: "Another name" }, ["read"])).toBe(false);
  expect(await isAsked({}, ["read", "write"])).toBe(true);
  expect(await isAsked({}, ["write"])).toBe(false);
  expect(await isAsked({ redirectHost: "other.example" }, ["read"])).toBe(true);
  expect(await isAsked({ id: "client-2", name: "Editor" }, ["read"])).toBe(true);
  blog.account = "grace";
  expect(await isAsked({}, ["read"])).toBe(true);
  now += 60_000;
  expect(await isAsked({}, ["read"])).toBe(true);
});

test("consents to a self-registered client are remembered by ID only, and never for a client on the person's machine", async () => {
  await start({ settings: { consentMs: 60_000 } });
  const isAsked = async (client: Parameters<SignInWorld["start"]>[0]) => {
    const flow = world.start(client);
    const page = await open(flow);
    const asked = page.text.includes("Allow access");
    if (asked) await decide(page, "allow");
    await flow.ended;
    return asked;
  };
  const own = { isRegistered: true, name: "Editor" };
  expect(await isAsked({ ...own, id: "a" })).toBe(true);
  expect(await isAsked({ ...own, id: "a" })).toBe(false);
  expect(await isAsked({ ...own, id: "b" })).toBe(true);
  for (const redirectHost of ["127.0.0.1:1234", "localhost:1", "localhost"]) {
    expect(await isAsked({ ...own, id: redirectHost, redirectHost })).toBe(true);
    expect(await isAsked({ ...own, id: redirectHost, redirectHost })).toBe(true);
  }
});

test("a flow continues after another replica starts with a new key", async () => {
  const [old, current] = [newKey(), newKey()];
  await start({ settings: { keys: [old] } });
  const flow = world.start();
  const page = await open(flow);
  const other = await startSignIn({
    providers: [providerSettings("blog", blog)],
    settings: { keys: [current, old] },
    store: world.store,
  });
  const { ended } = other.start();
  void ended;
  await other.stop();
  await decide(page, "allow");
  expect(await flow.ended).toMatchObject({ subject: "blog:demo" });
});

test("property: any return from an upstream leads to a page or back to the client, never to an internal error", async () => {
  await start();
  const names = fc.constantFrom("code", "state", "error", "iss", "oauth_token", "oauth_verifier", "response");
  const pairs = fc.array(fc.tuple(names, fc.string({ unit: "binary", maxLength: 30 })), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(pairs, fc.boolean(), async (parameters, keepsState) => {
      const address = await returnAddress(world.start());
      const state = address.searchParams.get("state") ?? "";
      const query = new URLSearchParams(
        parameters.map(([name, value]) => [name, value.toWellFormed()] as [string, string]),
      );
      if (keepsState) query.set("state", state);
      const { pathname } = new URL(`${world.url}/authorize/i/${state.split("~")[0]}/return`);
      const page = await browse(`${world.url}${pathname}?${query}`);
      expect(page.status).toBeOneOf([200, 400, 403, 502, 503]);
      expect(page.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    }),
    { numRuns: 60 },
  );
  expect(world.lines.filter((line) => line.startsWith("failed"))).toEqual([]);
});

test("no secret of an upstream appears in the log, in pages, or unencrypted in the store", async () => {
  await start({ providers: [providerSettings("blog", blog), providerSettings("photos", photos)] });
  const texts: string[] = [];
  for (const fault of ["", "/token code", "/me"]) {
    if (fault !== "") {
      blog.faults.set(fault, (request, response) => {
        const given = `${request.form.get("code")} ${request.headers.authorization}`;
        send(response, 400, { error: "invalid_request", error_description: given });
        return true;
      });
    }
    const flow = world.start();
    const page = await open(flow);
    texts.push(page.text, [...page.headers].join());
    blog.faults.clear();
    if (page.status === 200) await decide(page, "allow");
  }
  texts.push(...world.lines);
  const secrets = [...blog.secrets, ...photos.secrets];
  expect(secrets.length).toBeGreaterThan(10);
  for (const secret of secrets) for (const text of texts) expect(text).not.toContain(secret);
});
