import type { Call } from "../dispatch/call.ts";
import { bareJson, type HeaderMap, Rejection } from "../http/response.ts";
import type { World } from "../world.ts";

const DOCUMENTATION = "https://docs.feed.example/rest/activity/events";

/** The length of a quota period in seconds. A new quota begins at each full hour. */
export const QUOTA_SECONDS = 3600;

/** The identity of the caller of a feed. */
export interface FeedCaller {
  readonly token: string | undefined;
  /** The account of the token. Absent if there is no token, and for an installation's token. */
  readonly login: string | undefined;
  readonly scopes: string | undefined;
}

/** Returns an error in the format of the event feed. */
export function rejectFeed(
  status: number,
  message: string,
  more: { headers?: HeaderMap; body?: object } = {},
): Rejection {
  const body = { message, ...more.body, documentation_url: DOCUMENTATION, status: String(status) };
  return new Rejection(bareJson(body, status, more.headers), message);
}

/** Throws the rejection that currently applies to this caller, if there is one. */
export function checkRejections(world: World, caller: FeedCaller): void {
  const now = world.clock.now();
  const found = world.feed.rejections.find(
    ({ token, until }) => now < until && (token === undefined || token === caller.token),
  );
  if (found === undefined) return;
  const seconds = Math.ceil((found.until - now) / 1000);
  const headers = found.retryAfter ? { "retry-after": String(seconds) } : {};
  throw rejectFeed(found.status, found.message, { headers });
}

/** Returns the key of a caller's quota in the meter. */
export function quotaOf(caller: string): string {
  return `feed ${caller}`;
}

/** Returns the number of requests per hour, with or without a token. */
export function quotaLimit(world: World, withToken: boolean): number {
  return withToken ? world.limits.feedCallsWithToken : world.limits.feedCallsAnonymous;
}

/** Reads the token (`Bearer` or `token`, ignoring case). An invalid token causes a 401 at every endpoint. */
export function feedCaller(call: Call): FeedCaller {
  const header = call.headers.authorization;
  if (header === undefined) return { token: undefined, login: undefined, scopes: undefined };
  const token = /^(?:bearer|token)\s+(\S+)\s*$/i.exec(header)?.[1] ?? "";
  const row = call.world.db.get<{ kind: string; login: string | null; scopes: string | null }>(
    "SELECT kind, login, scopes FROM feed_tokens WHERE token = ?",
    token,
  );
  if (!row) throw rejectFeed(401, "Bad credentials");
  const acts = row.kind !== "installation" && row.login !== null;
  return { token, login: acts ? (row.login ?? undefined) : undefined, scopes: row.scopes ?? undefined };
}

/**
 * Counts a request, and returns the rate limit headers. With a `cost` of 0, only reads the count. Throws 403
 * or 429 if the quota is used up.
 */
export function rateHeaders(world: World, caller: FeedCaller, address: string, cost: number): HeaderMap {
  const limit = quotaLimit(world, caller.token !== undefined);
  const window = world.meter.count(quotaOf(caller.token ?? address), limit, QUOTA_SECONDS, cost);
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
  if (!window.allowed) throw rejectFeed(world.feed.quotaStatus, "API rate limit exceeded", { headers });
  return headers;
}
