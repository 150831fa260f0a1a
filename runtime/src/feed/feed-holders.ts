import { FairShare } from "../shares/fair-share.ts";
import type { Feed } from "./feed.ts";

/** Counts each watched feed for the caller that watched it first. */
export class FeedHolders {
  private readonly share: FairShare;
  /** The number of watchers of each feed by caller, in the order in which the callers arrived. */
  private readonly watchers = new Map<Feed, Map<string, number>>();

  /** @param limit the maximum number of feeds */
  constructor(limit: number) {
    this.share = new FairShare(() => limit);
  }

  /** Adds a watcher to a feed. */
  enter(feed: Feed, caller: string): void {
    const callers = this.watchers.get(feed) ?? new Map<string, number>();
    if (callers.size === 0) this.share.add(caller);
    this.watchers.set(feed, callers.set(caller, (callers.get(caller) ?? 0) + 1));
  }

  /**
   * Removes a watcher from a feed. If the first caller has no other watcher, the feed counts for the next
   * caller.
   */
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
   * Returns the feed to close so that a caller can watch another feed. Chooses the caller with the most
   * feeds, then the newest of that caller's feeds among those that the fewest callers watch. Returns
   * undefined if no caller would have more feeds than this caller.
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
