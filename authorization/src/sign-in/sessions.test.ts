import type { ServerResponse } from "node:http";
import { Code, ConnectError } from "@connectrpc/connect";
import { type Credentials, reasonOf, Secret } from "connect-rest-runtime";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type OAuth2TestProvider, send, startOAuth2Provider } from "../testing/provider-server.ts";
import { newKey, providerSettings, type SignInWorld, startSignIn } from "../testing/sign-in-world.ts";
import type { ProviderSettings, SignInSettings } from "./create-sign-in.ts";
import type { UpstreamTokens } from "./tokens.ts";

const HOUR = 3_600_000;

let blog: OAuth2TestProvider;
let worlds: SignInWorld[];
let now: number;

beforeEach(async () => {
  blog = await startOAuth2Provider();
  worlds = [];
  now = 1_800_000_000_000;
});
afterEach(async () => {
  for (const world of worlds.toReversed()) await world.stop();
  await blog.close();
});

interface Options {
  readonly more?: Partial<ProviderSettings>;
  readonly settings?: Partial<SignInSettings>;
  readonly others?: readonly ProviderSettings[];
}

/** Starts the sign-in of a gateway. Each further sign-in is a replica with the same store. */
async function started({ more, settings, others = [] }: Options = {}): Promise<SignInWorld> {
  const [first] = worlds;
  const keys = settings?.keys ?? [KEY];
  const world = await startSignIn({
    providers: [providerSettings("blog", blog, more), ...others],
    settings: { ...settings, keys },
    now: () => now,
    ...(first !== undefined && { store: first.store }),
  });
  worlds.push(world);
  return world;
}

const KEY = newKey();

/** Returns tokens as the provider issues them after a sign-in. */
async function issued(): Promise<UpstreamTokens> {
  const address = `${blog.url}/authorize?redirect_uri=http://127.0.0.1:1/`;
  const { headers } = await fetch(address, { redirect: "manual" });
  const code = new URL(headers.get("location") ?? "").searchParams.get("code") ?? "";
  const pair = `gateway:${blog.settings.clientSecret?.reveal()}`;
  const response = await fetch(`${blog.url}/token`, {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "authorization_code",
      code,
      redirect_uri: "http://127.0.0.1:1/",
    }),
    headers: { authorization: `Basic ${Buffer.from(pair).toString("base64")}` },
  });
  const body = (await response.json()) as Record<string, string | number | undefined>;
  const seconds = body.expires_in;
  return {
    kind: "oauth2",
    accessToken: String(body.access_token),
    ...(body.refresh_token !== undefined && { refreshToken: String(body.refresh_token) }),
    ...(seconds !== undefined && { expiresAt: now + Number(seconds) * 1000 }),
  };
}

async function session(world: SignInWorld): Promise<string> {
  return await world.sessions.start("blog:demo", new Map([["blog", await issued()]]));
}

function tokenOf({ oauth2 }: Credentials): string {
  return Secret.of(oauth2?.accessToken ?? "").reveal();
}

function fail(endpoint: string, respond: (response: ServerResponse) => void): void {
  blog.faults.set(endpoint, (_request, response) => {
    respond(response);
    return true;
  });
}

async function reasonOfFailure(act: Promise<unknown>): Promise<string | undefined> {
  const error = await act.then(
    () => undefined,
    (cause: unknown) => cause,
  );
  return error instanceof ConnectError ? reasonOf(error) : String(error);
}

test("tokens are used unchanged until shortly before they expire, and then refreshed", async () => {
  const world = await started();
  const id = await session(world);
  const first = tokenOf(await world.sessions.credentials(id, "blog"));
  now += HOUR - 60_001;
  expect(tokenOf(await world.sessions.credentials(id, "blog"))).toBe(first);
  now += 1;
  const second = tokenOf(await world.sessions.credentials(id, "blog"));
  expect(second).not.toBe(first);
  expect(blog.accountOf(second)).toBe("demo");
  expect(blog.counts.get("/token refresh")).toBe(1);
});

