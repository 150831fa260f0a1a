/** The services of the attacked gateway, in addition to posts. */
export type Served = "posts" | "feeds" | "authorization";

/** A call of somebody else, which every attack leaves to others. */
export type OtherCall = "a page of posts" | "a feed of its own";

/** One attack: what the attacker does, which calls others keep, and what the bounds are. */
export interface Attack {
  /** The value of `--only` that selects the attack. */
  readonly name: string;
  /** The action of the attacker, as the rest of a sentence. */
  readonly does: string;
  readonly serves: Served;
  readonly others: OtherCall;
  /** How often the median of others' calls without the attack it may be with it. */
  readonly slower: number;
  /** One step of the attack, and its highest cost in processor time, in calls of other clients. */
  readonly costs?: { readonly what: string; readonly calls: number };
  /** Attacks a port until the process ends. Runs in its own process. */
  readonly begin: (port: number, did: (count: number) => void) => void | Promise<void>;
}

/** The blog whose posts take the upstream 1 MB; of others they are a usual page. */
export const LARGE_BLOG = "large";

/** How many items a page of a feed has whose owner begins with this. */
export const LARGE_FEED = { owner: "large", items: 10_000 } as const;

/** Lets some time pass. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
