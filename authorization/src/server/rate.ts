import { FairShare } from "connect-rest-runtime/internal";
import { isRecent } from "../recent.ts";

/** The length of the counting window, in milliseconds. */
const WINDOW_MS = 60_000;

/**
 * The maximum number of clients that are counted separately. All other clients count as one, so that forging
 * addresses gains nothing.
 */
const MAX_CLIENTS = 10_000;

/** The limits on requests per minute, in total and per client. */
export interface RateLimits {
  readonly all: () => number;
  readonly perClient: () => number;
}

/** Counts requests per minute. */
export class Rate {
  private readonly limits: RateLimits;
  private readonly now: () => number;
  private readonly clients = new Map<string, number>();
  private beganAt = Number.NEGATIVE_INFINITY;
  private readonly share: FairShare;

  constructor(limits: RateLimits, now: () => number) {
    this.limits = limits;
    this.share = new FairShare(limits.all);
    this.now = now;
  }

  /**
   * Counts a client's request. Returns undefined if the request is within the limits; otherwise the limit
   * that it exceeds, and the number of seconds until the client may send the next request.
   */
  take(clientKey: string): { readonly seconds: number; readonly by: "all" | "client" } | undefined {
    const now = this.now();
    if (!isRecent(this.beganAt, now, WINDOW_MS)) this.begin(now);
    const client = this.clients.has(clientKey) || this.clients.size < MAX_CLIENTS ? clientKey : "";
    const ofClient = (this.clients.get(client) ?? 0) + 1;
    const seconds = Math.ceil((this.beganAt + WINDOW_MS - now) / 1000);
    // a rejected request counts only for its client, so that it does not block other clients
    this.clients.set(client, ofClient);
    if (ofClient > this.limits.perClient()) return { seconds, by: "client" };
    if (!this.share.hasRoom(client)) return { seconds, by: "all" };
    this.share.add(client);
    return undefined;
  }

  private begin(now: number): void {
    this.beganAt = now;
    this.share.clear();
    this.clients.clear();
  }
}