test("refreshes are counted by outcome, once for all waiting calls, and ended sessions are counted", async () => {
  const world = await started();
  const id = await session(world);
  now += HOUR;
  await Promise.all([1, 2, 3].map(() => world.sessions.credentials(id, "blog")));
  expect(world.reports).toEqual(["refresh blog ok"]);
  now += HOUR;
  fail("/token refresh", (response) => response.writeHead(503).end());
  await reasonOfFailure(world.sessions.credentials(id, "blog"));
  expect(world.reports.slice(1)).toEqual(["refresh blog unavailable"]);
  blog.faults.clear();
  blog.forget();
  now += HOUR;
  await reasonOfFailure(world.sessions.credentials(id, "blog"));
  expect(world.reports.slice(2)).toEqual(["refresh blog rejected", "end blog"]);
});

test("short-lived tokens are refreshed in the last fifth of their lifetime", async () => {
  blog.lifetime = 10;
  const world = await started();
  const id = await session(world);
  now += 7999;
  await world.sessions.credentials(id, "blog");
  expect(blog.counts.get("/token refresh")).toBeUndefined();
  now += 1;
  await world.sessions.credentials(id, "blog");
  expect(blog.counts.get("/token refresh")).toBe(1);
});

test("many calls in many replicas wait for one refresh, and all get the new token", async () => {
  const replicas = [await started(), await started(), await started()];
  const [first] = replicas;
  if (first === undefined) throw new Error("no world");
  const id = await session(first);
  for (let round = 1; round <= 3; round++) {
    now += HOUR - 30_000;
    const calls = replicas.flatMap(({ sessions }) =>
      Array.from({ length: 50 }, () => sessions.credentials(id, "blog")),
    );
    const tokens = new Set((await Promise.all(calls)).map(tokenOf));
    expect(tokens.size).toBe(1);
    expect(blog.accountOf([...tokens][0] ?? "")).toBe("demo");
    expect(blog.counts.get("/token refresh")).toBe(round);
  }
});

test("any number of rejected calls cause one refresh, and each call is retried with the new token", async () => {
  const replicas = [await started(), await started()];
  const [first] = replicas;
  if (first === undefined) throw new Error("no world");
  const id = await session(first);
  const before = await Promise.all(
    replicas.flatMap(({ sessions }) => Array.from({ length: 20 }, () => sessions.credentials(id, "blog"))),
  );
  blog.expire();
  const after = await Promise.all(before.map(({ rejected }) => rejected?.()));
  expect(new Set(after.map((each) => each && tokenOf(each))).size).toBe(1);
  expect(blog.counts.get("/token refresh")).toBe(1);
  expect(await first.sessions.isAlive(id)).toBe(true);
});

test("a second rejection ends the session at that upstream, and sessions at other upstreams continue", async () => {
  const other = await startOAuth2Provider();
  try {
    const world = await started({ others: [providerSettings("photos", other)] });
    const tokens = new Map([
      ["blog", await issued()],
      ["photos", { kind: "oauth2", accessToken: "photos-token" } as const],
    ]);
    const id = await world.sessions.start("blog:demo", tokens);
    const refreshed = await (await world.sessions.credentials(id, "blog")).rejected?.();
    expect(await reasonOfFailure(refreshed?.rejected?.() ?? Promise.resolve())).toBe("SESSION_ENDED");
    expect(await reasonOfFailure(world.sessions.credentials(id, "blog"))).toBe("SESSION_ENDED");
    expect(tokenOf(await world.sessions.credentials(id, "photos"))).toBe("photos-token");
    expect(await world.sessions.isAlive(id)).toBe(true);
  } finally {
    await other.close();
  }
});

test("a session ends when the last of its upstream sessions has ended", async () => {
  const world = await started();
  const id = await session(world);
  const refreshed = await (await world.sessions.credentials(id, "blog")).rejected?.();
  expect(await reasonOfFailure(refreshed?.rejected?.() ?? Promise.resolve())).toBe("SESSION_ENDED");
  expect(await world.sessions.isAlive(id)).toBe(false);
});

