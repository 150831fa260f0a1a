/** The services of a gateway during an attack: posts, and one of these. */
export type Served = "posts" | "feeds" | "authorization";

/** A call of somebody else, which every attack leaves to others. */
export type OtherCall = "a page of posts" | "a feed of its own";

/** One attack: the acts of the attacker, the calls that others keep, and the bounds. */
export interface Attack {
  /** The name that `--only` selects it by. */
  readonly name: string;
  /** The acts of the attacker, as the rest of "calls failed during ...". */
  readonly does: string;
  readonly serves: Served;
  readonly others: OtherCall;
  /** How often the median of others' calls without the attack it may be with it. */
  readonly slower: number;
  /** One act of the attacker, and how many calls of others it may cost in processor time. */
  readonly costs?: { readonly what: string; readonly calls: number };
  /** Attacks a port until its process, the attacker's, ends. */
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
