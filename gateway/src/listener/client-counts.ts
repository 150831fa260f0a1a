import { FairShare } from "connect-rest-runtime/internal";
import { clientKey } from "../call/client-key.ts";

/**
 * Counts what clients have, e.g. their connections, and says when one has too many. Up to half of all there
 * may be is anybody's, so that a single client, such as a proxy, is not held back while nobody else is there;
 * the other half is shared: a client gets of it only while it has less than its own part, and leaves enough
 * to others.
 */
export class ClientCounts {
  private readonly max: number;
  private readonly perClient: number;
  private readonly share: FairShare;

  /** @param max there may be in all; `perClient` once half of them are taken */
  constructor(max: number, perClient: number) {
    this.max = max;
    this.perClient = perClient;
    this.share = new FairShare(() => max);
  }

  get size(): number {
    return this.share.total;
  }

  /** Whether half of what there may be is taken. */
  get isContended(): boolean {
    return this.size >= this.max / 2;
  }

  /** What is exceeded by one more of a client; undefined for nothing. */
  excess(client: string): "all" | "client" | undefined {
    if (this.size >= this.max) return "all";
    if (!this.isContended) return undefined;
    const key = clientKey(client);
    const isBeyond = this.share.heldBy(key) >= this.perClient || !this.share.hasRoom(key);
    return isBeyond ? "client" : undefined;
  }

  /** Adds one of a client; the returned function, to be called once, takes it away. */
  add(client: string): () => void {
    this.enter(client);
    return () => this.leave(client);
  }

  /** The same for those who know themselves when to leave, which is once. */
  enter(client: string): void {
    this.share.add(clientKey(client));
  }

  leave(client: string): void {
    this.share.remove(clientKey(client));
  }
}
