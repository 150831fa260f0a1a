/** The services of the attacked gateway, in addition to posts. */
export type Served = "posts" | "feeds" | "authorization";

/** A call by another client, which every attack should leave unharmed. */
export type OtherCall = "a page of posts" | "a feed of its own";

/** An attack: the attacker's actions, the calls of other clients, and the bounds. */
export interface Attack {
  /** The value of `--only` that selects the attack. */
  readonly name: string;
  /** The attacker's action, as the predicate of a sentence. */
  readonly does: string;
  readonly serves: Served;
  readonly others: OtherCall;
  /** The highest ratio of the median of other clients' calls with and without the attack. */
  readonly slower: number;
  /** A step of the attack, and its highest processor time, in calls of other clients. */
  readonly costs?: { readonly what: string; readonly calls: number };
  /** Attacks a port until the process ends. Runs in its own process. */
  readonly begin: (port: number, did: (count: number) => void) => void | Promise<void>;
}

/** The blog whose posts are 1 MB from the upstream; other blogs have a usual page. */
export const LARGE_BLOG = "large";

/** Feeds of owners with this prefix have pages with this many items. */
export const LARGE_FEED = { owner: "large", items: 10_000 } as const;

/** Waits for some time. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
