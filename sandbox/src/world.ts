import type { Clock } from "./clock.ts";
import type { Limits } from "./limits.ts";
import type { RateMeter } from "./rate.ts";
import type { Database } from "./store/database.ts";

/** The context of every handler: the state, the time and the rules. */
export interface World {
  readonly db: Database;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly meter: RateMeter;
  readonly rules: Rules;
  readonly feed: FeedRules;
}

/** The rules of the blogging service, which a test may change at any time. */
export interface Rules {
  /** Whether requests without `User-Agent` are rejected (400). Default: true. */
  readonly requireUserAgent: boolean;
  /** Whether requests that did not arrive over HTTPS get 404. Default: false. */
  readonly requireHttps: boolean;
  /**
   * The public address, `https://host[:port]`, for links and signatures. Default: the address of the request.
   */
  readonly publicUrl: string | undefined;
  /** Whether every request to create a post gets 503. Default: false. */
  postingDisabled: boolean;
  /** Whether every request that saves a community or moderates a post gets 503. Default: false. */
  communitySavingFails: boolean;
  /** Whether carousels are allowed. If not, posts with carousels get 403. Default: true. */
  carouselsAllowed: boolean;
  /**
   * The user for whom the authorization pages approve immediately, without asking. Default: the pages ask.
   */
  authorizeAs: string | undefined;
  /** Redirect URIs that every application has in addition to its registered redirect URIs. Default: empty. */
  readonly redirectUris: readonly string[];
  /**
   * Whether the OAuth 1.0a callback ends with `#_=_`, which does not belong to the verifier. Default: true.
   */
  readonly callbackFragment: boolean;
}

/** The rules of the event feed, which a test may change at any time. */
export interface FeedRules {
  /** The number of seconds in `X-Poll-Interval`. Default: 60. */
  pollInterval: number;
  /** The status of requests above the quota. Default: 403. */
  quotaStatus: 403 | 429;
  /** Temporary rejections. The first rejection that matches a request and has not expired applies. */
  rejections: FeedRejection[];
  /**
   * Returns the time of the feed in seconds. It starts at the time of the seeded events, and advances with
   * the clock.
   */
  readonly now: () => number;
  /** Generates the events that are due, if the feed has a source. */
  catchUp: () => void;
}

/** A rejection by the event feed until a given time. */
export interface FeedRejection {
  readonly status: number;
  readonly message: string;
  /** The end of the rejection in milliseconds since 1970. */
  readonly until: number;
  /** Whether `Retry-After` states the remaining time. */
  readonly retryAfter: boolean;
  /** The rejected token, or `undefined` for every caller. */
  readonly token: string | undefined;
}
