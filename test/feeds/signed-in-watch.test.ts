import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
import { ResumeSchema } from "connect-rest-runtime/gen/connectrest/v1/feed_pb.js";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  type OAuth2TestProvider,
  startOAuth2Provider,
} from "../../authorization/src/testing/provider-server.ts";
import { providerSettings, signInSettings } from "../../authorization/src/testing/sign-in-world.ts";
import { reasonOf } from "../../runtime/src/errors/rest-error.ts";
import { FeedService, feedService } from "../../runtime/src/testing/feed-service.ts";
import { Timeline } from "../../runtime/src/testing/timeline.ts";
import { type AuthorizedGateway, PUBLIC_URL, startAuthorized } from "../support/authorized-gateway.ts";
import { Person, TestClient } from "../support/person.ts";

const POLL = { timeout: 120_000, interval: 20 };
const eventually = (read: () => unknown) => expect.poll(read, POLL);

let provider: OAuth2TestProvider;
let served: AuthorizedGateway;
let client: TestClient;
let timeline: Timeline;
/** The upstream account of each poll. */
let accounts: string[];

beforeEach(async () => {
  provider = await startOAuth2Provider();
  timeline = new Timeline(100, 1);
  timeline.interval = 1;
  timeline.ids = [1];
  accounts = [];
  served = await startAuthorized(
    { scopes: [{ name: "watch", methods: ["test.v1.FeedService"] }] },
    {
      adapters: [feedService({ credentials: ["oauth2"] })],
      upstreams: { things: { baseUrl: "https://api.example", retry: false, breaker: false } },
      signIn: signInSettings([providerSettings("things", provider)], { permissions: { watch: "watch" } }),
      fetch: (address, init) => {
        const token = new Headers(init.headers).get("authorization")?.replace(/^Bearer /, "") ?? "";
        const account = provider.accountOf(token);
        if (account === undefined) return Promise.resolve({ status: 401, headers: [] });
        accounts.push(account);
        return timeline.fetch(address, init);
      },
    },
  );
  client = await TestClient.register(PUBLIC_URL, served.fetch);
});
afterEach(async () => {
  await served.close();
  await provider.close();
});

/** A client that watches with a token of the gateway. */
class Watcher {
  readonly ids: number[] = [];
  token = "";
  error: ConnectError | undefined;

  constructor(accessToken: string) {
    void this.read(accessToken);
  }

  private async read(accessToken: string): Promise<void> {
    const transport = createConnectTransport({ baseUrl: PUBLIC_URL, fetch: served.fetch });
    const headers = { authorization: `Bearer ${accessToken}` };
    try {
      const batches = createClient(FeedService, transport).watch({ owner: "ada" }, { headers });
      for await (const { entries, resumeToken } of batches) {
        this.ids.push(...entries.map(({ id }) => Number(id)));
        this.token = resumeToken;
      }
    } catch (error) {
      this.error = ConnectError.from(error);
    }
  }
}

/** Signs a person in with an account of the upstream. */
async function signIn(account: string) {
  provider.account = account;
  const fetching: typeof fetch = (input, init) =>
    String(input).startsWith(PUBLIC_URL) ? served.fetch(input, init) : fetch(input, init);
  return await client.signIn(new Person(fetching));
}

async function watching(accessToken: string): Promise<Watcher> {
  const watcher = new Watcher(accessToken);
  await eventually(() => watcher.token !== "" || watcher.error).toBe(true);
  return watcher;
}

let newest = 1;
async function happens(watchers: readonly Watcher[]): Promise<void> {
  newest += 1;
  timeline.add(newest);
  await eventually(() => watchers.every(({ ids, error }) => ids.includes(newest) || error)).toBe(true);
}
beforeEach(() => {
  newest = 1;
});

test("signed-in people watch with their own rights: one poller per session, across token refreshes, until revocation", async () => {
  const ada = await signIn("ada");
  const grace = await signIn("grace");
  const hers = [await watching(ada.access_token), await watching(ada.access_token)];
  const other = await watching(grace.access_token);
  const all = [...hers, other];
  await happens(all);
  expect(new Set(accounts)).toEqual(new Set(["ada", "grace"]));

  // The upstream requires a refresh of both tokens. A client also refreshes its gateway token and reconnects
  // with it.
  provider.expire();
  await happens(all);
  const refreshed = await client.refresh(ada.refresh_token ?? "");
  const newestOne = await watching(refreshed.access_token);
  all.push(newestOne);
  await happens(all);
  expect(all.map(({ error }) => error)).toEqual(all.map(() => undefined));
  expect(provider.counts.get("/token refresh")).toBe(2);
  // Three watchers signed in as ada cause as many polls as one watcher signed in as grace.
  const [from, before] = [accounts.length, provider.counts.get("/token refresh")];
  await eventually(() => accounts.slice(from).filter((each) => each === "grace").length).toBeGreaterThan(8);
  const polls = accounts.slice(from).filter((each) => each === "ada").length;
  expect(polls).toBeGreaterThan(4);
  expect(polls).toBeLessThan(16);
  expect(provider.counts.get("/token refresh")).toBe(before);

  await client.revoke(refreshed.refresh_token ?? "");
  const ended = [...hers, newestOne];
  await eventually(() => ended.every(({ error }) => error !== undefined)).toBe(true);
  for (const { error, token, ids } of ended) {
    expect(error?.code).toBe(Code.Unauthenticated);
    // The next poll finds that the session is missing, unless the check of the stream's token finds it first.
    expect(["SESSION_ENDED", "TOKEN_INVALID"]).toContain(error && reasonOf(error));
    expect(error?.findDetails(ResumeSchema)[0]?.token).toBe(token);
    expect(new Set(ids).size).toBe(ids.length);
  }
  const [later] = [accounts.length];
  await happens([other]);
  await happens([other]);
  expect(new Set(accounts.slice(later))).toEqual(new Set(["grace"]));
  expect(other.error).toBeUndefined();
  expect(other.ids).toEqual(Array.from({ length: newest - 1 }, (_, index) => index + 2));

  // After another sign-in the stream resumes with the same events.
  const again = await watching((await signIn("ada")).access_token);
  await happens([again, other]);
  expect(again.error).toBeUndefined();
});
