import type { ConnectError } from "@connectrpc/connect";
import { FairShare } from "connect-rest-runtime/internal";
import { clientKey } from "../call/client-key.ts";
import type { LimitRejection } from "../call/limit-rejection.ts";
import type { Limits } from "../limits.ts";
import { OVERLOAD_RETRY_MS } from "./admission.ts";
import { limitRejection } from "./limit-rejection.ts";
import type { Overload } from "./overload.ts";

/**
 * The retry delay for a watcher without a slot, in milliseconds. It is long because watchers keep their slots
 * for hours.
 */
const RETRY_MS = 10_000;

/** A call that watches a feed. */
interface Watching {
  /** The caller's key or address. */
  readonly key: string;
  readonly running?: { readonly stop: (error: ConnectError) => void };
}

/**
 * Limits the streams that watch feeds. Watchers wait for hours at low cost, so their limit is separate from
 * the limit of calls. A single client may use all of it, because a displaced watcher can resume elsewhere or
 * later from its last position. When the limit is reached, a new watcher displaces the newest watcher of the
 * client with the most watchers, if that client has more than its guaranteed number and more than the new
 * client.
 */
export class Watchers {
  private readonly limits: Pick<Limits, "watchers" | "watchersPerClient">;
  private readonly overload: () => Overload | undefined;
  private readonly byClient = new Map<string, Set<Watching>>();
  private readonly share: FairShare;

  constructor(
    limits: Pick<Limits, "watchers" | "watchersPerClient">,
    overload: () => Overload | undefined = () => undefined,
  ) {
    this.limits = limits;
    this.share = new FairShare(() => limits.watchers);
    this.overload = overload;
  }

  get size(): number {
    return this.share.total;
  }

  /**
   * Adds a call, and may end another watcher to make room.
   *
   * @returns undefined if the call may watch until it calls `leave`, else the rejection
   */
  enter(call: Watching): LimitRejection | undefined {
    const overload = this.overload();
    if (overload !== undefined) return limitRejection(overload.limit, overload.text, OVERLOAD_RETRY_MS);
    const client = clientKey(call.key);
    if (this.size >= this.limits.watchers && !this.makeRoom(client)) return this.full(client);
    const watchers = this.byClient.get(client) ?? new Set();
    this.byClient.set(client, watchers.add(call));
    this.share.add(client);
    return undefined;
  }

  /** Removes a call; may be called twice. */
  leave(call: Watching): void {
    const client = clientKey(call.key);
    const watchers = this.byClient.get(client);
    if (watchers?.delete(call) !== true) return;
    if (watchers.size === 0) this.byClient.delete(client);
    this.share.remove(client);
  }

  private full(client: string): LimitRejection {
    const { watchers, watchersPerClient } = this.limits;
    const own = this.share.heldBy(client);
    if (own < watchersPerClient) {
      return limitRejection(
        "watchers",
        `${this.size} streams watch feeds, the limit watchers (${watchers})`,
        RETRY_MS,
      );
    }
    const text = `this client has ${own} of the ${this.size} streams that watch feeds, and there is no room for more (watchersPerClient)`;
    return limitRejection("watchersPerClient", text, RETRY_MS);
  }

  /**
   * Returns the number of watchers that each client is guaranteed, with `client` included: an equal share, at
   * most `watchersPerClient`.
   */
  private partOf(client: string): number {
    const clients = this.share.callers + (this.share.heldBy(client) === 0 ? 1 : 0);
    return Math.min(this.limits.watchersPerClient, Math.floor(this.limits.watchers / clients));
  }

  /** Ends the newest watcher of the client with the most watchers. */
  private makeRoom(client: string): boolean {
    const loser = this.share.loser(client);
    const count = loser === undefined ? 0 : this.share.heldBy(loser);
    if (loser === undefined || count <= this.partOf(client)) return false;
    const newest = [...(this.byClient.get(loser) ?? [])].at(-1);
    if (newest === undefined) return false;
    this.leave(newest);
    const text = `this client has ${count} of the ${this.size + 1} streams that watch feeds, and another client takes the place of one (watchersPerClient)`;
    newest.running?.stop(limitRejection("watchersPerClient", text, RETRY_MS).error);
    return true;
  }
}
