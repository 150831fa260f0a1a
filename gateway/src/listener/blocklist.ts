import { clientKey } from "../call/client-key.ts";

/** How many connections of a client may end for an attack before new ones are closed. */
const BURST = 50;

/** After that, how many more a second. */
const PER_SECOND = 1;

/** How many clients are remembered; the one that is longest forgotten goes first. */
const MAX_CLIENTS = 10_000;

interface BlockedClient {
  readonly left: number;
  readonly at: number;
}

/**
 * Remembers clients whose connections were ended for an attack. What a connection may cost before that is
 * bounded, and not how often it is made anew: a client that does so all the time gets few new connections.
 */
export class Blocklist {
  private readonly byClient = new Map<string, BlockedClient>();

  /** A connection of a client was ended at `now`, in milliseconds. */
  add(address: string, now: number): void {
    const client = clientKey(address);
    const left = this.left(client, now) - 1;
    this.byClient.delete(client);
    this.byClient.set(client, { left, at: now });
    for (const oldest of this.byClient.keys()) {
      if (this.byClient.size <= MAX_CLIENTS) break;
      this.byClient.delete(oldest);
    }
  }

  /** Whether a client gets no new connection for now. */
  isBlocked(address: string, now: number): boolean {
    return this.byClient.size > 0 && this.left(clientKey(address), now) < 0;
  }

  private left(client: string, now: number): number {
    const { left, at } = this.byClient.get(client) ?? { left: BURST, at: now };
    return Math.min(BURST, left + ((now - at) / 1000) * PER_SECOND);
  }
}
