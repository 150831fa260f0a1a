import { FairShare } from "../shares/fair-share.ts";
import type { Feed } from "./feed.ts";

/** Which callers hold the feeds that are watched: each feed is held by the first caller that watches it. */
export class FeedHolders {
  private readonly share: FairShare;
  /** By feed, how many watchers each caller has there, in the order in which the callers came. */
  private readonly watchers = new Map<Feed, Map<string, number>>();

  /** @param limit how many feeds there may be */
  constructor(limit: number) {
    this.share = new FairShare(() => limit);
  }

  /** A caller begins to watch a feed. */
  enter(feed: Feed, caller: string): void {
    const callers = this.watchers.get(feed) ?? new Map<string, number>();
    if (callers.size === 0) this.share.add(caller);
    this.watchers.set(feed, callers.set(caller, (callers.get(caller) ?? 0) + 1));
  }

  /** A caller watches a feed no more; the next one of its callers holds it then. */
  leave(feed: Feed, caller: string): void {
    const callers = this.watchers.get(feed);
    const left = (callers?.get(caller) ?? 0) - 1;
    if (callers === undefined || left < 0) return;
    if (left > 0) {
      callers.set(caller, left);
      return;
    }
    const [holder] = callers.keys();
    callers.delete(caller);
    const [next] = callers.keys();
    if (next === undefined) this.watchers.delete(feed);
    if (holder !== caller) return;
    this.share.remove(caller);
    if (next !== undefined) this.share.add(next);
  }

  /**
   * The feed that makes room for one of a caller: of the caller that holds most, the newest one of those that
   * fewest others watch. Undefined where nobody holds more than the caller will.
   */
  loser(caller: string): Feed | undefined {
    const from = this.share.loser(caller);
    let found: { readonly feed: Feed; readonly callers: number } | undefined;
    if (from === undefined) return undefined;
    for (const [feed, watchers] of this.watchers) {
      const [holder] = watchers.keys();
      const callers = watchers.size;
      if (holder === from && callers <= (found?.callers ?? callers)) found = { feed, callers };
    }
    return found?.feed;
  }
}
