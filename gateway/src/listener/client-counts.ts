import { FairShare } from "connect-rest-runtime/internal";
import { clientKey } from "../call/client-key.ts";

/**
 * Counts the resources that clients use, e.g. their connections, and reports when one client has too many.
 * Any client may use the first half of the total, so that a single client, such as a proxy, is not limited
 * while there are no others. The other half is shared: a client gets more only while it has less than its
 * part and leaves enough to others.
 */
export class ClientCounts {
  private readonly max: number;
  private readonly perClient: number;
  private readonly share: FairShare;

  /**
   * @param max the total limit
   * @param perClient the limit of each client once half of the total is taken
   */
  constructor(max: number, perClient: number) {
    this.max = max;
    this.perClient = perClient;
    this.share = new FairShare(() => max);
  }

  get size(): number {
    return this.share.total;
  }

  /** Whether half of the total is taken. */
  get isContended(): boolean {
    return this.size >= this.max / 2;
  }

  /**
   * Returns the limit that another resource for a client would exceed; undefined if the client may have the
   * resource.
   */
  excess(client: string): "all" | "client" | undefined {
    if (this.size >= this.max) return "all";
    if (!this.isContended) return undefined;
    const key = clientKey(client);
    const isBeyond = this.share.heldBy(key) >= this.perClient || !this.share.hasRoom(key);
    return isBeyond ? "client" : undefined;
  }

  /** Adds a resource for a client. The returned function removes it, and must be called only once. */
  add(client: string): () => void {
    this.enter(client);
    return () => this.leave(client);
  }

  /** Adds a resource for a client. The caller must call `leave` exactly once. */
  enter(client: string): void {
    this.share.add(clientKey(client));
  }

  leave(client: string): void {
    this.share.remove(clientKey(client));
  }
}
