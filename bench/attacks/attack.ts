/** What a gateway serves beside posts while it is attacked. */
export type Served = "posts" | "feeds" | "authorization";

/** A call of somebody else, which every attack leaves to others. */
export type OtherCall = "a page of posts" | "a feed of its own";

/** One attack: what the attacker does, which calls others keep, and what the bounds are. */
export interface Attack {
  /** What `--only` selects it by. */
  readonly name: string;
  /** What the attacker does, as the rest of "calls beside ...". */
  readonly does: string;
  readonly serves: Served;
  readonly others: OtherCall;
  /** How often the median of others' calls without the attack it may be with it. */
  readonly slower: number;
  /** What the attacker does once, and how many calls of others that may cost in processor time. */
  readonly costs?: { readonly what: string; readonly calls: number };
  /** Attacks a port until the process ends. Runs in a process of its own. */
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
