import { clientKey } from "../call/client-key.ts";

/**
 * Counts what clients have, e.g. their connections, and says when one has too many. Up to half of all there
 * may be is anybody's, so that a single client, such as a proxy, is not held back while nobody else is there;
 * the other half is shared: a client gets of it only while it has less than its own part.
 */
export class ClientCounts {
  private readonly max: number;
  private readonly perClient: number;
  private readonly byClient = new Map<string, number>();
  private all = 0;

  /** @param max there may be in all; `perClient` once half of them are taken */
  constructor(max: number, perClient: number) {
    this.max = max;
    this.perClient = perClient;
  }

  get size(): number {
    return this.all;
  }

  /** Whether half of what there may be is taken. */
  get isContended(): boolean {
    return this.all >= this.max / 2;
  }

  /** What is exceeded by one more of a client; undefined for nothing. */
  excess(client: string): "all" | "client" | undefined {
    if (this.all >= this.max) return "all";
    return this.isContended && (this.byClient.get(clientKey(client)) ?? 0) >= this.perClient
      ? "client"
      : undefined;
  }

  /** Adds one of a client; the returned function, to be called once, takes it away. */
  add(client: string): () => void {
    this.enter(client);
    return () => this.leave(client);
  }

  /** The same for those who know themselves when to leave, which is once. */
  enter(client: string): void {
    const key = clientKey(client);
    this.all += 1;
    this.byClient.set(key, (this.byClient.get(key) ?? 0) + 1);
  }

  leave(client: string): void {
    const key = clientKey(client);
    this.all -= 1;
    const left = (this.byClient.get(key) ?? 0) - 1;
    if (left > 0) {
      this.byClient.set(key, left);
    } else {
      this.byClient.delete(key);
    }
  }
}
