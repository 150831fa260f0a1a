import { FairShare } from "connect-rest-runtime/internal";
import { clientKey } from "../call/client-key.ts";

/**
 * Counts resources of clients, e.g. their connections, and reports when one client has too many. Any client
 * may use the first half of the maximum, so that a single client, such as a proxy, is not limited while there
 * are no others. The other half is shared: a client gets more only while it has less than its own part and
 * leaves enough to others.
 */
export class ClientCounts {
  private readonly max: number;
  private readonly perClient: number;
  private readonly share: FairShare;

  /**
   * @param max the total maximum
   * @param perClient the maximum of one client while half of the total is taken
   */
  constructor(max: number, perClient: number) {
    this.max = max;
    this.perClient = perClient;
    this.share = new FairShare(() => max);
  }

  get size(): number {
    return this.share.total;
  }

  /** Whether half of the maximum is taken. */
  get isContended(): boolean {
    return this.size >= this.max / 2;
  }

  /** Returns the limit that one more for a client would exceed; undefined if there is room. */
  excess(client: string): "all" | "client" | undefined {
    if (this.size >= this.max) return "all";
    if (!this.isContended) return undefined;
    const key = clientKey(client);
    const isBeyond = this.share.heldBy(key) >= this.perClient || !this.share.hasRoom(key);
    return isBeyond ? "client" : undefined;
  }

  /** Adds one for a client. The returned function removes it, and must be called only once. */
  add(client: string): () => void {
    this.enter(client);
    return () => this.leave(client);
  }

  /** Adds one for a client that calls `leave` itself, exactly once. */
  enter(client: string): void {
    this.share.add(clientKey(client));
  }

  leave(client: string): void {
    this.share.remove(clientKey(client));
  }
}
