import type { Database } from "../store/database.ts";
import { USERS } from "./blogs.ts";

/** The credentials in a new sandbox. No other service accepts them. */
export const CREDENTIALS = Object.freeze({
  /** The seeded application. */
  consumerKey: "demoConsumerKey00000000000000000000000000000000001",
  consumerSecret: "demoConsumerSecret0000000000000000000000000000001",
  callback: "http://127.0.0.1:8080/callback",
  /** The OAuth 1.0a token of the user `demo`. */
  oauth1Token: "demoToken000000000000000000000000000000000000000001",
  oauth1TokenSecret: "demoTokenSecret00000000000000000000000000000000001",
  /** The OAuth 2.0 token of the user `demo`, with scopes `basic write`. */
  userToken: "demo-user-access-token",
  /** The refresh token of the user `demo`. */
  refreshToken: "demo-user-refresh-token",
  /** The OAuth 2.0 token of the user `demo` for reading only. */
  readOnlyToken: "demo-read-only-access-token",
  /** The OAuth 2.0 token of the application, without a user. */
  applicationToken: "demo-application-access-token",
  /** The OAuth 2.0 token of the user `ada`, with scopes `basic write`. */
  otherUserToken: "ada-user-access-token",
  /** The OAuth 1.0a token of the user `ada`. */
  otherOauth1Token: "adaToken0000000000000000000000000000000000000000001",
  otherOauth1TokenSecret: "adaTokenSecret000000000000000000000000000000000001",
  /** For the event feed: a personal token of the user `octavia`, and a token of an installation. */
  feedToken: "feed-token-octavia",
  feedInstallationToken: "feed-token-installation",
  feedOtherToken: "feed-token-marvin",
});

/** Returns the OAuth 2.0 token of a seeded user, with scopes `basic write`. */
export function userTokenOf(user: string): string {
  return `${user}-user-access-token`;
}

export type Credentials = typeof CREDENTIALS;

const NEVER = 4_102_444_800;

export function seedCredentials(db: Database): void {
  const c = CREDENTIALS;
  db.insert("consumers", {
    key: c.consumerKey,
    secret: c.consumerSecret,
    name: "Sandbox demo application",
    callback: c.callback,
    redirect_uris: JSON.stringify([c.callback]),
  });
  db.insert("consumers", {
    key: "otherConsumerKey000000000000000000000000000000001",
    secret: "otherConsumerSecret00000000000000000000000000001",
    name: "Application with two redirect addresses",
    callback: "https://other.example/callback",
    redirect_uris: JSON.stringify(["https://other.example/callback", "https://other.example/second?keep=1"]),
  });
  const oauth1 = (token: string, secret: string, user: string) =>
    db.insert("oauth1_tokens", { token, secret, consumer: c.consumerKey, user });
  oauth1(c.oauth1Token, c.oauth1TokenSecret, "demo");
  oauth1(c.otherOauth1Token, c.otherOauth1TokenSecret, "ada");
  const oauth2 = (access: string, user: string | null, scope: string, refresh?: string) =>
    db.insert("oauth2_tokens", {
      access,
      refresh,
      client: c.consumerKey,
      user,
      scope,
      expires: NEVER,
      refresh_expires: NEVER,
    });
  oauth2(c.userToken, "demo", "basic write offline_access", c.refreshToken);
  oauth2(c.readOnlyToken, "demo", "basic");
  oauth2(c.applicationToken, null, "basic");
  for (const user of USERS.filter((name) => name !== "demo")) oauth2(userTokenOf(user), user, "basic write");
  db.insert("feed_tokens", {
    token: c.feedToken,
    kind: "classic",
    login: "octavia",
    scopes: "repo, read:org",
  });
  db.insert("feed_tokens", { token: c.feedInstallationToken, kind: "installation", login: "octavia" });
  db.insert("feed_tokens", { token: c.feedOtherToken, kind: "fine-grained", login: "marvin" });
}