test("if an upstream rejects a refresh, the session at that upstream ends", async () => {
  const world = await started();
  const id = await session(world);
  blog.forget();
  now += HOUR;
  expect(await reasonOfFailure(world.sessions.credentials(id, "blog"))).toBe("SESSION_ENDED");
  expect(await world.sessions.isAlive(id)).toBe(false);
});

test.each<readonly [string, (response: ServerResponse) => void]>([
  ["is unavailable", (response) => send(response, 503, {})],
  ["hangs up", (response) => response.destroy()],
  ["responds with HTML", (response) => response.end("<html>")],
  ["rejects the credentials of the gateway", (response) => send(response, 401, { error: "invalid_client" })],
])(
  "if an upstream %s during a refresh, the session continues, and the old token is used until it expires",
  async (_name, respond) => {
    const world = await started();
    const id = await session(world);
    const before = tokenOf(await world.sessions.credentials(id, "blog"));
    fail("/token refresh", respond);
    now += HOUR - 30_000;
    expect(tokenOf(await world.sessions.credentials(id, "blog"))).toBe(before);
    now += 30_000;
    const error = await world.sessions.credentials(id, "blog").catch((cause: unknown) => cause);
    expect(error).toMatchObject({ code: Code.Unavailable });
    expect(reasonOf(error as ConnectError)).toBe("SESSION_UNAVAILABLE");
    expect(await world.sessions.isAlive(id)).toBe(true);
    blog.faults.clear();
    now += 5000;
    expect(blog.accountOf(tokenOf(await world.sessions.credentials(id, "blog")))).toBe("demo");
  },
);

test("after a failed refresh, no refresh is sent to the upstream for a few seconds", async () => {
  const world = await started();
  const id = await session(world);
  fail("/token refresh", (response) => send(response, 503, {}));
  now += HOUR;
  for (let count = 0; count < 5; count++) {
    expect(await reasonOfFailure(world.sessions.credentials(id, "blog"))).toBe("SESSION_UNAVAILABLE");
  }
  expect(blog.counts.get("/token refresh")).toBe(1);
  now += 5000;
  await reasonOfFailure(world.sessions.credentials(id, "blog"));
  expect(blog.counts.get("/token refresh")).toBe(2);
});

test("a session with tokens that cannot be refreshed ends when the tokens expire", async () => {
  blog.hasRefresh = false;
  const world = await started();
  const id = await session(world);
  now += HOUR - 1;
  expect(await world.sessions.isAlive(id)).toBe(true);
  await world.sessions.credentials(id, "blog");
  now += 1;
  expect(await world.sessions.isAlive(id)).toBe(false);
  expect(await reasonOfFailure(world.sessions.credentials(id, "blog"))).toBe("SESSION_ENDED");
});

test("a session whose tokens cannot be refreshed ends if the upstream rejects both a call and the check", async () => {
  blog.hasRefresh = false;
  const check = { probe: { url: `${blog.url}/me` }, everyMs: 300_000 };
  const world = await started({ more: { check } });
  const [good, bad] = [await session(world), await session(world)];
  expect(await (await world.sessions.credentials(good, "blog")).rejected?.()).toBeUndefined();
  expect(await world.sessions.isAlive(good)).toBe(true);
  const { rejected } = await world.sessions.credentials(bad, "blog");
  blog.expire();
  expect(await reasonOfFailure(rejected?.() ?? Promise.resolve())).toBe("SESSION_ENDED");
  expect(await world.sessions.isAlive(bad)).toBe(false);
});

test("without a check, a rejection of tokens that cannot be refreshed does not end the session", async () => {
  blog.hasRefresh = false;
  const world = await started();
  const id = await session(world);
  const { rejected } = await world.sessions.credentials(id, "blog");
  expect(await rejected?.()).toBeUndefined();
  expect(await world.sessions.isAlive(id)).toBe(true);
});

