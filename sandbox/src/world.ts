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

/** Rules of the blogging service that a test may change at any time. */
export interface Rules {
  /** Reject requests without `User-Agent` (400). Default true. */
  readonly requireUserAgent: boolean;
  /** Respond 404 to requests that did not arrive by HTTPS. Default false. */
  readonly requireHttps: boolean;
  /**
   * The public address, `https://host[:port]`, for links and signatures. Default: the address of the request.
   */
  readonly publicUrl: string | undefined;
  /** Respond 503 to every request that posts. Default false. */
  postingDisabled: boolean;
  /** Respond 503 to every request that saves a community or moderates a post. Default false. */
  communitySavingFails: boolean;
  /** Whether carousels are allowed (403 otherwise). Default true. */
  carouselsAllowed: boolean;
  /** The user for whom the authorization pages approve immediately, without asking. Default: they ask. */
  authorizeAs: string | undefined;
  /** Redirect URIs that every application has in addition to its registered ones. Default: empty. */
  readonly redirectUris: readonly string[];
  /** End the OAuth 1.0a callback in `#_=_`, which does not belong to the verifier. Default true. */
  readonly callbackFragment: boolean;
}

/** Rules of the event feed that a test may change at any time. */
export interface FeedRules {
  /** Seconds announced in `X-Poll-Interval`. Default 60. */
  pollInterval: number;
  /** Status of requests above the quota. Default 403. */
  quotaStatus: 403 | 429;
  /** Temporary rejections: the first one that matches a request and has not expired applies. */
  rejections: FeedRejection[];
  /** The feed's time in seconds: it runs with the clock, from the time of the seeded events. */
  readonly now: () => number;
  /** Generates the events that are due, if the feed has a source. */
  catchUp: () => void;
}

/** A rejection by the event feed until a time of the clock. */
export interface FeedRejection {
  readonly status: number;
  readonly message: string;
  /** Milliseconds since the epoch. */
  readonly until: number;
  /** Whether `Retry-After` states the remaining time. */
  readonly retryAfter: boolean;
  /** The rejected token; `undefined` for every caller. */
  readonly token: string | undefined;
}
