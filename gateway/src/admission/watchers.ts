import type { ConnectError } from "@connectrpc/connect";
import { clientKey } from "../call/client-key.ts";
import type { Limits } from "../limits.ts";
import { OVERLOAD_RETRY_MS } from "./admission.ts";
import type { Overload } from "./overload.ts";
import { type Refused, refused } from "./refused.ts";
import { Counts } from "./slots.ts";

/** When to watch again after there was no room, in milliseconds: watchers stay for long. */
const RETRY_MS = 10_000;

/** A call that watches a feed. */
interface Watching {
  readonly client: string;
  readonly running?: { readonly stop: (error: ConnectError) => void };
}

/**
 * Counts the streams that watch feeds. They wait for hours and cost little, so that they have a limit of
 * their own beside that of calls. A client alone may have them all: what watches a feed can go on elsewhere,
 * or later, where it ended. So when they are all taken, a client takes the place of the newest watcher of the
 * client that has the most, as long as that has more than its part and more than itself.
 */
export class Watchers {
  private readonly limits: Pick<Limits, "watchers" | "watchersPerClient">;
  private readonly overload: () => Overload | undefined;
  private readonly byClient = new Map<string, Set<Watching>>();
  private readonly counts = new Counts();
  private all = 0;

  constructor(
    limits: Pick<Limits, "watchers" | "watchersPerClient">,
    overload: () => Overload | undefined = () => undefined,
  ) {
    this.limits = limits;
    this.overload = overload;
  }

  get size(): number {
    return this.all;
  }

  /**
   * Adds a call, or says why there is no room for it. What runs for it is ended
   * where there is no room any more.
   *
   * @returns why not; undefined where it may watch, until it leaves
   */
  enter(call: Watching): Refused | undefined {
    const overload = this.overload();
    if (overload !== undefined) return refused(overload.limit, overload.text, OVERLOAD_RETRY_MS);
    const client = clientKey(call.client);
    if (this.all >= this.limits.watchers && !this.makeRoom(client)) return this.full(client);
    const watchers = this.byClient.get(client) ?? new Set();
    this.byClient.set(client, watchers.add(call));
    this.counts.add(client);
    this.all += 1;
    return undefined;
  }

  /** A call is over; safe to call twice. */
  leave(call: Watching): void {
    const client = clientKey(call.client);
    const watchers = this.byClient.get(client);
    if (watchers?.delete(call) !== true) return;
    if (watchers.size === 0) this.byClient.delete(client);
    this.counts.remove(client);
    this.all -= 1;
  }

  private full(client: string): Refused {
    const { watchers, watchersPerClient } = this.limits;
    const own = this.counts.of(client);
    if (own < watchersPerClient) {
      return refused(
        "watchers",
        `${this.all} streams watch feeds, the limit watchers (${watchers})`,
        RETRY_MS,
      );
    }
    const text = `this client has ${own} of the ${this.all} streams that watch feeds, and there is no room for more (watchersPerClient)`;
    return refused("watchersPerClient", text, RETRY_MS);
  }

  /** Ends the newest watcher of the client that has the most. */
  private makeRoom(client: string): boolean {
    const { most } = this.counts;
    if (most === undefined) return false;
    const count = this.counts.of(most);
    if (count <= this.limits.watchersPerClient || count <= this.counts.of(client) + 1) return false;
    const newest = [...(this.byClient.get(most) ?? [])].at(-1);
    if (newest === undefined) return false;
    this.leave(newest);
    const text = `this client has ${count} of the ${this.all + 1} streams that watch feeds, and another client takes the place of one (watchersPerClient)`;
    newest.running?.stop(refused("watchersPerClient", text, RETRY_MS).error);
    return true;
  }
}