test("the upstream is asked whether a session is alive, at most once per configured interval", async () => {
  const check = { probe: { url: `${blog.url}/me` }, everyMs: 300_000 };
  const replicas = [await started({ more: { check } }), await started({ more: { check } })];
  const [first] = replicas;
  if (first === undefined) throw new Error("no world");
  const id = await session(first);
  const ask = () =>
    Promise.all(replicas.flatMap(({ sessions }) => [1, 2, 3].map(() => sessions.isAlive(id))));
  expect(await ask()).toEqual(Array(6).fill(true));
  expect(blog.counts.get("/me")).toBeUndefined();
  now += 300_000;
  expect(await ask()).toEqual(Array(6).fill(true));
  expect(blog.counts.get("/me")).toBe(1);
  await ask();
  expect(blog.counts.get("/me")).toBe(1);
  now += 300_000;
  await ask();
  expect(blog.counts.get("/me")).toBe(2);
});

test("if the upstream has ended a session, the next check ends the session here, after one refresh", async () => {
  const check = { probe: { url: `${blog.url}/me` }, everyMs: 300_000 };
  const world = await started({ more: { check } });
  const [expired, revoked] = [await session(world), await session(world)];
  blog.expire();
  now += 300_000;
  expect(await world.sessions.isAlive(expired)).toBe(true);
  expect(blog.counts.get("/token refresh")).toBe(1);
  blog.forget();
  expect(await world.sessions.isAlive(revoked)).toBe(false);
});

test.each<readonly [string, (response: ServerResponse) => void]>([
  ["is unavailable", (response) => send(response, 500, {})],
  ["forbids the check", (response) => send(response, 403, {})],
  ["hangs up", (response) => response.destroy()],
  ["responds with HTML", (response) => response.end("<html>")],
])("if an upstream %s during a check, the session stays alive", async (_name, respond) => {
  const check = { probe: { url: `${blog.url}/me` }, everyMs: 300_000 };
  const world = await started({ more: { check } });
  const id = await session(world);
  fail("/me", respond);
  now += 300_000;
  expect(await world.sessions.isAlive(id)).toBe(true);
});

test("a check can call a method", async () => {
  const called: string[] = [];
  const probe = { method: "blog.v1.BlogService/GetMe", request: { brief: true } };
  const world = await startSignIn({
    providers: [providerSettings("blog", blog, { check: { probe, everyMs: 1000 } })],
    now: () => now,
    call: (method, request, credentials) => {
      called.push(`${method} ${JSON.stringify(request)} ${blog.accountOf(tokenOf(credentials))}`);
      return Promise.reject(new ConnectError("no", Code.Unauthenticated));
    },
  });
  worlds.push(world);
  const id = await session(world);
  now += 1000;
  expect(await world.sessions.isAlive(id)).toBe(false);
  expect(called).toEqual(['blog.v1.BlogService/GetMe {"brief":true} demo']);
});

test("a session ends when it is not used, and after its maximum lifetime", async () => {
  const world = await started({ settings: { idleMs: 10 * 60_000, sessionMs: HOUR } });
  const [used, idle] = [await session(world), await session(world)];
  for (let minute = 9; minute < 60; minute += 9) {
    now += 9 * 60_000;
    expect(await world.sessions.isAlive(used)).toBe(true);
  }
  expect(await world.sessions.isAlive(idle)).toBe(false);
  expect(blog.revoked).toHaveLength(2);
  now += 6 * 60_000;
  expect(await world.sessions.isAlive(used)).toBe(false);
});

test("ending a session deletes its tokens and revokes them", async () => {
  const world = await started();
  const id = await session(world);
  const tokens = await issued();
  const other = await world.sessions.start("blog:demo", new Map([["blog", tokens]]));
  await world.sessions.end(other);
  if (tokens.kind !== "oauth2") throw new Error("OAuth 1.0a");
  expect(blog.revoked.toSorted()).toEqual([tokens.accessToken, tokens.refreshToken].toSorted());
  expect([await world.sessions.isAlive(other), await world.sessions.isAlive(id)]).toEqual([false, true]);
  expect(await world.store.listBy({ session: other })).toEqual([]);
});

