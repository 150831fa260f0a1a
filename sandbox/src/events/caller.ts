import type { Call } from "../dispatch/call.ts";
import { bareJson, type HeaderMap, Refusal } from "../http/response.ts";
import type { World } from "../world.ts";

export const DOCUMENTATION = "https://docs.feed.example/rest/activity/events";

/** Whom a feed request speaks for. */
export interface FeedCaller {
  readonly token: string | undefined;
  /** The account the token acts for; absent without a token and for an installation's. */
  readonly login: string | undefined;
  readonly scopes: string | undefined;
}

/** An error as the event feed reports it. */
export function refuseFeed(
  status: number,
  message: string,
  more: { headers?: HeaderMap; body?: object } = {},
): Refusal {
  const body = { message, ...more.body, documentation_url: DOCUMENTATION, status: String(status) };
  return new Refusal(bareJson(body, status, more.headers), message);
}

/** Reads the token (`Bearer` or `token`, in any case); an invalid one is 401 on every endpoint. */
export function feedCaller(call: Call): FeedCaller {
  const header = call.headers.authorization;
  if (header === undefined) return { token: undefined, login: undefined, scopes: undefined };
  const token = /^(?:bearer|token)\s+(\S+)\s*$/i.exec(header)?.[1] ?? "";
  const row = call.world.db.get<{ kind: string; login: string | null; scopes: string | null }>(
    "SELECT kind, login, scopes FROM feed_tokens WHERE token = ?",
    token,
  );
  if (!row) throw refuseFeed(401, "Bad credentials");
  const acts = row.kind !== "installation" && row.login !== null;
  return { token, login: acts ? (row.login ?? undefined) : undefined, scopes: row.scopes ?? undefined };
}

/** Counts a request (or, with `cost` 0, only looks) and returns the headers; a full window is 403. */
export function rateHeaders(world: World, caller: FeedCaller, address: string, cost: number): HeaderMap {
  const { feedCallsAnonymous, feedCallsWithToken } = world.limits;
  const limit = caller.token === undefined ? feedCallsAnonymous : feedCallsWithToken;
  const window = world.meter.count(`feed ${caller.token ?? address}`, limit, 3600, cost);
  if (!Number.isFinite(limit)) return {};
  const headers: HeaderMap = {
    "X-RateLimit-Limit": String(limit),
    "X-RateLimit-Remaining": String(window.remaining),
    "X-RateLimit-Reset": String(world.clock.seconds() + window.resetIn),
    "X-RateLimit-Used": String(window.used),
    "X-RateLimit-Resource": "core",
  };
  if (caller.scopes !== undefined) {
    headers["X-OAuth-Scopes"] = caller.scopes;
    headers["X-Accepted-OAuth-Scopes"] = "";
  }
  if (!window.allowed) throw refuseFeed(403, "API rate limit exceeded", { headers });
  return headers;
}
