/** The services of an attacked gateway, which always serves posts. */
export type Served = "posts" | "feeds" | "authorization";

/** A call of another client, which no attack should slow down or break. */
export type OtherCall = "a page of posts" | "a feed of its own";

/**
 * An attack: the attacker's actions, the calls of other clients, and the bounds on the slowdown of these
 * calls.
 */
export interface Attack {
  /** The value of `--only` that selects the attack. */
  readonly name: string;
  /** A description of the attacker's action, as the predicate of a sentence. */
  readonly does: string;
  readonly serves: Served;
  readonly others: OtherCall;
  /**
   * The highest allowed slowdown of other clients' calls: their median latency during the attack, divided by
   * their median latency before.
   */
  readonly slower: number;
  /**
   * A step of the attack, and the maximum processor time of a step, as a multiple of the time of another
   * client's call.
   */
  readonly costs?: { readonly what: string; readonly calls: number };
  /** Attacks a port until the process ends. The attack runs in a separate process. */
  readonly begin: (port: number, did: (count: number) => void) => void | Promise<void>;
}

/** The blog whose posts are 1 MB at the upstream. Other blogs have an ordinary page. */
export const LARGE_BLOG = "large";

/** Feeds whose owner has this prefix, and the number of items on each of their pages. */
export const LARGE_FEED = { owner: "large", items: 10_000 } as const;

/** Waits for a number of milliseconds. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
