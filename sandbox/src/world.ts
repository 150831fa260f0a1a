import type { Clock } from "./clock.ts";
import type { Limits } from "./limits.ts";
import type { RateMeter } from "./rate.ts";
import type { Database } from "./store/database.ts";

/** What every handler works with: the state, the time and the rules. */
export interface World {
  readonly db: Database;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly meter: RateMeter;
  readonly rules: Rules;
  readonly feed: FeedRules;
}

/** Rules of the blogging service that a test may change at any time. */
export interface Rules {
  /** Reject requests without `User-Agent` (400). Default true. */
  readonly requireUserAgent: boolean;
  /** Respond 404 to requests that did not come by HTTPS. Default false. */
  readonly requireHttps: boolean;
  /**
   * The public address, `https://host[:port]`, that links name and signatures are made for. Default:
   * the one addressed.
   */
  readonly publicUrl: string | undefined;
  /** Respond 503 to everything that posts. Default false. */
  postingDisabled: boolean;
  /** Respond 503 to everything that saves a community or the moderation of its posts. Default false. */
  communitySavingFails: boolean;
  /** Whether carousels are allowed (403 otherwise). Default true. */
  carouselsAllowed: boolean;
  /** The user for whom the authorization pages say yes at once, without asking. Default: they ask. */
  authorizeAs: string | undefined;
  /** Redirect URIs that every application has, beside those that it has registered. Default: none. */
  readonly redirectUris: readonly string[];
  /** End the OAuth 1.0a callback in `#_=_`, which is no part of the verifier. Default true. */
  readonly callbackFragment: boolean;
}

/** Rules of the event feed that a test may change at any time. */
export interface FeedRules {
  /** Seconds announced in `X-Poll-Interval`. Default 60. */
  pollInterval: number;
  /** What a used-up quota is rejected with. Default 403. */
  quotaStatus: 403 | 429;
  /** Rejections for a time: the first that concerns a request and is not over counts. */
  rejections: FeedRejection[];
  /** The time of the feed, in seconds: it runs with the clock, from the time of the seeded events. */
  readonly now: () => number;
  /** Creates the events that are due by now, where events come into being by themselves. */
  catchUp: () => void;
}

/** What the event feed rejects until a moment of the clock. */
export interface FeedRejection {
  readonly status: number;
  readonly message: string;
  /** Milliseconds since the epoch. */
  readonly until: number;
  /** Whether to say in `Retry-After` how long it lasts. */
  readonly retryAfter: boolean;
  /** The token that is concerned; `undefined` for every caller. */
  readonly token: string | undefined;
}