test("a session also ends if the upstream cannot revoke its tokens", async () => {
  const world = await started();
  const id = await session(world);
  fail("/revoke", (response) => response.destroy());
  await world.sessions.end(id);
  expect(await world.sessions.isAlive(id)).toBe(false);
  expect(world.lines.join()).toContain("tokens not revoked");
});

test("other replicas recognize the end of a session within a second", async () => {
  const [here, there] = [await started(), await started()];
  const id = await session(here);
  await Promise.all([here.sessions.isAlive(id), there.sessions.isAlive(id)]);
  await here.sessions.end(id);
  now += 1000;
  expect(await there.sessions.isAlive(id)).toBe(false);
});

test("no session is found for an unknown session ID", async () => {
  const world = await started();
  expect(await world.sessions.isAlive("made-up")).toBe(false);
  await world.sessions.end("made-up");
  expect(await reasonOfFailure(world.sessions.credentials("made-up", "blog"))).toBe("SESSION_ENDED");
});

test("tokens are encrypted in the store, bound to their row and their person", async () => {
  const world = await started();
  const [mine, theirs] = [await session(world), await session(world)];
  for (const { value } of await world.store.listBy({ session: mine })) {
    for (const secret of blog.secrets) expect(value).not.toContain(secret);
  }
  const stolen = await world.store.get("upstream-session", `${theirs}/blog`);
  if (stolen === undefined) throw new Error("no row");
  await world.store.put("upstream-session", `${mine}/blog`, { ...stolen, session: mine });
  now += 1000;
  expect(await world.sessions.isAlive(mine)).toBe(false);
  expect(world.lines.join()).toContain("session not readable");
  expect(await world.sessions.isAlive(theirs)).toBe(true);
  const row = await world.store.get("session", theirs);
  if (row === undefined) throw new Error("no row");
  const renamed = row.value.replace("blog:demo", "blog:root");
  await world.store.put("session", theirs, { ...row, value: renamed });
  now += 1000;
  expect(await world.sessions.isAlive(theirs)).toBe(false);
});

test("after a key rotation, each value is sealed again when it is read, and the old key is no longer needed", async () => {
  const [old, current] = [newKey(), newKey()];
  const before = await started({ settings: { keys: [old] } });
  const [read, unread] = [await session(before), await session(before)];
  const both = await started({ settings: { keys: [current, old] } });
  expect(await both.sessions.isAlive(read)).toBe(true);
  const after = await started({ settings: { keys: [current] } });
  expect(await after.sessions.isAlive(read)).toBe(true);
  expect(await after.sessions.isAlive(unread)).toBe(false);
  // the session still exists: it can be read again with its key
  expect(await both.sessions.isAlive(unread)).toBe(true);
});

test("a rejected check does not end a session while the upstream cannot refresh its tokens", async () => {
  const check = { probe: { url: `${blog.url}/me` }, everyMs: 300_000 };
  const world = await started({ more: { check } });
  const id = await session(world);
  blog.expire();
  fail("/token refresh", (response) => send(response, 503, {}));
  now += 300_000;
  expect(await world.sessions.isAlive(id)).toBe(true);
  blog.faults.clear();
  now += 300_000;
  expect(await world.sessions.isAlive(id)).toBe(true);
  expect(blog.accountOf(tokenOf(await world.sessions.credentials(id, "blog")))).toBe("demo");
});

test("a session that ends during a refresh stays ended, and the new tokens are revoked", async () => {
  const world = await started();
  const id = await session(world);
  now += HOUR - 30_000;
  const isAsked = Promise.withResolvers<void>();
  const isEnded = Promise.withResolvers<void>();
  blog.faults.set("/token refresh", (_request, response) => {
    isAsked.resolve();
    void isEnded.promise.then(() => send(response, 200, { access_token: "late", token_type: "bearer" }));
    return true;
  });
  const credentials = world.sessions.credentials(id, "blog");
  await isAsked.promise;
  await world.sessions.end(id);
  isEnded.resolve();
  expect(await reasonOfFailure(credentials)).toBe("SESSION_ENDED");
  expect(blog.revoked).toContain("late");
  expect(await world.store.listBy({ session: id })).toEqual([]);
});
